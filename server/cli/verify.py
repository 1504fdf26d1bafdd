"""`phylactery verify`: a replay in, from a file or a server, and a verdict out."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from http.client import HTTPException
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from engine import Fault, Refused, base_catalog
from protocol.trouble import why
from server.cli.fetching import TooLong, fetch
from server.cli.input import MAX_BYTES, TOO_LONG, read_bytes
from server.cli.options import DEFAULT_SERVER
from server.cli.output import DONE, FAILED, complain, print_faults, visible, write_out
from server.cli.reaching import replay_url
from server.cli.run import CommandFailed
from server.examine import examine
from server.replay import Replay, UnknownFormat, decode

OTHER_RULES: Final = 3  # it cannot be fought again here

PATIENCE_SECONDS: Final = 30.0
SCHEMES: Final = ("http://", "https://")
BATTLE_ID: Final = re.compile(r"[0-9a-z]+\.[0-9]+")


class Verdict(NamedTuple):
    """Whether a replay holds, in a sentence and as an exit status."""

    status: int
    sentence: str
    faults: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """All of it in one line."""
        return f"{self.sentence}: {'; '.join(self.faults)}" if self.faults else self.sentence


def verify(place: str, server: str = DEFAULT_SERVER) -> int:
    """Says of the replay at a path or URL, or of a battle of the server's, whether it holds; gives
    the exit status."""
    try:
        place = placed(place, server)
        replay = read_replay(place)
    except Refused as refused:
        return print_faults(place, refused.faults)
    verdict = verdict_on(replay)
    if verdict.status != DONE:
        complain(verdict.sentence, verdict.faults)
        return verdict.status
    lines = (_outcome(replay), verdict.sentence)
    return write_out("".join(f"{visible(line)}\n" for line in lines).encode())


def placed(text: str, server: str) -> str:
    """The path or URL that is meant; of a battle's id, unless a file is called so, its replay's on
    the server. Raises `Refused`."""
    if not BATTLE_ID.fullmatch(text) or Path(text).exists():
        return text
    try:
        return replay_url(server, text)
    except CommandFailed as no_url:
        raise Refused([Fault("", str(no_url))]) from None


def read_replay(place: str) -> Replay:
    """The replay at a path or URL, `-` for standard input. Raises `Refused`."""
    data = _fetch(place).removeprefix(BOM_UTF8)  # whoever has saved it may have put it there
    try:
        replay = decode(data)
        replay.log_bytes()
    except UnknownFormat as unknown:
        raise Refused([Fault("", str(unknown))]) from None
    # Of a line of the log nothing is known yet: it may be nested too deep, or hold 1e400.
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError) as error:
        raise Refused([Fault("", f"is not a replay: {error}")]) from None
    return replay


def verdict_on(replay: Replay) -> Verdict:
    """What comes of checking it, and of fighting its battle again."""
    findings = examine(replay, base_catalog())
    if findings.faults and findings.other is not None:
        return Verdict(
            OTHER_RULES,
            f"{replay.id} was fought by another engine ({findings.other}), and went otherwise when"
            " fought again; its commitment, its seed and the digest of its log hold",
            findings.faults,
        )
    if findings.faults:
        return Verdict(FAILED, f"{replay.id} does NOT hold", findings.faults)
    if findings.other is not None:
        return Verdict(
            OTHER_RULES,
            f"{replay.id} was made under other rules ({findings.other}), so it was not fought"
            " again; its commitment, its seed and the digest of its log hold",
        )
    digest = replay.result.digest
    if replay.result.reason == "void":
        return Verdict(DONE, "holds: commitment and seed; of a void battle no log is kept")
    if digest is None:
        return Verdict(DONE, "holds: commitment, seed, and the log as far as it ran, fought again")
    return Verdict(DONE, f"holds: commitment, seed, and fought again to the digest {digest}")


def _fetch(place: str) -> bytes:
    """Raises `Refused` where there is nothing to be had."""
    if not place.lower().startswith(SCHEMES):
        return read_bytes(place)
    try:
        return fetch(place, most_bytes=MAX_BYTES, seconds=PATIENCE_SECONDS)
    except TooLong:
        raise Refused([Fault("", TOO_LONG)]) from None
    except (OSError, ValueError, HTTPException) as error:
        raise Refused([Fault("", f"cannot be fetched: {why(error)}")]) from None


def _outcome(replay: Replay) -> str:
    result = replay.result
    a, b = (replay.players.get(seat, seat) for seat in ("a", "b"))
    winner = "nobody" if result.winner is None else replay.players.get(result.winner, result.winner)
    return f"{replay.id}: {a} against {b}; {winner} won by {result.reason}, tick {result.tick}"
