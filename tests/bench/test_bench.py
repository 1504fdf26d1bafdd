"""The benchmarks run, at sizes too small to say anything."""

from __future__ import annotations

import json
import os
from collections import Counter

import pytest

from tests.bench import rhythm
from tests.bench.__main__ import main
from tests.bench.engine_run import GROWTH, fight, pairs, report
from tests.bench.fanout import tick_frames
from tests.bench.watched_bytes import PARTS, Watched, every_pairing


def test_both_modes_fight_the_same_battles() -> None:
    setups = list(pairs(1))[:6]
    logged, quiet = fight("logged", setups), fight("quiet", setups, quiet=True)
    assert logged["results"] == quiet["results"]
    assert (logged["events"] > 0, quiet["events"]) == (True, 0)
    assert fight("again", setups)["logs"] == logged["logs"] != ""
    assert fight("others", list(pairs(2))[-6:])["logs"] != logged["logs"]


def test_growth_changes_only_what_its_name_says() -> None:
    events = {
        series: [fight(name, [setup])["events"] for name, setup in steps]
        for series, steps in GROWTH.items()
    }
    assert len(set(events["ticks on which nothing happens"])) == 1
    few, *_, many = events["units that stand idle"]
    assert many - few < few / 5  # their deaths at the end
    first, *_, last = events["what happens"]
    assert last > 7 * first


def test_the_engine_is_measured_and_what_is_not_compiled_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PHYLACTERY_COMPILE", "0")
    assert main(["engine", "--rounds", "1"]) == 0
    out = capsys.readouterr().out
    assert "No compiled form: setup.py compiled nothing" in out
    assert "plain" in out
    assert "A battle's cost, by what happens" in out


def test_a_report_is_json() -> None:
    assert json.loads(json.dumps(report(1)))["form"] in ("plain", "compiled")


def test_frames_of_the_fan_out_are_real_ones() -> None:
    frames = tick_frames(300)
    assert len(frames) == 300
    assert all(json.loads(frame)[0] == "tick" for frame in frames)


def test_fan_out_delivers_every_frame_of_every_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fanout", "--sockets", "5", "--ticks", "22", "--no-node", "--turns", "1"]) == 0
    out = capsys.readouterr().out
    for name in ("bare send", "phylactery", "websockets.trio broadcast"):
        (row,) = (line for line in out.splitlines() if line.startswith(f"│ {name} "))
        assert [cell.strip() for cell in row.split("│")][2:4] == ["110", "110"], row


def test_watching_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PHYLACTERY_COMPILE", "0")
    monkeypatch.setattr("tests.bench.watch.bare_send", lambda _: 7.25)  # takes its ten seconds
    small = ["--spectators", "6", "--rooms", "2", "--seconds", "1", "--pace", "40"]
    assert main(["watch", *small]) == 0
    out = capsys.readouterr().out
    assert "its writes alone" in out
    (row,) = (line for line in out.splitlines() if line.startswith("│ all 64 pairings "))
    assert f" {Watched.together(list(every_pairing())).rate():.1f} " in row
    assert out.count(" 7.25 ") == 2


def test_the_writes_alone_are_as_many_as_they_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    written: Counter[int] = Counter()
    write = os.write

    def count(descriptor: int, data: bytes) -> int:
        written[len(data)] += 1
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", count)
    shape = rhythm.Rhythm(rooms=3, sockets=4, writes=250.0, size=77, beat=0.001)
    assert rhythm.writes_alone(shape, 0.02) > 0
    assert written[77] == 3 * 4 * 5


def test_a_spectator_of_all_channels_costs_at_most_500_bytes_a_second() -> None:
    rounds = list(every_pairing())
    together = Watched.together(rounds)
    assert (together.battles, set(together.parts)) == (64, set(PARTS))
    assert together.rate() <= 500
    assert together.writes <= 2.4  # a digest with a write of its own each second would make 2.9
    assert sum(map(together.rate, PARTS)) == pytest.approx(together.rate())
    assert min(one.rate() for one in rounds) < together.rate() < max(one.rate() for one in rounds)
