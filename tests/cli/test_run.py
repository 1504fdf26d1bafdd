"""How commands that live on end; and the screens they show things on."""

from __future__ import annotations

import errno
import io
import itertools
import os
import signal
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
import trio.testing
from rich.console import Console
from trio.testing import MockClock

from server.cli.output import FAILED, PIPE_CLOSED
from server.cli.run import CommandFailed, run
from server.view.screen import LiveScreen, OutputClosed, OutputFailed, PlainScreen, open_screen
from server.view.terminal import Scene

FULL = "cannot write to standard output: No space left on device"


async def done() -> int:
    return 7


def raising(error: Exception) -> Callable[[], Awaitable[int]]:
    async def command() -> int:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            raise error

    return command


def test_the_commands_own_status() -> None:
    assert run(done) == 7


def test_trouble_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(raising(CommandFailed("the server is\nnot there"))) == FAILED
    assert capsys.readouterr() == ("", "phylactery: the server is\\nnot there\n")


def test_when_nobody_reads_on_it_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("server.cli.run.forget_stdout", lambda: None)  # it is pytest's own
    assert run(raising(OutputClosed())) == PIPE_CLOSED
    assert capsys.readouterr() == ("", "")


def test_output_that_cannot_be_written_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forgotten: list[bool] = []
    monkeypatch.setattr("server.cli.run.forget_stdout", lambda: forgotten.append(True))
    assert run(raising(OutputFailed(FULL))) == FAILED
    assert capsys.readouterr() == ("", f"phylactery: {FULL}\n")
    assert forgotten == [True]


def test_a_fault_of_ours_comes_through() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        run(raising(KeyError("x")))
    assert caught.group_contains(KeyError)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    cleaned = []

    async def command() -> int:
        try:
            os.kill(os.getpid(), number)
            await trio.sleep_forever()
        finally:
            cleaned.append(True)

    assert run(command) == 128 + number
    assert cleaned == [True]
    assert capsys.readouterr() == ("", "")


def scene(title: str) -> Scene:
    return Scene(title=title)


async def test_a_live_screen_draws_the_newest_at_most_ten_times_a_second(
    autojump_clock: MockClock,
) -> None:
    screen = LiveScreen()
    drawn: list[tuple[float, str]] = []
    began = autojump_clock.current_time()
    with trio.move_on_after(1.05):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                screen.draw_on, lambda s: drawn.append((trio.current_time() - began, s.title))
            )
            for number in range(40):
                screen.show(partial(scene, str(number)))
                await trio.sleep(0.01)
    titles = [title for _, title in drawn]
    assert 4 <= len(drawn) <= 5
    assert titles[-1] == "39"  # the last is drawn, and not again while nothing changes
    assert all(later - earlier >= 0.099 for (earlier, _), (later, _) in itertools.pairwise(drawn))


async def test_a_terminal_is_drawn_on_and_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    autojump_clock: MockClock,
) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80, height=24, legacy_windows=False)
    monkeypatch.setattr("server.view.screen.Console", lambda: console)
    async with open_screen() as screen:
        screen.show(lambda: scene("room k3f9x2"))
        screen.say("round 1 goes to Ada")
        screen.tell("not kept")
        autojump_clock.jump(1)
        await trio.testing.wait_all_tasks_blocked()
        assert capsys.readouterr().out == ""
    assert "room k3f9x2" in out.getvalue()
    assert out.getvalue().count("\x1b[?1049h") == out.getvalue().count("\x1b[?1049l") == 1
    assert out.getvalue().endswith("\x1b[?25h\x1b[?1049l")  # the cursor shows again
    assert capsys.readouterr().out == "round 1 goes to Ada\n"


async def test_without_a_terminal_lines_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    async with open_screen() as screen:
        screen.show(lambda: scene("not shown"))
        screen.say("Ada\x1b says")
        screen.tell("and more")
    assert capsys.readouterr().out == "Ada\\x1b says\nand more\n"


def test_a_line_that_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Closed())
    with pytest.raises(OutputClosed):
        PlainScreen().say("x")
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(OutputClosed):
        PlainScreen().say("x")


def test_a_line_that_there_is_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sys.stdout", Full())
    with pytest.raises(OutputFailed, match=FULL):
        PlainScreen().say("x")
