"""`phylactery replay`: a battle that is over, shown once more as it was fought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import trio

from engine import TICKS_PER_SECOND, Catalog, Fault, Refused, base_catalog
from protocol.codec import decode_to_client
from protocol.frames import DIGEST_TICKS, Frames
from protocol.messages import BattleId, Begin, Frame, Result, RevivalFrame, TickFrame, VesselFrame
from protocol.mirror import Mirror
from server.cli.board import named_samples
from server.cli.options import DEFAULT_SERVER
from server.cli.output import complain, print_faults
from server.cli.run import run
from server.cli.verify import OTHER_RULES, Verdict, placed, read_replay, verdict_on
from server.replay import Replay
from server.retelling import Untellable, WrittenOtherwise, begin_of, retell
from server.view.commentary import Commentary
from server.view.screen import Screen, open_screen
from server.view.show import Show

# For whoever watches to see how it ended.
LAST_PICTURE_SECONDS: Final = 4.0

Said = Begin | Frame | Result


class Moment(NamedTuple):
    """What was sent at a tick."""

    tick: int
    said: Sequence[Said]


@dataclass(frozen=True)
class Film:
    """A replay, made ready to be shown."""

    battle: BattleId
    title: str
    moments: Sequence[Moment]
    verdict: Verdict
    ticks_per_second: float
    from_tick: int

    def delay(self, tick: int) -> float:
        """Seconds from the beginning of the show to a tick that it shows."""
        return (tick - self.from_tick) / self.ticks_per_second


def replay(place: str, *, speed: float, from_seconds: float, server: str = DEFAULT_SERVER) -> int:
    """Plays the replay at a path or URL, or of a battle of the server's; gives the exit status that
    `verify` gives."""
    try:
        place = placed(place, server)
        film = film_of(read_replay(place), base_catalog(), speed, from_seconds)
    except Refused as refused:
        return print_faults(place, refused.faults)
    except WrittenOtherwise as other:
        complain(f"{place}: {other}")
        return OTHER_RULES
    except Untellable as untellable:
        return print_faults(place, [Fault("", str(untellable))])
    return run(partial(_replay, film))


def film_of(replay: Replay, catalog: Catalog, speed: float, from_seconds: float) -> Film:
    """The replay at so many times its speed, from there. Raises `Untellable`."""
    times = speed * replay.speed
    return Film(
        battle=replay.id,
        title=f"replay {replay.id}  round {replay.round}  {times:g}x",
        moments=list(_moments(replay, catalog)),
        verdict=verdict_on(replay),
        ticks_per_second=TICKS_PER_SECOND * times,
        from_tick=round(TICKS_PER_SECOND * from_seconds),
    )


def _moments(replay: Replay, catalog: Catalog) -> Iterator[Moment]:
    yield Moment(0, [begin_of(replay)])
    tick = 0
    for frames in retell(replay, catalog):
        said = _read(frames)
        tick = said[0].tick
        yield Moment(tick, said)
    # Every second has its frame; of a void battle none is kept, and nobody waits for its end.
    yield Moment(max(tick, min(replay.result.tick, tick + DIGEST_TICKS)), [replay.result])


def _read(frames: Frames) -> list[Frame]:
    messages = map(decode_to_client, frames.values())
    return [one for one in messages if isinstance(one, TickFrame | RevivalFrame | VesselFrame)]


async def _replay(film: Film) -> int:
    async with open_screen() as screen:
        await replay_on(screen, film)
    return film.verdict.status


async def replay_on(screen: Screen, film: Film) -> None:
    """Shows all of it: each moment in its time where somebody looks on, else at once."""
    projector = Projector(screen, film)
    start = trio.current_time()
    for moment in film.moments:
        if moment.tick >= film.from_tick:
            delay = film.delay(moment.tick) if screen.live else 0.0
            await trio.sleep_until(start + delay)
        projector.show(moment)
    if screen.live:
        await trio.sleep(LAST_PICTURE_SECONDS)


class Projector:
    """Puts moments on a screen, in their order."""

    def __init__(self, screen: Screen, film: Film) -> None:
        self._mirror = Mirror()
        show = Show(lambda: self._mirror, named_samples(), film.title)
        show.pass_over(film.battle, film.from_tick)
        self._commentary = Commentary(show, screen, judge=lambda *_: film.verdict.line)
        self._commentary.status = "Ctrl-C ends it"

    def show(self, moment: Moment) -> None:
        """Also what was before the first that is to be seen."""
        for said in moment.said:
            match said:
                case Begin():
                    self._mirror.begin(said.battle)
                case TickFrame() | RevivalFrame() | VesselFrame():
                    self._mirror.apply(said)
            self._commentary.hear(said)
