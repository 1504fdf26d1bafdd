"""Battles a second of the engine, plain and compiled, logged and quiet.

Over all pairs of the six-unit sample boards, on one core. Checksums stand beside the figures: where
they are the same, the same battles were fought. Then, how the cost of a battle grows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

from tests.bench.compiled import ROOT, NotBuilt, build, paths
from tests.bench.engine_run import Report, Run
from tests.bench.tables import ratio, show


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=5, help="battles of each pair (default 5)")


def run(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="phylactery-bench-") as name:
        reports = [measure(ROOT, options.rounds)]
        try:
            build(Path(name))
        except NotBuilt as reason:
            print(f"No compiled form: {reason}")
        else:
            reports.append(measure(Path(name), options.rounds))
    show_speed(reports)
    show_growth(reports)
    return 0


def measure(home: Path, rounds: int) -> Report:
    """What the engine that lies in this folder does, in a process of its own."""
    done = subprocess.run(
        # -P: what lies in the current folder must not be what is imported.
        [sys.executable, "-P", "-m", "tests.bench.engine_run", str(rounds)],
        env=paths(home),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return cast(Report, json.loads(done.stdout))


def show_speed(reports: list[Report]) -> None:
    base = _rate(reports[0]["runs"][0])
    show(
        "Battles between six-unit sample boards, one core",
        ("form", "mode", "battles", "battles/s", "x plain", "events/battle", "results", "logs"),
        [
            (
                report["form"],
                run["name"],
                run["battles"],
                _rate(run),
                ratio(_rate(run), base),
                # A quiet battle has the events of the logged one, and writes none.
                report["runs"][0]["events"] / run["battles"],
                run["results"],
                run["logs"],
            )
            for report in reports
            for run in report["runs"]
        ],
    )


def show_growth(reports: list[Report]) -> None:
    for series in reports[0]["growth"]:
        heads = ["growing", "events", *(f"{report['form']} µs" for report in reports)]
        heads += [f"{report['form']} x first" for report in reports]
        steps = zip(*(report["growth"][series] for report in reports), strict=True)
        firsts = [report["growth"][series][0] for report in reports]
        rows = [
            (
                step[0]["name"],
                step[0]["events"] // step[0]["battles"],
                *(_micros(run) for run in step),
                *(ratio(_micros(r), _micros(f)) for r, f in zip(step, firsts, strict=True)),
            )
            for step in steps
        ]
        show(f"A battle's cost, by {series}", heads, rows)


def _rate(run: Run) -> float:
    return run["battles"] / run["seconds"]


def _micros(run: Run) -> float:
    return 1e6 * run["seconds"] / run["battles"]
