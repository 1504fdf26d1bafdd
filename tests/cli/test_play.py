"""`play` and `watch` against a server over real sockets; and what they say when it goes wrong."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from engine import Refused, Rules
from protocol.client import open_client
from protocol.messages import PROTOCOL_VERSION, Join, RoomId, Watch
from server.app import Running
from server.app import serve as serve_app
from server.cli.asking import yes_or_no
from server.cli.board import find_board
from server.cli.output import AT_FAULT, DONE
from server.cli.play import Game, default_name, play_on
from server.cli.run import CommandFailed, first_of
from server.cli.verify import verify
from server.cli.watch import watch_on
from server.conduct import Conduct
from server.config import Config
from server.journal.file import MEMORY
from server.limits import Limits
from server.view.screen import PlainScreen

# A battle of a minute in a third of a second.
CONFIG = Config(port=0, pace=200, limits=Limits(offer_seconds=0.05))

GAME = Game(
    board="red-kennel",
    server="",
    way="quick",
    room=None,
    key=None,
    private=False,
    name="Ada",
    best_of=1,
    rounds=0,
    speed=1,
    yes=True,
)


class Lines(PlainScreen):
    """A screen that keeps its lines, and wakes whoever waits for one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.said = trio.Event()

    def say(self, line: str) -> None:
        self.lines.append(line)
        self.said.set()
        self.said = trio.Event()

    async def until(self, pattern: str) -> re.Match[str]:
        """The first line that fits."""
        with trio.fail_after(60):
            while True:
                for line in self.lines:
                    if found := re.search(pattern, line):
                        return found
                await self.said.wait()


def troubled(sentence: str) -> pytest.RaisesGroup[CommandFailed]:
    """Holds a block to raise `CommandFailed`, in nurseries' wrapping or bare."""
    return pytest.RaisesGroup(
        pytest.RaisesExc(CommandFailed, match=sentence),
        allow_unwrapped=True,
        flatten_subgroups=True,
    )


@asynccontextmanager
async def server(config: Config = CONFIG) -> AsyncIterator[str]:
    """The URL of a server."""
    async with trio.open_nursery() as nursery:
        running: Running = await nursery.start(serve_app, config)
        yield running.url
        nursery.cancel_scope.cancel()


def start(
    nursery: trio.Nursery, url: str, work: trio.CancelScope | None = None, **changes: object
) -> Lines:
    """Somebody plays; what they see."""
    screen, game = Lines(), replace(GAME, server=url, **changes)  # type: ignore[arg-type]
    board = find_board(game.board)
    nursery.start_soon(play_on, screen, game, board, work or trio.CancelScope())
    return screen


def start_watching(
    nursery: trio.Nursery,
    url: str,
    room: str,
    work: trio.CancelScope | None = None,
    **changes: object,
) -> Lines:
    """Somebody watches; what they see."""
    screen, first = Lines(), Watch(version=PROTOCOL_VERSION, **changes)  # type: ignore[arg-type]
    nursery.start_soon(watch_on, screen, room, url, first, work)
    return screen


async def room_of(screen: Lines) -> str:
    return (await screen.until(r"^room (\w+), you have seat"))[1]


def rounds(screen: Lines) -> list[str]:
    return [line for line in screen.lines if line.startswith("round")]


async def test_two_play_a_series_and_a_third_watches_it() -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, way="create", best_of=3)
        room = await room_of(ada)
        looking = start_watching(nursery, url, room, channels=["revival"])
        bob = start(nursery, url, way="join", room=room, name="Bob", board="seven-vows")
        await looking.until("the room is closed")
    assert rounds(ada) == rounds(bob) == rounds(looking)
    assert 4 <= len(rounds(ada)) <= 6
    for screen in (ada, bob, looking):
        checked = [line for line in screen.lines if "fought again to the digest" in line]
        assert len(checked) == len(rounds(ada)) / 2
    assert any(line.startswith("  others join with: phylactery play") for line in ada.lines)
    assert any(" dies to " in line for line in ada.lines)
    assert not any(" dies to " in line for line in looking.lines)


