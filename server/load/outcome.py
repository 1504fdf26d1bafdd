"""What a load test found: as figures, as a table, as an exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from server.cli.output import visible
from server.load.scrape import Figures
from server.load.share import Wishes
from server.load.tally import Tally, quantile


@dataclass
class Outcome:
    """Frames and bytes are those of the seconds that were measured; faults are all there were."""

    wishes: Wishes
    workers: int
    expected: int  # clients
    measured: float  # seconds
    tally: Tally
    lag: Counter[int]  # by milliseconds
    aside: Counter[int]  # of the bystanders
    server: Figures
    clients_cpu: float  # seconds

    @property
    def passed(self) -> bool:
        """No gap, no double, no digest failure; somebody was there to notice, and the server to
        the end."""
        everyone_came = self.tally.joined >= self.expected
        return self.tally.faults == 0 and everyone_came and self.server.trouble != "down"

    def to_object(self) -> dict[str, object]:
        """For machines. Seconds and bytes; lags in milliseconds; null: not known."""
        return {
            "passed": self.passed,
            "rooms": self.wishes.rooms,
            "spectators": self.wishes.spectators,
            "bystanders": self.wishes.bystanders,
            "processes": self.workers,
            "seconds": round(self.measured, 3),
            "clients": self.expected,
            **self.tally.to_object(),
            "delivery_lag_ms": _quantiles(self.lag),
            "bystanders_lag_ms": _quantiles(self.aside),
            "server": {
                **self.server._asdict(),
                "cpu_micros_per_frame": self._per_frame(self.server.cpu_seconds),
            },
            "clients_cpu_seconds": round(self.clients_cpu, 3),
            "clients_cpu_micros_per_frame": self._per_frame(self.clients_cpu),
        }

    def _per_frame(self, seconds: float | None) -> float | None:
        if seconds is None or not self.tally.frames:
            return None
        return round(1e6 * seconds / self.tally.frames, 2)

    def table(self) -> Table:
        table = Table(show_header=False, title="Load test", title_justify="left")
        for name, value in self._rows():
            table.add_row(name, Text(visible(value)))  # an error's name may be a server's word
        return table

    def _rows(self) -> Iterator[tuple[str, str]]:
        tally, server = self.tally, self.server
        yield "clients", f"{self.expected:,} in {self.workers} processes"
        yield (
            "connections",
            f"{tally.open:,} at the end; {tally.dropped:,} dropped, {tally.resumed:,} resumed,"
            f" {tally.stalled:,} closed for taking nothing",
        )
        yield "battles", f"{tally.battles:,} fought to their end"
        seconds = self.measured or 1.0
        yield "frames", f"{tally.frames:,}, {tally.frames / seconds:,.0f}/s"
        yield "bytes", f"{tally.bytes:,}, {tally.bytes / seconds / max(tally.open, 1):,.0f}/s each"
        yield "frames skipped", f"{tally.skipped:,}"
        yield "delivery lag", _lag(self.lag)
        if self.wishes.bystanders:
            yield "the same, of the bystanders", _lag(self.aside)
        yield "tick lateness", _lateness(server)
        yield "server CPU", self._cpu(server.cpu_seconds)
        yield "server memory", _memory(server, self.expected)
        yield "clients' CPU", self._cpu(self.clients_cpu)
        yield "digests", f"{tally.digests:,} checked"
        yield "gaps, doubles", f"{tally.gaps:,}, {tally.doubles:,}"
        yield "digest failures", f"{tally.digest_failures:,}"
        yield "errors", ", ".join(f"{n} {what}" for what, n in tally.errors.items()) or "0"

    def _cpu(self, seconds: float | None) -> str:
        per_frame = self._per_frame(seconds)
        if seconds is None:
            return _not_known(self.server)
        share = f"{100 * seconds / (self.measured or 1.0):.0f} % of a core"
        return share if per_frame is None else f"{share}, {per_frame:.1f} µs a frame"


def _quantiles(lag: Counter[int]) -> dict[str, int | None]:
    return {"p50": quantile(lag, 0.5), "p99": quantile(lag, 0.99), "max": quantile(lag, 1.0)}


def _lag(lag: Counter[int]) -> str:
    if not lag:
        return "no frames"
    return ", ".join(f"{name} {value} ms" for name, value in _quantiles(lag).items())


def _not_known(server: Figures) -> str:
    match server.trouble:
        case "restarted":
            return "not known: the server was restarted"
        case "down":
            return "not known: no server answered at the end"
    return "not known"


def _lateness(server: Figures) -> str:
    if server.lateness_p50 is None or server.lateness_p99 is None or server.late_share is None:
        return _not_known(server)
    return (
        f"p50 within {1000 * server.lateness_p50:g} ms, "
        f"p99 within {1000 * server.lateness_p99:g} ms; "
        f"{100 * server.late_share:.2g} % over a tick"
    )


def _memory(server: Figures, clients: int) -> str:
    if server.memory is None or server.memory_before is None or server.memory_empty is None:
        return _not_known(server)
    coming = (server.memory_before - server.memory_empty) / max(clients, 1)
    grown = server.memory - server.memory_before
    return (
        f"{server.memory / 2**20:.1f} MiB, {grown / 2**20:+.1f} while measured;"
        f" {coming / 2**10:.1f} KiB for each client that came"
    )
