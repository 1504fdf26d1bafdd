"""`phylactery serve`: runs the server until a signal ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import trio

from server.app import serve as serve_app
from server.cli.output import DONE, TERMINATED
from server.cli.run import CommandFailed, run
from server.config import Config
from server.limits import Limits
from server.log import set_up_logging


def serve(
    *,
    host: str,
    port: int,
    origins: Sequence[str],
    faults: Path,
    pace: float,
    log_level: str,
    limits: Mapping[str, float],
) -> int:
    """Serves; gives the exit status."""
    set_up_logging(log_level)
    config = Config(
        host=host,
        port=port,
        origins=tuple(origins),
        faults=faults,
        pace=pace,
        limits=Limits(**limits),  # type: ignore[arg-type]
    )
    status = run(partial(_serve, config))
    # Being told to stop is how a server's work is done; whoever started it looks for 0.
    return DONE if status == TERMINATED else status


async def _serve(config: Config) -> int:
    async with trio.open_nursery() as nursery:
        try:
            await nursery.start(serve_app, config)
        except OSError as error:
            raise cannot_listen(config, error) from None
    return 0


def cannot_listen(config: Config, error: OSError) -> CommandFailed:
    """What a person is told who cannot have this port."""
    reason = error.strerror or str(error)
    return CommandFailed(f"cannot listen on {config.host}, port {config.port}: {reason}")
