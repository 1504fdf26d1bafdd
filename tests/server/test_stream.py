"""A battle that is over, as a stream: what was sent while it was fought."""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import orjson
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked
from websockets.datastructures import Headers

from engine import UNIT_FIELDS, Catalog, base_catalog
from engine.events import NUMBERS
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
from server.http import answer
from server.journal.store import Store
from server.replay import Replay, decode, replay_of
from server.retelling import Untellable, begin_of, retell, stream
from server.streams import MOST_WAITING, Busy, Streams
from tests.journal.test_replay import changed, whole
from tests.journal.worlds import Party, universe
from tests.server.rooms import RULES
from tests.server.strangers import written
from tests.server.test_http import get
from tests.server.test_live import PACE, Seen, play, running

SUMMON: Final = {
    "tick": 0,
    "batch": 0,
    "kind": "summon",
    "source": "a0",
    "cell": 7,
    "card": "bone-squire",
    **dict.fromkeys(NUMBERS, 9),
}
Change = Callable[[dict[str, Any]], None]


def read(body: bytes | str) -> tuple[Begin, list[Frame], Result]:
    """A stream as a client reads it: each part is a message or a frame."""
    value = orjson.loads(body)
    assert list(value) == ["begin", "frames", "result"]
    parts = [value["begin"], *value["frames"], value["result"]]
    begin, *frames, result = (decode_to_client(orjson.dumps(part)) for part in parts)
    assert isinstance(begin, Begin)
    assert isinstance(result, Result)
    return begin, frames, result  # type: ignore[return-value]


@pytest.fixture
def kept() -> Replay:
    """Fought before a test runs, which may have a loop of its own."""
    return decode(whole())


def told(replay: Replay, catalog: Catalog | None = None) -> bytes:
    return stream(begin_of(replay), retell(replay, catalog or base_catalog()), replay.result)


async def test_the_stream_of_a_battle_is_what_its_players_were_sent() -> None:
    ada, bob, rooms = Seen(list(CHANNELS)), Seen(list(CHANNELS)), list[RoomId]()
    entered = trio.Event()

    def enter(room: RoomId) -> None:
        rooms.append(room)
        entered.set()

    config = Config(port=0, pace=PACE, rules=RULES, data=":memory:")
    async with running(config) as server:
        async with trio.open_nursery() as nursery:
            one = Create(version=1, name="Ada", best_of=1)
            nursery.start_soon(play, server.url, one, None, 0, ada, enter)
            await entered.wait()
            two = Join(version=1, name="Bob")
            nursery.start_soon(play, server.url, two, rooms[0], 1, bob)
        (result,) = ada.results
        status, headers, body = await get(server, f"/replays/{result.battle}/stream")
        assert (status, headers["content-type"]) == (200, "application/json")
        assert read(body) == (ada.begins[0], ada.frames, result)
        for nothing in (f"{result.battle}x/stream", "/stream", f"{result.battle}/stream/stream"):
            assert (await get(server, f"/replays/{nothing}"))[0] == 404


@pytest.mark.parametrize("forfeits", [False, True])
async def test_the_stream_is_what_a_spectator_from_the_beginning_was_sent(
    autojump_clock: MockClock, forfeits: bool
) -> None:
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


def test_after_an_update_who_is_summoned_is_built_by_the_rules_of_the_record() -> None:
    """800.49b; a rule that is none any more is the standard one, and spoils no other."""

    def vessels(**rules: object) -> int:
        def summon(value: dict[str, Any]) -> None:
            value["rules"] |= rules
            cells = {one["cell"] for one in value["log"][0]["units"] if one["id"][0] == "a"}
            place = {"unit": f"a{len(cells)}", "cell": min(set(range(8)) - cells)}
            value["log"].insert(1, {**SUMMON, **place})

        frames = read(told(changed(summon)))[1]
        (first, *_) = (frame for frame in frames if isinstance(frame, TickFrame))
        (new,) = (change for change in first.units.values() if isinstance(change, list))
        number = new[UNIT_FIELDS.index("vessels")]
        assert isinstance(number, int)
        return number

    assert vessels() == 1
    assert vessels(vessel_start=5, vessel_max=3) == 3
    assert vessels(vessel_start=2, vessel_max=3, time_limit="long", vessel_cost=-1) == 2
    assert vessels(vessel_start=-2, vessel_max=0) == 0
    assert vessels(vessel_start=10**6, vessel_max=7) == 1


