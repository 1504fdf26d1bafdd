"""What `serve` is told: where to listen, by which rules, within which limits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from engine import TICKS_PER_SECOND, Catalog, Rules, base_catalog
from server.limits import Limits
from server.mint import Mint
from server.security import Security

DEFAULT_PORT: Final = 8750
ON_THE_BEAT: Final = 1e-6  # a share of a beat: what is ready on one is not a whole beat late
# Some four milliseconds' work, on the average.
BATTLES_A_BEAT: Final = 128


@dataclass(frozen=True)
class Config:
    """The settings of one server. The defaults need nothing and no one.

    `pace` multiplies the speed of every battle beyond what its room asked for, without a client
    seeing it: tests and demonstrations run at 50 and more.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT  # 0: any that is free
    security: Security = field(default_factory=Security)
    pace: float = 1.0
    faults: Path = Path("phylactery-faults")  # the folder for battles that failed
    data: str | None = None  # the journal's file; None: nothing outlives the process
    limits: Limits = field(default_factory=Limits)
    rules: Rules = field(default_factory=Rules)
    catalog: Catalog = field(default_factory=base_catalog)
    mint: Mint = field(default_factory=Mint)

    def tick_seconds(self, speed: int) -> float:
        """How long a tick lasts in a room of this speed."""
        return 1.0 / (TICKS_PER_SECOND * speed * self.pace)

    def next_beat(self, now: float, battles: int = 0) -> float:
        """When a battle that is ready now begins, where so many run already.

        The ticks of all rooms fall on a few common moments, so that one waking of the process, and
        of who reads, serves many: a processor that has slept works at a third of its speed for some
        while. The more battles there are, the more moments, or the last would wait for the first.
        """
        beats = next((n for n in (1, 2, 4) if battles < n * BATTLES_A_BEAT), 8)
        beat = self.tick_seconds(1) / beats
        return math.ceil(now / beat - ON_THE_BEAT) * beat