@pytest.mark.parametrize("data", [MEMORY, None])
async def test_where_the_server_keeps_replays_each_says_after_the_verdict_where_it_is(
    data: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    async with server(replace(CONFIG, data=data)) as url:
        async with trio.open_nursery() as nursery:
            ada = start(nursery, url, way="create", best_of=3)
            room = await room_of(ada)
            looking = start_watching(nursery, url.removeprefix("ws://"), room)
            bob = start(nursery, url, way="join", room=room, name="Bob", board="seven-vows")
        page = url.replace("ws", "http", 1)
        for screen in (ada, bob, looking):
            verdicts = [n for n, line in enumerate(screen.lines) if line.startswith("  checked")]
            told = [line for line in screen.lines if "replay:" in line]
            for number, line in enumerate(told, 1):
                assert line == f"  replay: {page}/replays/{room}.{number}"
                assert screen.lines[verdicts[number - 1] + 1] == line
            assert len(told) == (len(verdicts) if data else 0)
        status = await trio.to_thread.run_sync(verify, f"{room}.1", url)
        assert status == (DONE if data else AT_FAULT)
    assert room in capfd.readouterr()[0 if data else 1]


async def test_a_private_room_says_its_key_and_asks_for_it() -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, way="create", private=True)
        key = (await ada.until("others join with: .* --key (\\w+) --server"))[1]
        room = await room_of(ada)
        with troubled("the room is private, and this is not its key"):
            await play_on(
                Lines(),
                replace(GAME, server=url, way="join", room=room, key=f"not-{key}"),
                find_board("red-kennel"),
                trio.CancelScope(),
            )
        with troubled("^the room is private; say its key with --key$"):
            await watch_on(Lines(), room, url, Watch(version=PROTOCOL_VERSION))
        bob = start(nursery, url, way="join", room=room, key=key, name="Bob")
        await bob.until("fought again")


async def test_an_invitation_can_be_pasted_whatever_the_key() -> None:
    key = "it's four $candles"
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, way="create", key=key)
        room = await room_of(ada)
        joining = (await ada.until("others join with: (.*)"))[1]
        watching = (await ada.until("look on with: (.*)"))[1]
        access = ["--key", key, "--server", url]
        assert shlex.split(joining) == ["phylactery", "play", "BOARD", "--room", room, *access]
        assert shlex.split(watching) == ["phylactery", "watch", room, *access]
        nursery.cancel_scope.cancel()


async def test_quick_match_takes_the_stored_opponent_that_is_offered() -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, rounds=2)
        await ada.until("fighting the stored")
        await ada.until("^round 2 ")
    assert len(rounds(ada)) == 4


