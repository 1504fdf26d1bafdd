"""What stands at a URL, whatever its server does: never too much of it, and never for too long."""

from __future__ import annotations

import urllib.request
from concurrent.futures import Future
from http.client import IncompleteRead
from threading import Thread


class TooLong(ValueError):  # noqa: N818 - says what the answer is
    """There is more than was asked for."""


def fetch(url: str, *, most_bytes: int, seconds: float) -> bytes:
    """The answer's content; waits. Raises `TooLong`; `TimeoutError` where it takes longer in all;
    and else `OSError`, `HTTPException` or `ValueError`, as urllib does.

    A socket's patience is for one read, and whoever sends a byte now and then never exhausts it. So
    a thread reads, which nobody waits for any more once it has taken too long.
    """
    content: Future[bytes] = Future()

    def read() -> None:
        try:
            content.set_result(_read(url, most_bytes, seconds))
        except Exception as error:
            content.set_exception(error)

    Thread(target=read, daemon=True).start()
    try:
        return content.result(seconds)
    except TimeoutError:
        raise TimeoutError(f"no whole answer came within {seconds:g} seconds") from None


def _read(url: str, most_bytes: int, seconds: float) -> bytes:
    with urllib.request.urlopen(url, timeout=seconds) as answer:  # noqa: S310 - the caller's choice
        data: bytes = answer.read(most_bytes + 1)
        if len(data) > most_bytes:
            raise TooLong(f"more than {most_bytes} bytes came")
        # What the library takes for whole, of one who asks for so much at most. An answer that is
        # none of HTTP's, where that has sent us, has no length.
        if left := getattr(answer, "length", None):
            raise IncompleteRead(data, left)
    return data
