"""Logs: one line for each thing that matters; readable on a terminal, JSON otherwise.

Whoever logs goes on whatever becomes of the line: one that cannot be written (nobody reads it, the
disk is full) is lost, and raises nothing. What libraries log goes the same way.
"""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO, cast

import orjson
import structlog

LEVELS: Final = ("debug", "info", "warning", "error")


def set_up_logging(level: str = "info", stream: TextIO | None = None) -> None:
    """Sets up logging for the whole process. Raises `ValueError` for an unknown level."""
    if level not in LEVELS:
        raise ValueError(f"no log level {level!r}: one of {', '.join(LEVELS)}")
    out = _unbuffered(sys.stderr) if stream is None else stream
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_rendering(out),
        ],
        wrapper_class=_losing_lines(structlog.make_filtering_bound_logger(number)),
        logger_factory=structlog.WriteLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    _take_in_libraries()


def _unbuffered(stream: TextIO | None) -> TextIO:
    """The same file, but a line that it does not take is not kept and tried again: it would be in
    the way of the next ones, and of the process's end."""
    try:
        raw = io.FileIO(cast(TextIO, stream).fileno(), "w", closefd=False)
    except (AttributeError, OSError, ValueError):  # there is none, or it is closed, or no file
        if stream is None or stream.closed:
            return Path(os.devnull).open("w", encoding="utf-8")
        return stream
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", write_through=True)


def _losing_lines(kind: type[Any]) -> type[Any]:
    class Losing(kind):  # type: ignore[misc]
        """A logger that loses what cannot be made a line of, or written."""

        def _proxy_to_logger(self, *about: Any, **values: Any) -> None:
            with suppress(Exception):
                super()._proxy_to_logger(*about, **values)

    return Losing


def _rendering(out: TextIO) -> list[structlog.typing.Processor]:
    if out.isatty():
        plain = structlog.dev.plain_traceback
        return [structlog.dev.ConsoleRenderer(exception_formatter=plain)]
    # Never the values of variables: among them are secrets, tokens and boards.
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    render = structlog.processors.ExceptionRenderer(tracebacks)
    return [render, structlog.processors.JSONRenderer(_json)]


def _json(value: object, **_: object) -> str:
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # a file's name that is no Unicode
        return json.dumps(value, default=str)


class _Libraries(logging.Handler):
    """Hands on what libraries log by the standard's means."""

    def emit(self, record: logging.LogRecord) -> None:
        number = min(max(record.levelno // 10 * 10, logging.DEBUG), logging.CRITICAL)
        failure = {"exc_info": record.exc_info} if record.exc_info else {}
        with suppress(Exception):  # a library's own words can be wrong too
            log = structlog.get_logger(library=record.name)
            log.log(number, record.getMessage(), **failure)


_LIBRARIES: Final = _Libraries()


def _take_in_libraries() -> None:
    logging.getLogger().addHandler(_LIBRARIES)  # once, however often it is said
    # What strangers do to a connection is no news: the library speaks up for its own failures.
    logging.getLogger("websockets").setLevel(logging.ERROR)
