"""What is fetched from a server that never ends: it is given up in time, and in space."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import io
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from http.client import IncompleteRead
from urllib.response import addinfourl

import pytest
import trio
from trio.testing import MockClock

from server.cli import verify as verifying
from server.cli.fetching import TooLong, fetch
from server.cli.output import AT_FAULT
from server.load import command
from server.load.scrape import scrape
from tests.cli.test_reaching import OTHERS, answering

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
DRIP_SECONDS = 0.01


@contextmanager
def sending(piece: bytes, pause_seconds: float, head: bytes = HEAD) -> Iterator[str]:
    """Where somebody answers whoever asks with such pieces, for as long as they are there."""
    over = threading.Event()
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            try:
                connection, _ = listening.accept()
                with connection:
                    connection.sendall(head)
                    while not over.wait(pause_seconds):
                        connection.sendall(piece)
            except OSError:  # they are gone, or the test is over
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_all_that_is_there_is_fetched_and_not_a_byte_too_much() -> None:
    whole = HEAD.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n") + b"12345"
    for most in (5, 6):
        with sending(b"", 10, whole) as place:
            assert fetch(f"http://{place}/", most_bytes=most, seconds=10) == b"12345"
    with sending(b"", 10, whole) as place, pytest.raises(TooLong):
        fetch(f"http://{place}/", most_bytes=4, seconds=10)


def test_half_an_answer_is_none() -> None:
    with answering(OTHERS["half an answer"]) as place, pytest.raises(IncompleteRead):
        fetch(f"http://{place}/", most_bytes=100, seconds=10)


def test_an_answer_without_end_is_too_long() -> None:
    with sending(b"x" * 1000, 0.0) as place, pytest.raises(TooLong):
        fetch(f"http://{place}/", most_bytes=100_000, seconds=10)


@pytest.mark.parametrize("head", [HEAD, b"HTTP/1.1 200 OK\r\nX: "], ids=["content", "head"])
def test_what_comes_drop_by_drop_takes_too_long(head: bytes) -> None:
    start = time.monotonic()
    with (
        sending(b"x", DRIP_SECONDS, head) as place,
        pytest.raises(TimeoutError, match=r"no whole answer came within 0\.1 seconds"),
    ):
        fetch(f"http://{place}/", most_bytes=500, seconds=10 * DRIP_SECONDS)
    assert time.monotonic() - start < 5


def test_a_replay_that_does_not_come_to_an_end_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verifying, "PATIENCE_SECONDS", 10 * DRIP_SECONDS)
    monkeypatch.setattr(verifying, "MAX_BYTES", 500)
    for pause, why in ((DRIP_SECONDS, "cannot be fetched: no whole answer came"), (0.0, "longer")):
        with sending(b"x", pause) as place:
            assert verifying.verify(f"http://{place}/replays/x") == AT_FAULT
        assert why in capsys.readouterr().err


def test_metrics_without_end_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.load.scrape.MOST_BYTES", 500)
    with sending(b"x", 0.0) as place:
        assert scrape(f"ws://{place}") is None


async def test_who_looks_at_the_metrics_can_be_stopped(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    monkeypatch.setattr(command, "scrape", lambda _: answered.wait(10))
    with trio.move_on_after(5) as stopped:
        await command._scrape("ws://here")
    assert stopped.cancelled_caught
    answered.set()


def test_an_answer_of_another_scheme_has_no_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may send one on to a file of FTP's."""
    answer = addinfourl(io.BytesIO(b"a replay"), Message(), "ftp://there/x")
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: answer)
    assert fetch("http://here/x", most_bytes=100, seconds=5) == b"a replay"
