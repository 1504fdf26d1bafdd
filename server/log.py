"""Logs: one line for each thing that matters; readable on a terminal, JSON otherwise."""

from __future__ import annotations

import logging
import sys
from typing import Final, TextIO

import orjson
import structlog

LEVELS: Final = ("debug", "info", "warning", "error")


def set_up_logging(level: str = "info", stream: TextIO | None = None) -> None:
    """Sets up structlog for the whole process. Raises `ValueError` for an unknown level."""
    if level not in LEVELS:
        raise ValueError(f"no log level {level!r}: one of {', '.join(LEVELS)}")
    out = sys.stderr if stream is None else stream
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_rendering(out),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    # What strangers do to a connection is no news: the library speaks up for its own failures.
    logging.getLogger("websockets").setLevel(logging.ERROR)


def _rendering(out: TextIO) -> list[structlog.typing.Processor]:
    if out.isatty():
        plain = structlog.dev.plain_traceback
        return [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    # Never the values of variables: among them are secrets, tokens and boards.
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    render = structlog.processors.ExceptionRenderer(tracebacks)
    return [render, structlog.processors.JSONRenderer(_json)]


def _json(value: object, **_: object) -> str:
    return orjson.dumps(value, default=str).decode()
