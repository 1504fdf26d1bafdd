"""`phylactery verify`: a replay in, from a file or a server, and a verdict out."""

from __future__ import annotations

from http.client import HTTPException
from typing import Final

import msgspec

from engine import Fault, Refused, base_catalog
from protocol.trouble import why
from server.cli.fetching import TooLong, fetch
from server.cli.input import MAX_BYTES, TOO_LONG, read_bytes
from server.cli.output import FAILED, complain, print_faults, write_out
from server.examine import examine
from server.replay import Replay, UnknownFormat, decode

OTHER_RULES: Final = 3  # it cannot be fought again here

PATIENCE_SECONDS: Final = 30.0
SCHEMES: Final = ("http://", "https://")


def verify(place: str) -> int:
    """Says of the replay at a path or URL whether it holds; gives the exit status."""
    try:
        replay = decode(_fetch(place))
    except Refused as refused:
        return print_faults(place, refused.faults)
    except UnknownFormat as unknown:
        return print_faults(place, [Fault("", str(unknown))])
    except msgspec.MsgspecError as error:
        return print_faults(place, [Fault("", f"is not a replay: {error}")])
    findings = examine(replay, base_catalog())
    if findings.faults:
        complain(f"{replay.id} does NOT hold", findings.faults)
        return FAILED
    if findings.other is not None:
        complain(
            f"{replay.id} was made under other rules ({findings.other}), so it was not fought"
            " again; its commitment, its seed and the digest of its log hold"
        )
        return OTHER_RULES
    return write_out(f"{_summary(replay)}\n".encode(errors="backslashreplace"))


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


def _summary(replay: Replay) -> str:
    result = replay.result
    a, b = (replay.players.get(seat, seat) for seat in ("a", "b"))
    winner = "nobody" if result.winner is None else replay.players.get(result.winner, result.winner)
    outcome = f"{replay.id}: {a} against {b}; {winner} won by {result.reason}, tick {result.tick}"
    if result.digest is None:
        return f"{outcome}\nholds: commitment, seed, and the log as far as it ran, fought again"
    return f"{outcome}\nholds: commitment, seed, and fought again to the digest {result.digest}"
