"""What people and other programs hand to the commands that reach a server: URLs, words, answers."""

from __future__ import annotations

import inspect
import io
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any, get_args

import pytest
from rich.console import Console
from typer.models import ArgumentInfo
from typer.testing import CliRunner

from server.cli.app import app
from server.cli.options import NAMES_OF_FILES
from server.cli.output import AT_FAULT
from server.cli.reaching import replay_url, websocket_url
from server.cli.run import CommandFailed
from server.cli.seen_again import is_there
from server.cli.verify import verify
from server.load.command import measure
from server.load.share import Wishes

NO_UNICODE = b"\xff".decode(errors="surrogateescape")

# What answers a request that is no server of ours.
OTHERS = {
    "another protocol": b"SSH-2.0-OpenSSH\r\n",
    "nothing": b"",
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    "no such status": b"HTTP/1.1 999999 x\r\n\r\n",
    "no end of a line": b"x" * 70_000,
}


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Where somebody answers this to whoever asks, and hangs up."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            try:
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(answer)
            except OSError:  # the test is over
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://a:1", "ws://a:1"),
        ("wss://a/b/", "wss://a/b"),
        ("http://a:1/", "ws://a:1"),
        ("https://a", "wss://a"),
        ("a:8750", "ws://a:8750"),
        ("[::1]:8750", "ws://[::1]:8750"),
        ("ws://bücher.example/é x", "ws://xn--bcher-kva.example/%C3%A9%20x"),
        ("ws://a/b%20c", "ws://a/b%20c"),
    ],
)
def test_urls_as_people_write_them(text: str, url: str) -> None:
    assert websocket_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        *("", "ftp://a", "ws://", "ws://a:x", "ws://[::1", "ws://a:99999", "ws://a..b", "ws://."),
        *(f"ws://{'a' * 64}", "ws://a b", "ws://me@a", f"ws://{NO_UNICODE}"),
    ],
)
def test_what_is_no_url(text: str) -> None:
    with pytest.raises(CommandFailed, match="is no server's URL"):
        websocket_url(text)


def signatures() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Every command, and its words: what they are called, and how they are annotated."""
    for command in app.registered_commands:
        assert command.callback is not None
        parameters = inspect.signature(command.callback, eval_str=True).parameters
        yield command.callback.__name__, list(parameters.items())


def texts() -> list[tuple[str, str, list[str]]]:
    """Every word of a command that is a text and no file; and what to say for it to be no text."""
    found = []
    for command, parameters in signatures():
        needed = {n: one for n, one in parameters if one.default is inspect.Parameter.empty}
        for name, one in parameters:
            kind, *_ = get_args(one.annotation)
            if name not in NAMES_OF_FILES and kind in (str, str | None, list[str] | None):
                said = needed | {name: one}
                words = [_said(n, p, NO_UNICODE if n == name else "x") for n, p in said.items()]
                found.append((command, name, [*chain.from_iterable(words)]))
    return found


def _said(name: str, parameter: inspect.Parameter, value: str) -> list[str]:
    about = get_args(parameter.annotation)[1]
    if isinstance(about, ArgumentInfo):
        return [value]
    # What is said first stands where a default would, if it were not annotated.
    said = [one for one in (about.default, *(about.param_decls or ())) if isinstance(one, str)]
    return [next(iter(said), f"--{name.replace('_', '-')}"), value]


@pytest.mark.parametrize(("command", "name", "words"), texts())
def test_a_word_that_is_no_unicode_is_refused(command: str, name: str, words: list[str]) -> None:
    result = CliRunner().invoke(app, [command, *words])
    assert result.exit_code == AT_FAULT
    assert f"{name.replace('_', ' ')}: must be UTF-8" in " ".join(result.output.split())


@pytest.mark.parametrize("answer", OTHERS.values(), ids=OTHERS)
async def test_a_load_on_what_is_no_server_of_ours_is_a_sentence(answer: bytes) -> None:
    with answering(answer) as place:
        wishes = Wishes(url=f"ws://{place}", rooms=1, spectators=1)
        with pytest.raises(CommandFailed, match="no server can be reached"):
            await measure(wishes, 1, Console(file=io.StringIO()))


@pytest.mark.parametrize("answer", OTHERS.values(), ids=OTHERS)
def test_what_is_fetched_and_is_no_replay_is_a_sentence(
    answer: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(answer) as place:
        assert verify(f"http://{place}/replays/x") == AT_FAULT
    assert place in capsys.readouterr().err


@pytest.mark.parametrize("place", ["http://", "http://a..b", "http://[::1", "http://a b"])
def test_what_cannot_be_fetched_is_a_sentence(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(place) == AT_FAULT
    assert "cannot be fetched" in capsys.readouterr().err


def test_a_place_that_only_looks_like_a_url_is_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("ws://[::1") == AT_FAULT
    assert "no such file" in capsys.readouterr().err


def test_where_nobody_answers_it_is_said_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("http://127.0.0.1:1/replays/x") == AT_FAULT
    said = capsys.readouterr().err
    assert said == "http://127.0.0.1:1/replays/x: cannot be fetched: connection refused\n"


@pytest.mark.parametrize(
    ("server", "url"),
    [
        ("example.org:8750", "http://example.org:8750/replays/k3f9x2.1"),
        ("ws://example.org", "http://example.org/replays/k3f9x2.1"),
        ("wss://example.org/ws/", "https://example.org/ws/replays/k3f9x2.1"),
        ("https://example.org", "https://example.org/replays/k3f9x2.1"),
    ],
)
def test_a_replay_stands_where_its_server_is(server: str, url: str) -> None:
    assert replay_url(server, "k3f9x2.1") == url


def test_an_answer_of_any_length_is_there_and_a_refusal_is_not() -> None:
    for answer, there in (
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", True),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", False),
        *((other, what == "half an answer") for what, other in OTHERS.items()),
    ):
        with answering(answer) as place:
            assert is_there(f"http://{place}/") is there, answer
    assert not is_there(f"http://{place}/")