def test_of_a_battle_without_a_log_no_frames_are_told() -> None:
    """It was void, or given up before its first tick."""

    def stop(value: dict[str, Any]) -> None:
        value["log"] = []
        value["result"] |= {"reason": "void", "winner": None, "digest": None, "tick": 7}

    begin, frames, result = read(told(changed(stop)))
    assert (begin.battle, frames, result.reason) == ("theroom2.1", [], "void")


def _ends(**fields: object) -> Change:
    return lambda value: value["result"].update(fields)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda v: v["log"].pop(0), "log[0]: a log begins with `battle_start`"),
        (lambda v: v["log"].insert(3, v["log"][-1]), "log[4]: tick 0 comes after tick 1200"),
        (lambda v: v["log"].append(v["log"][-1]), "log[801]: nothing comes after `battle_end`"),
        (lambda v: v["log"].pop(), "log: it ends otherwise than the result says, on tick 1200"),
        (lambda v: v["log"].clear(), "log: it ends otherwise than the result says"),
        (_ends(tick=1199), "log: it ends otherwise than the result says, on tick 1199"),
        (_ends(tick=1201), "log: it ends otherwise than the result says, on tick 1201"),
        (_ends(digest=None), "log: it ends otherwise than the result says"),
        (_ends(digest=None, tick=600), "log: it ends otherwise than the result says"),
        (_ends(tick=-1), "result.tick: a battle ends on tick 0 to 1000000"),
        (_ends(tick=1_000_001), "result.tick: "),
        (lambda v: v["log"][5].pop("tick"), "log[5]: "),
        (lambda v: v["log"].__setitem__(9, {"kind": "magic"}), "log[9]: "),
        (lambda v: v["log"].__setitem__(9, "magic"), "log[9]: "),
        (lambda v: _speed_up(v), "log: by tick 3 it has numbers past 53 bits"),
        (lambda v: v["boards"].__setitem__("a", {"units": 3}), "boards: "),
        (lambda v: v["boards"].pop("b"), "boards: there are two, a and b"),
        (lambda v: v["boards"]["a"].update(more=2**53), "no message can carry its boards"),
        (lambda v: v["rules"].update(more=2**64), "no message can carry its boards"),
        (lambda v: v["rules"].update(more=_nested(400)), "no message can carry its boards"),
    ],
)
def test_what_no_battle_has_left_is_not_told(change: Change, why: str) -> None:
    with pytest.raises(Untellable) as raised:
        told(changed(change))
    assert str(raised.value).startswith(why)


def _speed_up(value: dict[str, Any]) -> None:
    """A unit gains as much Charge as no frame holds, on a tick whose end is told."""
    most = 2**53 - 1
    start = value["log"][0]
    start["units"][0]["speed"] = most
    slower = {"source": None, "stat": "speed", "amount": -1, "value": most - 1, "until": None}
    stat = {"tick": 3, "batch": 1, "kind": "stat", "unit": start["units"][0]["id"], **slower}
    value["log"] = [start, stat]
    value["result"] |= {"digest": None, "tick": 9}


def _nested(times: int) -> object:
    value: object = []
    for _ in range(times):
        value = [value]
    return value


