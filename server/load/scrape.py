"""What the server says of itself at `/metrics`, and what became of it between two looks."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families

from engine import TICKS_PER_SECOND
from server.cli.fetching import fetch

PATIENCE_SECONDS: Final = 10.0
# A server of ours says some 10 KB.
MOST_BYTES: Final = 2**20
MEMORY: Final = "process_resident_memory_bytes"
STARTED: Final = "process_start_time_seconds"
LATENESS: Final = "phylactery_tick_lateness_seconds"


class Scrape(NamedTuple):
    """The values of one moment, by name; of histograms, the count up to each bound."""

    values: dict[str, float]
    buckets: dict[str, dict[float, float]]


DOWN: Final = Scrape({}, {})  # what no server says


def read(text: str) -> Scrape:
    """Values of the same name are added up over their labels."""
    values: dict[str, float] = {}
    buckets: dict[str, dict[float, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name.endswith("_bucket"):
                bounds = buckets.setdefault(family.name, {})
                bounds[float(sample.labels["le"])] = sample.value
            else:
                values[sample.name] = values.get(sample.name, 0.0) + sample.value
    return Scrape(values, buckets)


def scrape(url: str) -> Scrape | None:
    """Looks at the metrics of the server at this `ws:` URL; None where it has none. Waits. Raises
    `OSError` or `HTTPException` where no server answers."""
    address = f"http://{urlsplit(url).netloc}/metrics"
    try:
        said = fetch(address, most_bytes=MOST_BYTES, seconds=PATIENCE_SECONDS)
        return read(said.decode())
    except (HTTPError, ValueError):  # it has no such page; or one of another kind
        return None


class Figures(NamedTuple):
    """What the server did between two looks; seconds and bytes. None: it does not say, or there is
    trouble, and its figures would be of two servers or of none."""

    trouble: Literal["restarted", "down"] | None = None
    cpu_seconds: float | None = None
    memory_empty: float | None = None  # before anyone came
    memory_before: float | None = None
    memory: float | None = None
    lateness_p50: float | None = None
    lateness_p99: float | None = None
    late_share: float | None = None  # of ticks that were more than a tick late
    engine_seconds: float | None = None
    catch_ups: float | None = None


TICK_SECONDS: Final = 1 / TICKS_PER_SECOND


def between(empty: Scrape | None, before: Scrape | None, after: Scrape | None) -> Figures:
    """`DOWN` stands for a look that no server answered."""
    if after is DOWN:
        return Figures(trouble="down")
    if empty is None or before is None or after is None:
        return Figures()
    if before is DOWN or len({look.values.get(STARTED) for look in (empty, before, after)}) > 1:
        return Figures(trouble="restarted")

    def grown(name: str) -> float | None:
        return after.values[name] - before.values.get(name, 0.0) if name in after.values else None

    counts = {
        bound: count - before.buckets.get(LATENESS, {}).get(bound, 0.0)
        for bound, count in after.buckets.get(LATENESS, {}).items()
    }
    total = counts.get(math.inf, 0.0)
    return Figures(
        cpu_seconds=grown("process_cpu_seconds_total"),
        memory_empty=empty.values.get(MEMORY),
        memory_before=before.values.get(MEMORY),
        memory=after.values.get(MEMORY),
        lateness_p50=bound_of(counts, 0.5),
        lateness_p99=bound_of(counts, 0.99),
        late_share=1 - counts.get(TICK_SECONDS, 0.0) / total if total else None,
        engine_seconds=grown("phylactery_engine_seconds_total"),
        catch_ups=grown("phylactery_catch_ups_total"),
    )


def bound_of(counts: dict[float, float], share: float) -> float | None:
    """The least bound that this share stays within; None of nothing. Never better than it was."""
    total = counts.get(math.inf, 0.0)
    return next((b for b in sorted(counts) if counts[b] >= share * total), None) if total else None
