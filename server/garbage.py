"""When Python looks for cycles: not in the middle of a battle because many have come.

Python's own rule goes over all objects once a quarter more of them have been made. With ten
thousand who watch that takes most of a second, and it happens while they come in, to find nothing:
what is made is in use. Here it is done when enough has been let go of.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

# Young objects between two looks at them: some milliseconds' work. Old ones are left to `Garbage`.
THRESHOLDS: Final = (10_000, 5, 1_000_000)

EVERY_SECONDS: Final = 5.0
# Connections that must have ended, at least, and as a share of those that stand.
LEAST: Final = 500
SHARE: Final = 4


def take_over() -> None:
    """Leaves looking at old objects to `Garbage`, in this whole process."""
    gc.collect()
    gc.freeze()  # what there is now stays: modules, the catalog
    gc.set_threshold(*THRESHOLDS)


class Garbage:
    """Counts what has ended, and collects it when there is enough. The metronome calls it."""

    def __init__(self, standing: Callable[[], int], ended: Callable[[], int]) -> None:
        self._standing = standing
        self._ended = ended
        self._collected = 0  # of those that have ended

    def work(self, now: float) -> float:
        ended = self._ended()
        if ended - self._collected > max(LEAST, self._standing() // SHARE):
            gc.collect()
            self._collected = ended
        return now + EVERY_SECONDS
