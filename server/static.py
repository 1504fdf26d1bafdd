"""The files of the live view: read once, known by their path, never looked up on the disk again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

KINDS: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

INDEX: Final = "index.html"


@dataclass(frozen=True)
class StaticFile:
    """A file as it is answered with. `etag` changes whenever the body does."""

    body: bytes
    kind: str
    etag: str


def read_static() -> Mapping[str, StaticFile]:
    """Every file of the page by its path: the index at `/`, the others under `/page/`."""
    found = {}
    for entry in files("server").joinpath("page").iterdir():
        kind = KINDS.get(entry.name.rpartition(".")[2])
        if kind is not None:
            path = "/" if entry.name == INDEX else f"/page/{entry.name}"
            found[path] = tagged(entry.read_bytes(), kind)
    return found


def tagged(body: bytes, kind: str) -> StaticFile:
    """What stays the same while the server runs."""
    return StaticFile(body, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