async def test_battles_that_run_go_on_while_a_replay_is_told(
    autojump_clock: MockClock, kept: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = len(list(retell(kept, base_catalog())))
    monkeypatch.setattr("server.http.replay_of", lambda _: kept)
    turns = 0
    async with universe() as it, trio.open_nursery() as nursery:
        hall = (await it.server()).hall
        monkeypatch.setattr(hall.journal, "fought", fetched)

        async def run() -> None:
            nonlocal turns
            while True:
                await trio.lowlevel.checkpoint()
                turns += 1

        nursery.start_soon(run)
        response = await answer(hall, f"/replays/{kept.id}/stream", Headers())
        nursery.cancel_scope.cancel()
    assert response.status_code == 200
    assert turns > ticks // 8


async def test_a_stream_is_made_once_for_all_who_ask_and_for_no_more_than_can_wait(
    autojump_clock: MockClock, kept: Replay
) -> None:
    fetched, answers, refused = list[BattleId](), list[bytes | None](), 0

    async def fetch(battle: BattleId) -> Replay | None:
        fetched.append(battle)
        await trio.sleep(1)
        return kept if battle == kept.id else None

    async def ask(battle: str) -> None:
        nonlocal refused
        try:
            answers.append(await streams.of(BattleId(battle), fetch))
        except Busy:
            refused += 1

    streams = Streams(base_catalog())
    async with trio.open_nursery() as nursery:
        for _ in range(MOST_WAITING + 3):
            nursery.start_soon(ask, kept.id)
    assert (fetched, refused) == ([kept.id], 2)  # one is made, and so many wait
    assert answers == [told(kept)] * (MOST_WAITING + 1)
    async with trio.open_nursery() as nursery:
        for number in range(MOST_WAITING + 1):
            nursery.start_soon(ask, f"other.{number}")
        await wait_all_tasks_blocked()
        await ask(kept.id)  # it is there: nobody waits for it
        assert answers[-1] == told(kept)
        assert answers.count(None) == 0
    assert answers.count(None) == MOST_WAITING + 1


async def test_of_the_streams_those_that_were_asked_for_last_are_kept(
    autojump_clock: MockClock, kept: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.streams.BYTES_KEPT", 2 * len(told(kept)) + 1)
    fetched: list[str] = []

    async def fetch(battle: BattleId) -> Replay | None:
        fetched.append(battle)
        return kept

    streams = Streams(base_catalog())
    for battle in ("a", "b", "a", "c", "a", "b"):
        await streams.of(BattleId(battle), fetch)
    assert fetched == ["a", "b", "c", "b"]


async def test_where_too_many_replays_are_asked_for_they_are_to_be_asked_for_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def busy(*_: object) -> None:
        raise Busy

    monkeypatch.setattr(Streams, "of", busy)
    async with running(Config(port=0)) as server:
        status, headers, body = await get(server, "/replays/x/stream")
    assert (status, headers["retry-after"]) == (503, "1")
    assert body == "Too many replays are asked for at once.\n"


async def test_a_log_of_another_version_that_cannot_be_read_here_is_nobodys_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write_otherwise(value: dict[str, Any]) -> None:
        value["engine"] = "99.0"
        value["log"][7]["more"] = True

    other = changed(write_otherwise)
    with written() as logged:
        async with running(Config(port=0, data=":memory:")) as server:
            monkeypatch.setattr(Store, "fought", lambda *_: "kept")
            monkeypatch.setattr("server.http.replay_of", lambda _: other)
            status, _, body = await get(server, f"/replays/{other.id}/stream")
    assert status == 410
    assert body.startswith("Version 99.0 has recorded this replay; this is ")
    assert "log[7]: " in body
    assert '"level":"error"' not in logged.getvalue()


async def fetched(_: BattleId) -> str:
    return "a battle"


async def test_a_replay_that_was_not_kept_as_it_was_is_an_error_of_the_server(
    kept: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = changed(lambda value: value["log"].pop(0))
    with written() as logged:
        async with running(Config(port=0, data=":memory:")) as server:
            monkeypatch.setattr(Store, "fought", lambda *_: "kept")
            monkeypatch.setattr("server.http.replay_of", lambda _: broken)
            status, _, body = await get(server, f"/replays/{kept.id}/stream")
            assert (status, body) == (500, "This replay was not kept as it was.\n")
            assert (await get(server, f"/replays/{kept.id}"))[0] == 200
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    (said,) = (line for line in lines if line["level"] == "error")
    assert (said["event"], said["battle"]) == ("a replay cannot be told", kept.id)
