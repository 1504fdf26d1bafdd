"""How the server says no: every `error` is made here, so that none is large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from .codes import ErrorCode
from .messages import MAX_FAULT_BYTES, MAX_FAULTS, Error, Fault


def refuse(code: ErrorCode, faults: Iterable[Fault], seq: int, re: str | None = None) -> Error:
    """The answer to a message of the type `re`, in a room whose sequence number is `seq`.

    Of the faults it names as many as an answer has room for, and the first in any case.
    """
    named = list(_that_fit(islice(faults, MAX_FAULTS)))
    return Error(code=code, message=code.meaning, faults=named, seq=seq, re=re)


def _that_fit(faults: Iterable[Fault]) -> Iterator[Fault]:
    size = 0
    for fault in faults:
        before, size = size, size + len(msgspec.json.encode(fault))
        if before and size > MAX_FAULT_BYTES:
            return
        yield fault
