"""When Python looks for cycles: not in the middle of a tick because much is there.

Python's own rule goes over the young objects again and again, and over all once a quarter more
have been made. With a thousand battles that takes a tenth of a second every few seconds, and most
of a second while ten thousand come in, to find nothing: what is made is in use, and neither a
battle that is over nor a connection that has ended leaves cycles, but for those that end before
they have begun. So it is done when very many have ended.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

EVERY_SECONDS: Final = 5.0
# Connections that must have ended, at least, and more than those that stand.
LEAST: Final = 5_000
# Objects that have been made and not let go of: it is done for them too, whatever they are.
MANY: Final = 2_000_000


def take_over() -> None:
    """Leaves all of this to `Garbage`, in this whole process."""
    gc.collect()
    gc.freeze()  # what there is now stays: modules, the catalog
    gc.disable()


class Garbage:
    """Counts what has ended, and collects it when there is enough. The metronome calls it."""

    def __init__(self, standing: Callable[[], int], ended: Callable[[], int]) -> None:
        self._standing = standing
        self._ended = ended
        self._collected = 0  # of those that have ended

    def work(self, now: float) -> float:
        ended = self._ended()
        many_ended = ended - self._collected > max(LEAST, self._standing())
        # Python goes on counting what is made and let go of.
        if many_ended or gc.get_count()[0] > MANY:
            gc.collect()
            self._collected = ended
        return now + EVERY_SECONDS
