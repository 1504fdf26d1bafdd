"""A replay as a stream: what a spectator of all three channels was sent of the battle.

The frames come from the recorded log, whatever rules there are by now. Under the rules it was
fought by they are those that were sent, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from engine import Catalog, Refused, Rules, read_rules
from engine.rules import RANGES
from protocol.codec import encode
from protocol.frames import FeedWriter, Frames
from protocol.log_lines import NoLine, read_lines
from protocol.messages import Begin
from protocol.recording import LogUntold, Recording
from protocol.sources import Sources
from server.replay import Replay
from server.telling import changed_rules


class Untellable(ValueError):  # noqa: N818 - says what the replay is
    """A replay that no battle can have left; the sentence says why."""


def begin_of(replay: Replay) -> Begin:
    """The `begin` that went before the frames."""
    return Begin(
        battle=replay.id,
        round=replay.round,
        speed=replay.speed,
        players=replay.players,
        boards=replay.boards,
        commitment=replay.commitment,
        rules=changed_rules(replay.rules),
    )


def retell(replay: Replay, catalog: Catalog) -> Iterator[Frames]:
    """The frames of every tick that has any. Raises `Untellable`, perhaps in the middle."""
    if replay.boards.keys() != {"a", "b"}:
        raise Untellable("boards: there are two, a and b")
    if not replay.log and replay.result.digest is None:
        return  # it was stopped before its first tick, or failed: then no log is kept
    rules = _rules_of(replay)
    # What was broken off has no end of its own: it is told as far as it ran.
    last = min(replay.result.tick, rules.time_limit)
    try:
        log = read_lines(replay.log)
        vessels = min(rules.vessel_start, rules.vessel_max)
        recording = Recording(log, catalog.cards, vessels)
        writer = FeedWriter(recording, replay.id, Sources(replay.boards))
        while not writer.over and writer.next_tick() <= last:
            if frames := writer.step().frames:
                yield frames
    except NoLine as no_line:
        raise Untellable(f"log[{no_line.place}]: {no_line}") from None
    except LogUntold as untold:
        raise Untellable(f"log: {untold}") from None
    except orjson.JSONEncodeError:
        raise Untellable("log: no frame can carry numbers past 53 bits") from None
    except ValueError as error:
        raise Untellable(f"boards: {error}") from None


def stream(begin: Begin, frames: Iterable[Frames], replay: Replay) -> bytes:
    """All that was sent, in order, as one JSON object."""
    told = b",".join(data for tick in frames for data in tick.values())
    return b'{"begin":%b,"frames":[%b],"result":%b}' % (
        encode(begin),
        told,
        encode(replay.result),
    )


def _rules_of(replay: Replay) -> Rules:
    """Those that are still rules here; the standard ones in place of others."""
    known = {name: value for name, value in replay.rules.items() if name in RANGES}
    try:
        return read_rules(known)
    except Refused:
        return Rules()
