"""A replay as a stream: what a spectator of all three channels was sent of the battle.

The frames come from the recorded log, whatever rules there are by now. Under the rules it was
fought by, and by the same edition, they are those that were sent, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import orjson

from engine import Catalog
from engine.reading import Faults
from engine.rules import RANGES, rules_from
from protocol.codec import encode
from protocol.frames import FeedWriter, Frames
from protocol.log_lines import NoLog, read_lines
from protocol.messages import SEATS, Begin, Result, Seat
from protocol.recording import NEVER, Recording
from protocol.sources import Sources
from server.edition import engine_version
from server.replay import Replay
from server.telling import changed_rules

LONGEST_TICKS: Final = RANGES["time_limit"][1]


class Untellable(ValueError):  # noqa: N818 - says what the replay is
    """A replay that no battle can have left; the sentence says where and why."""


class WrittenOtherwise(Untellable):
    """A replay that another version has recorded, which this one cannot read."""


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
    """The frames of every tick that has any; of a battle without a log, which nothing was kept of,
    none. Raises `Untellable`, perhaps in the middle.
    """
    try:
        yield from _retell(replay, catalog)
    except Untellable as untellable:
        if replay.engine == engine_version():
            raise
        raise WrittenOtherwise(
            f"Version {replay.engine} has recorded this replay; this is {engine_version()}, which"
            f" cannot read it: {untellable}"
        ) from None


def _retell(replay: Replay, catalog: Catalog) -> Iterator[Frames]:
    result = replay.result
    if not 0 <= result.tick <= LONGEST_TICKS:
        raise Untellable(f"result.tick: a battle ends on tick 0 to {LONGEST_TICKS}")
    sources = _sources_of(replay.boards)
    try:
        recording = Recording(read_lines(replay.log), catalog.cards, _vessels_of(replay.rules))
        writer = FeedWriter(recording, replay.id, sources)
        # What was broken off has no end of its own: it is told as far as it ran.
        while replay.log and not writer.over and writer.next_tick() <= result.tick:
            if frames := writer.step().frames:
                yield frames
    except NoLog as no_log:
        raise Untellable(f"log[{no_log.place}]: {no_log}") from None
    except orjson.JSONEncodeError:
        sentence = f"log: by tick {recording.tick} it has numbers past 53 bits, which no frame has"
        raise Untellable(sentence) from None
    if not _has_run_to(result, recording):
        raise Untellable(f"log: it ends otherwise than the result says, on tick {result.tick}")


def stream(begin: Begin, frames: Iterable[Frames], result: Result) -> bytes:
    """All that was sent, in order, as one JSON object. Raises `Untellable`."""
    told = b",".join(data for tick in frames for data in tick.values())
    try:
        return b'{"begin":%b,"frames":[%b],"result":%b}' % (encode(begin), told, encode(result))
    except (orjson.JSONEncodeError, RecursionError):
        sentence = "no message can carry its boards, rules and result: numbers past 53 bits, or"
        raise Untellable(f"{sentence} nested too deep") from None


def _sources_of(boards: Mapping[Seat, Mapping[str, object]]) -> Sources:
    if boards.keys() != set(SEATS):
        raise Untellable("boards: there are two, a and b")
    try:
        return Sources(boards)
    except ValueError as error:
        raise Untellable(f"boards: {error}") from None


def _vessels_of(rules: Mapping[str, object]) -> int:
    """What a unit with Phylactery was built with (800.49b); the standard number in place of what is
    no number any more."""
    names = ("vessel_start", "vessel_max")
    read = rules_from({name: rules[name] for name in names if name in rules}, "rules", Faults())
    return min(read.vessel_start, read.vessel_max)


def _has_run_to(result: Result, recording: Recording) -> bool:
    """Whether all of the log has been told, and it has an end if the battle had one of its own."""
    if recording.over:
        return result.digest is not None and recording.tick == result.tick
    return result.digest is None and recording.next_tick() == NEVER
