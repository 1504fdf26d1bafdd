"""`python -m tests.chaos --seconds N --seed S`."""

from __future__ import annotations

import argparse
import logging
import random
import sys

from tests.chaos.run import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    given = parser.parse_args()
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # lines fail here by design
    print("seed", given.seed, flush=True)
    print(run(given.seconds, given.seed, lambda line: print(line, file=sys.stderr, flush=True)))
    return 0


sys.exit(main())
