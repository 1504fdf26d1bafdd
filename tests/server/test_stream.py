"""A battle that is over, as a stream: what was sent while it was fought."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest
import trio

from engine import Catalog, base_catalog
from protocol.codec import decode_to_client
from protocol.messages import (
    CHANNELS,
    BattleId,
    Begin,
    Create,
    Frame,
    Join,
    Result,
    RoomId,
    TickFrame,
)
from server.config import Config
from server.journal.store import Store
from server.replay import Replay, decode, replay_of
from server.retelling import Untellable, begin_of, retell, stream
from tests.journal.test_replay import changed, whole
from tests.journal.worlds import Party, universe
from tests.server.rooms import RULES
from tests.server.strangers import written
from tests.server.test_http import get
from tests.server.test_live import PACE, Seen, Ticks, play, running

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module", autouse=True)
def fought() -> None:
    """The battle is fought in a run of its own, which none inside of a run can be."""
    whole()


def read(body: bytes | str) -> tuple[Begin, list[Frame], Result]:
    """A stream as a client reads it: each part is a message or a frame."""
    value = orjson.loads(body)
    assert list(value) == ["begin", "frames", "result"]
    parts = [value["begin"], *value["frames"], value["result"]]
    begin, *frames, result = (decode_to_client(orjson.dumps(part)) for part in parts)
    assert isinstance(begin, Begin)
    assert isinstance(result, Result)
    return begin, frames, result  # type: ignore[return-value]


def told(replay: Replay, catalog: Catalog | None = None) -> bytes:
    return stream(begin_of(replay), retell(replay, catalog or base_catalog()), replay)


async def test_the_stream_of_a_battle_is_what_its_players_were_sent() -> None:
    ada, bob, ticks, rooms = Seen(list(CHANNELS)), Seen(list(CHANNELS)), Ticks(), list[RoomId]()
    entered = trio.Event()

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    config = Config(port=0, pace=PACE, rules=RULES, data=":memory:")
    async with running(config) as server:
        async with trio.open_nursery() as nursery:
            one = Create(version=1, name="Ada", best_of=1)
            nursery.start_soon(play, server.url, one, None, 0, ada, ticks, enter)
            await entered.wait()
            two = Join(version=1, name="Bob")
            nursery.start_soon(play, server.url, two, rooms[0], 1, bob, ticks)
        (result,) = ada.results
        status, headers, body = await get(server, f"/replays/{result.battle}/stream")
        assert (status, headers["content-type"]) == (200, "application/json")
        assert read(body) == (ada.begins[0], ada.frames, result)
        for nothing in (f"{result.battle}x/stream", "/stream", f"{result.battle}/stream/stream"):
            assert (await get(server, f"/replays/{nothing}"))[0] == 404


@pytest.mark.usefixtures("autojump_clock")
@pytest.mark.parametrize("forfeits", [False, True])
async def test_the_stream_is_what_a_spectator_from_the_beginning_was_sent(forfeits: bool) -> None:
    """Of a battle that was given up, as far as it ran."""
    async with universe() as it:
        party = Party(it)
        party.bob.gives_up_at = 100 if forfeits else None
        await party.live()
        fought = (await it.server()).store.fought(BattleId("theroom2.1"))
    assert fought is not None
    begin, frames, result = read(told(replay_of(fought)))
    assert (result.reason == "forfeit") == forfeits
    assert [begin, *frames, result] == party.eve.seen


def test_after_an_update_a_replay_plays_from_what_was_recorded() -> None:
    """Other cards, rules that are rules no more and such as were none: the same frames."""
    replay = decode(whole())
    bare = Catalog({}, {}, {}, base_catalog().prices)

    def age(value: dict[str, Any]) -> None:
        value["rules"] |= {"old_rule": 7}
        del value["rules"]["chain_depth"]

    old = changed(age)
    begin, frames, result = read(told(old, bare))
    assert (frames, result) == read(told(replay))[1:]
    assert begin.rules["old_rule"] == 7
    ticks = [frame.tick for frame in frames if isinstance(frame, TickFrame)]
    assert (ticks[0], ticks[-1]) == (0, result.tick)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda v: v["log"].pop(0), "log: it does not begin with the one start of a battle"),
        (lambda v: v["log"].clear(), "log: it does not begin with the one start of a battle"),
        (lambda v: v["log"].insert(3, v["log"][-1]), "log: it goes back in time"),
        (lambda v: v["log"].append(v["log"][-1]), "log: it goes on after the battle's end"),
        (lambda v: v["log"][5].pop("tick"), "log[5]: "),
        (lambda v: v["log"].__setitem__(9, {"kind": "magic"}), "log[9]: "),
        (lambda v: v["log"].__setitem__(9, "magic"), "log[9]: "),
        (lambda v: v["boards"].__setitem__("a", {"units": 3}), "boards: "),
        (lambda v: v["boards"].pop("b"), "boards: "),
    ],
)
def test_what_no_battle_has_left_is_not_told(change: Change, why: str) -> None:
    with pytest.raises(Untellable) as raised:
        told(changed(change))
    assert str(raised.value).startswith(why)


def test_of_a_battle_that_failed_there_are_no_frames() -> None:
    def fail(value: dict[str, Any]) -> None:
        value["log"].clear()
        value["result"] |= {"reason": "void", "winner": None, "digest": None, "tick": 100}

    failed = changed(fail)
    assert read(told(failed)) == (begin_of(failed), [], failed.result)


async def test_a_replay_that_was_not_kept_as_it_was_is_an_error_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with written() as logged:
        async with running(Config(port=0, data=":memory:")) as server:
            kept = decode(whole())
            monkeypatch.setattr(Store, "fought", lambda *_: "kept")
            monkeypatch.setattr(
                "server.http.replay_of", lambda _: changed(lambda v: v["log"].pop(0))
            )
            status, _, body = await get(server, f"/replays/{kept.id}/stream")
            assert (status, body) == (500, "This replay was not kept as it was.\n")
            assert (await get(server, f"/replays/{kept.id}"))[0] == 200
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    (said,) = (line for line in lines if line["level"] == "error")
    assert (said["event"], said["battle"]) == ("a replay cannot be told", kept.id)
