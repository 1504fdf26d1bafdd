"""The times of a server's settings."""

from __future__ import annotations

import pytest

from server.config import Config


@pytest.mark.parametrize("pace", [1.0, 3.0])
@pytest.mark.parametrize("speed", [1, 2, 4])
def test_the_ticks_of_rooms_that_begin_in_one_beat_fall_together(speed: int, pace: float) -> None:
    config = Config(pace=pace)
    beat = config.tick_seconds(1)
    first, second = config.next_beat(7 * beat + 0.001), config.next_beat(8 * beat - 0.001)
    assert first == second == pytest.approx(8 * beat)
    tick = config.tick_seconds(speed)
    whole = [(first + n * tick) / config.tick_seconds(4) for n in range(20)]
    assert whole == pytest.approx([round(place) for place in whole])


def test_no_battle_waits_longer_than_a_beat() -> None:
    config = Config()
    assert config.next_beat(0.0) == 0.0
    waits = [config.next_beat(ready) - ready for ready in (n / 700 for n in range(200))]
    assert min(waits) >= -1e-6
    assert max(waits) <= config.tick_seconds(1)


def test_what_is_ready_on_the_beat_begins_on_it() -> None:
    config = Config()
    beats = [config.next_beat(12.34 + n) for n in range(200)]
    assert [config.next_beat(beat) for beat in beats] == pytest.approx(beats)


def test_where_many_battles_run_they_are_spread_over_the_tick() -> None:
    config = Config()
    few = {round(config.next_beat(n / 1000, 10), 6) for n in range(1, 51)}
    many = {round(config.next_beat(n / 1000, 1000), 6) for n in range(1, 51)}
    assert few == {0.05}
    assert many == {round(n * 0.05 / 8, 6) for n in range(1, 9)}
