"""The benchmarks' command line: one subcommand each."""

from __future__ import annotations

import argparse
import sys

from tests.bench import engine, fanout, watch


def main(words: list[str]) -> int:
    """Runs what is asked for; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for bench in (engine, fanout, watch):
        name = bench.__name__.rpartition(".")[2]
        summary = (bench.__doc__ or "").partition("\n")[0]
        command = commands.add_parser(name, help=summary, description=bench.__doc__)
        bench.add_options(command)
        command.set_defaults(run=bench.run)
    options = parser.parse_args(words)
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
