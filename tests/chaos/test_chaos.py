"""A short run of the chaos; `python -m tests.chaos` does it for as long as it is told."""

from __future__ import annotations

import logging
import random

import pytest

from tests.chaos.run import run


def test_nothing_is_lost_whatever_happens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "websockets")
    seed = random.randrange(1 << 32)
    print("seed", seed)
    print(run(5, seed, print))