async def test_nobody_is_there_to_be_asked() -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, yes=False)
        await ada.until("with --yes a stored opponent would be fought")
        bob = start(nursery, url, yes=False, name="Bob")
        await ada.until("fought again")
        await bob.until("fought again")


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Types on what the process takes for its terminal."""
    leading, following = os.openpty()
    with open(following, closefd=False) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        yield lambda text: (os.write(leading, text.encode()), None)[1]
    os.close(leading)
    os.close(following)


async def test_a_person_says_yes_to_the_stored_opponent(keyboard: Callable[[str], None]) -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, yes=False)
        await ada.until(r"nobody here; fight the stored .*\? \[y/n\]")
        keyboard("y\n")
        await ada.until("fought again")


async def test_an_opponent_who_comes_ends_the_question(keyboard: Callable[[str], None]) -> None:
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, yes=False)
        await ada.until("nobody here; fight the stored")
        start(nursery, url, name="Bob")
        await ada.until("fought again")
    assert not any("fighting the stored" in line for line in ada.lines)
    keyboard("n\n")  # the line is still there for whoever reads next
    assert not await yes_or_no()


@pytest.mark.parametrize(
    ("typed", "meant"), [("y\n", True), ("YES\n", True), ("\n", False), ("no\n", False)]
)
async def test_answers(keyboard: Callable[[str], None], typed: str, meant: bool) -> None:
    keyboard(typed)
    assert await yes_or_no() is meant


async def test_whoever_is_interrupted_gives_up_the_seat() -> None:
    async with server() as url, trio.open_nursery() as nursery:
        work = trio.CancelScope()
        ada = start(nursery, url, work, way="create", best_of=9)
        room = await room_of(ada)
        bob = start(nursery, url, way="join", room=room, name="Bob", best_of=9)
        await bob.until("round 1:")
        work.cancel()
        await bob.until("Ada leaves")
        nursery.cancel_scope.cancel()


async def test_who_is_interrupted_is_no_lost_connection_to_the_server() -> None:
    async with trio.open_nursery() as nursery:
        running: Running = await nursery.start(serve_app, replace(CONFIG, pace=1))
        url, works = running.url, [trio.CancelScope() for _ in range(3)]
        async with trio.open_nursery() as ones:
            ada = start(ones, url, works[0], way="create")
            room = await room_of(ada)
            async with trio.open_nursery() as others:
                start(others, url, works[1], way="join", room=room, name="Bob")
                async with trio.open_nursery() as watchers:
                    eve = start_watching(watchers, url, room, works[2])
                    await eve.until("round 1:")
                    works[2].cancel()
                works[1].cancel()
            works[0].cancel()
        nursery.cancel_scope.cancel()
    assert running.hall.metrics.closed == {"1000": 3}
    assert "the room is closed" not in eve.lines


async def test_opponents_who_leave_at_once_end_nothing() -> None:
    """What is said to a round may come when the other has gone already."""
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, way="create")
        room = await room_of(ada)
        for _ in range(5):
            join = Join(version=PROTOCOL_VERSION, name="Eve")
            async with open_client(url, join, RoomId(room)) as eve:
                await anext(eve)
                await eve.leave()
        bob = start(nursery, url, way="join", room=room, name="Bob", board="seven-vows")
        await bob.until("^round 1 goes to|^round 1 is a draw")
    assert not any("refused" in line for line in ada.lines)


async def test_what_came_too_fast_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = iter([True, True, False, False])  # both come; what each says first in the room
    monkeypatch.setattr(Conduct, "may_speak", lambda *_, **__: next(heard, True))
    monkeypatch.setattr("server.cli.play.AGAIN_SECONDS", 0.1)
    async with server() as url, trio.open_nursery() as nursery:
        ada = start(nursery, url, way="create")
        room = await room_of(ada)
        bob = start(nursery, url, way="join", room=room, name="Bob", board="seven-vows")
        await bob.until("^round 1 goes to|^round 1 is a draw")
        nursery.cancel_scope.cancel()
    assert sum("too fast" in line for one in (ada, bob) for line in one.lines) == 2


async def test_a_board_that_the_servers_rules_refuse() -> None:
    async def refused() -> None:
        config = replace(CONFIG, rules=Rules(scrip_budget=1))
        async with server(config) as url, trio.open_nursery() as nursery:
            ada = start(nursery, url, way="create")
            start(nursery, url, way="join", room=await room_of(ada), name="Bob")

    # Both are refused; who is first does not matter.
    with pytest.raises(ExceptionGroup) as caught:
        await refused()
    trouble = first_of(caught.value)
    assert isinstance(trouble, CommandFailed)
    assert str(trouble) == "the server refused: The board breaks the rules."
    assert any("of a budget of 1" in detail for detail in trouble.details)


@pytest.mark.parametrize("room", ["nosuch", "../x", "a b"])
async def test_a_room_that_is_not_there(room: str) -> None:
    async with server() as url:
        with troubled("^there is no such room$"):
            await watch_on(Lines(), room, url, Watch(version=PROTOCOL_VERSION))


async def test_a_name_that_is_too_long() -> None:
    async with server() as url:
        with troubled("the message is not as its type demands") as caught:
            await play_on(
                Lines(),
                replace(GAME, server=url, name="x" * 25),
                find_board("red-kennel"),
                trio.CancelScope(),
            )
    trouble = first_of(caught.value)
    assert isinstance(trouble, CommandFailed)
    assert trouble.details[0].startswith("name: ")


async def test_no_server() -> None:
    with troubled("no server can be reached at ws://127.0.0.1:1 "):
        await watch_on(Lines(), "x", "127.0.0.1:1", Watch(version=PROTOCOL_VERSION))


def test_boards_by_name_and_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_board("red-kennel").board["units"]
    Path("mine.json").write_text(json.dumps({"units": [{"cell": 0, "card": "bone-squire"}]}))
    assert find_board("mine.json") == (
        "mine",
        {"units": [{"cell": 0, "card": "bone-squire"}]},
    )
    # A file that has the name of a sample is meant.
    Path("red-kennel").write_text(json.dumps({"name": "Own", "units": [{"cell": 0}]}))
    with pytest.raises(Refused, match=r"units\[0\].card"):
        find_board("red-kennel")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("red-kenel", 'no sample board and no file .*did you mean "red-kennel"'),
        ("missing.json", "no such file"),
        ("a/b", "no such file"),
        (".", "is a directory"),
    ],
)
def test_boards_that_are_not_there(text: str, fault: str) -> None:
    with pytest.raises(Refused, match=fault):
        find_board(text)


def test_a_name_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "ada\x1b" + "x" * 40)
    assert default_name() == "ada" + "x" * 21

    def nameless() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", nameless)
    assert default_name() == "guest"
