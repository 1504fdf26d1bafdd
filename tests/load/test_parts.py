"""The parts of the load test that decide: shares, lags, figures, the door, frames."""

from __future__ import annotations

import io
from collections import Counter

import msgspec
import pytest
from rich.console import Console
from websockets.frames import Frame, Opcode

from server.load.door import MOST_AT_ONCE, Door
from server.load.outcome import Outcome
from server.load.scrape import DOWN, STARTED, Figures, Scrape, between, read
from server.load.share import Share, Wishes, share_out
from server.load.tally import Lags, Tally, quantile
from server.load.wire import PING, TEXT, FrameReader, NotOurs
from server.metrics import Exporter, Level, Metrics

WISHES = Wishes(url="ws://localhost", rooms=3, spectators=5, bystanders=1)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_everyone_is_shared_out_once_and_evenly(workers: int) -> None:
    shares = share_out(WISHES, workers)
    assert sorted(slot for share in shares for slot in share.slots) == [0, 1, 2, 3]
    for slot in range(4):
        there = sum(share.spectators.get(slot, 0) for share in shares)
        assert there == (0 if shares[0].is_aside(slot) else 5)
    sizes = [sum(share.spectators.values()) for share in shares]
    assert max(sizes) - min(sizes) <= 3
    again = msgspec.json.decode(msgspec.json.encode(shares[0]), type=Share)
    assert again == shares[0]


def test_lag_is_what_comes_later_than_the_soonest_of_the_battle() -> None:
    lags, other = Lags(), Lags()
    lags.of("a").update([1000, 1003, 1003])
    other.of("a").update([998])
    other.of("b").update([7, 8])
    lags.add(other)
    assert lags.distribution() == Counter({0: 2, 1: 1, 2: 1, 5: 2})


def test_quantiles() -> None:
    distribution = Counter({0: 98, 40: 1, 90: 1})
    assert [quantile(distribution, q) for q in (0.5, 0.98, 0.99, 1.0)] == [0, 0, 40, 90]
    assert quantile(Counter(), 0.5) is None


def outcome(fault: str = "") -> Outcome:
    tally = Tally(joined=2)
    if fault:
        setattr(tally, fault, 1)
    return Outcome(WISHES, 1, 2, 1.0, tally, Counter(), Counter(), Figures(), 0.1)


def test_an_errors_name_steers_no_terminal() -> None:
    some, said = outcome(), io.StringIO()
    some.tally.error("[/x]\x1b[2J")
    Console(file=said, width=100).print(some.table())
    assert "1 [/x]\\x1b[2J" in said.getvalue()


@pytest.mark.parametrize("fault", ["gaps", "doubles", "digest_failures"])
def test_any_fault_fails_the_test(fault: str) -> None:
    assert outcome().passed
    failed = outcome(fault)
    assert not failed.passed
    assert failed.to_object()["passed"] is False


def test_a_test_that_nobody_could_get_into_is_not_passed() -> None:
    some = outcome()
    some.expected = 3
    assert not some.passed


def test_the_servers_figures_are_what_changed_between_two_looks() -> None:
    metrics = Metrics()
    exporter = Exporter(metrics, Level("rooms", "Rooms.", lambda: 3))
    before = read(exporter.text().decode())
    for late in [0.0015] * 98 + [0.3] * 2:
        metrics.lateness.add(late)
    metrics.engine_seconds += 2.5
    metrics.catch_ups += 4
    figures = between(before, before, read(exporter.text().decode()))
    assert (figures.lateness_p50, figures.lateness_p99) == (0.002, 0.5)
    assert figures.late_share == pytest.approx(0.02)
    assert (figures.engine_seconds, figures.catch_ups) == (2.5, 4)
    assert before.values["phylactery_rooms"] == 3


def test_of_a_server_that_was_restarted_in_between_nothing_is_known() -> None:
    exporter = Exporter(Metrics())
    empty = read(exporter.text().decode())
    restarted = Scrape(empty.values | {STARTED: empty.values[STARTED] + 1}, empty.buckets)
    for before, after in ((empty, restarted), (restarted, restarted), (DOWN, empty)):
        assert between(empty, before, after) == Figures(trouble="restarted")
    some = outcome()
    some.server = Figures(trouble="restarted")
    rows = dict(some._rows())
    for name in ("tick lateness", "server CPU", "server memory"):
        assert rows[name] == "not known: the server was restarted"
    assert some.passed  # its clients have missed nothing


@pytest.mark.parametrize("before", [read(""), None, DOWN])
def test_of_a_server_that_is_down_at_the_end_nothing_is_known(before: Scrape | None) -> None:
    some = outcome()
    some.server = between(read(""), before, DOWN)
    assert some.server == Figures(trouble="down")
    assert dict(some._rows())["server CPU"] == "not known: no server answered at the end"
    assert not some.passed


def test_the_door_lets_in_a_few_at_a_time() -> None:
    door, inside = Door(), list[int]()
    for number in range(MOST_AT_ONCE + 2):
        door.enter(lambda number=number: inside.append(number))  # type: ignore[misc]
    assert len(inside) == MOST_AT_ONCE
    door.done()
    assert inside == list(range(MOST_AT_ONCE + 1))


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536])
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_frames_are_read_however_they_are_cut(size: int, step: int) -> None:
    if size * 3 // step > 30_000:
        pytest.skip("the same as with less")
    payload = b"x" * size
    frames = [Frame(Opcode.TEXT, payload), Frame(Opcode.PING, b""), Frame(Opcode.TEXT, b"end")]
    data = b"".join(frame.serialize(mask=False) for frame in frames)
    reader = FrameReader()
    read = [one for at in range(0, len(data), step) for one in reader.feed(data[at : at + step])]
    assert read == [(TEXT, payload), (PING, b""), (TEXT, b"end")]


def test_a_masked_frame_is_not_a_servers() -> None:
    with pytest.raises(NotOurs):
        list(FrameReader().feed(Frame(Opcode.TEXT, b"x").serialize(mask=True)))
