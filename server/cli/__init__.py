"""The entry point, and the short way to the two commands that run thousands of times in a batch.

`battle` and `validate` with nothing but files after them need none of the command line's
machinery, whose import takes longer than a battle does. Whatever else is said goes through it.
"""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        sys.exit(130)  # 128 + SIGINT


def _run() -> int:
    command, *words = sys.argv[1:] or [""]
    if words and not any(word.startswith("-") and word != "-" for word in words):
        if command == "battle" and len(words) == 1:
            from server.cli.battle import battle

            return battle(words[0])
        if command == "validate":
            from server.cli.battle import validate

            return validate(words)
    if command == "serve":
        # It takes half a second until it can be told to reload; until then SIGHUP would end it.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    from server.cli.app import app

    app(prog_name="phylactery")
    return 0
