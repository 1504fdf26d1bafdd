"""`phylactery demo` as a real process: it fights, it ends by itself, and it ends when told to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from protocol.messages import RoomId
from server.cli.board import NamedBoard, find_board
from server.cli.demo import Demo, SeededMint, shuffled
from server.cli.verify import verify
from server.mint import ALPHABET, ROOM_ID_LENGTH

# A battle of a minute in a second; what is fought is the same.
FAST = ("--speed", "4", "--pace", "50")
COMMAND = [sys.executable, "-c", "from server.cli import main; main()", "demo", *FAST]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(*words: str) -> list[str]:
    with start(*words) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


def test_one_round_is_fought_told_checked_and_over() -> None:
    lines = run("--rounds", "1")
    assert re.fullmatch(
        r"a server at ws://127.0.0.1:\d+, its page at http://127.0.0.1:\d+", lines[0]
    )
    assert re.match(r"in another terminal: phylactery watch [0-9a-z]{8}", lines[1])
    text = "\n".join(lines)
    assert re.search(r"^round 1: Osric \(.+\) against Thessaly \(.+\)$", text, re.MULTILINE)
    assert re.search(r"^ +\d+\.\d s  .+ dies to .+$", text, re.MULTILINE)
    assert re.match(r"round 1 (goes to (Osric|Thessaly)|is a draw) by \w+ after", lines[-3])
    assert re.match(
        r"  checked: commitment, seed, and fought again to the digest [0-9a-f]{32}$", lines[-2]
    )
    page = lines[0].split()[-1]
    assert re.fullmatch(rf"  replay: {re.escape(page)}/replays/[0-9a-z]{{8}}\.1", lines[-1])
    assert text.count("checked:") == 1


def test_its_battles_can_be_seen_again() -> None:
    with start() as process:
        assert process.stdout is not None
        page = process.stdout.readline().split()[-1]
        for line in process.stdout:
            if "replay:" in line:
                place = line.split()[-1]
                break
        assert verify(place) == 0
        with urllib.request.urlopen(f"{page}/api/replays") as answer:  # noqa: S310 - our own
            (replay,) = json.load(answer)["replays"]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=5)
    assert place.endswith(f"/{replay['id']}")
    assert replay["players"] == {"a": "Osric", "b": "Thessaly"}


def test_the_same_seed_fights_the_same_battles() -> None:
    def battles() -> list[str]:
        lines = run("--rounds", "2", "--seed", "7")
        return [line for line in lines if "server" not in line and "replay:" not in line]

    first = battles()
    assert sum(line.startswith("  checked") for line in first) == 2
    assert battles() == first


def test_the_boards_that_were_asked_for() -> None:
    lines = run("--rounds", "2", "--boards", "red-kennel", "slow-kiln")
    begun = [line for line in lines if re.match(r"round \d:", line)]
    a, b = find_board("red-kennel").name, find_board("slow-kiln").name
    assert begun == [f"round {number}: Osric ({a}) against Thessaly ({b})" for number in (1, 2)]


def test_a_board_that_is_not_there() -> None:
    with start("--boards", "red-kennel", "slow-kilm") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert 'slow-kilm: no sample board and no file of this name; did you mean "slow-kiln"?' in err
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_and_cleanly(number: signal.Signals) -> None:
    with start() as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("round 1:"):
                break
        process.send_signal(number)
        _, err = process.communicate(timeout=5)
    assert (process.returncode, err) == (128 + number, "")


def test_when_nobody_reads_on_it_ends_quietly() -> None:
    with start() as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
        process.wait(timeout=60)
    assert (process.returncode, err) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_it_draws_a_picture_and_leaves_the_terminal_as_it_was() -> None:
    leading, following = os.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    with subprocess.Popen(
        [*COMMAND, "--rounds", "1", "--pace", "8"],
        stdout=following,
        stderr=subprocess.PIPE,
        env=environment,
    ) as process:
        os.close(following)
        drawn = b""
        while chunk := _read(leading):
            drawn += chunk
        assert process.stderr is not None
        assert process.stderr.read() == b""
    os.close(leading)
    assert process.returncode == 0
    shown, _, kept = drawn.decode().rpartition("\x1b[?1049l")
    assert "┃┃" in shown
    assert "Thessaly" in shown
    assert "\x1b[?25h" in shown[-20:]  # the cursor shows again
    assert "fought again to the digest" in kept


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def board(name: str) -> NamedBoard:
    return NamedBoard(name, {"name": name})


def names(demo: Demo, rounds: int) -> list[tuple[object, object]]:
    a, b = demo.draw("a"), demo.draw("b")
    return [(next(a)["name"], next(b)["name"]) for _ in range(rounds)]


def test_of_many_boards_each_fights_the_next() -> None:
    demo = Demo([board("x"), board("y"), board("z")], 0, 1, None, 1.0)
    assert names(demo, 4) == [("x", "y"), ("y", "z"), ("z", "x"), ("x", "y")]


def test_of_two_boards_each_stays_on_its_side() -> None:
    demo = Demo([board("x"), board("y")], 0, 1, None, 1.0)
    assert names(demo, 3) == [("x", "y")] * 3


def test_a_seed_decides_order_rooms_and_secrets_but_no_token() -> None:
    assert shuffled("7") == shuffled("7")
    assert sorted(shuffled("7")) == sorted(shuffled("8"))
    one, two = SeededMint("7"), SeededMint("7")
    assert (one.room_id(), one.secret(), one.secret()) == (
        two.room_id(),
        two.secret(),
        two.secret(),
    )
    assert one.token() != two.token()
    assert len(one.secret()) == 32
    room: RoomId = one.room_id()
    assert len(room) == ROOM_ID_LENGTH
    assert set(room) <= set(ALPHABET)
