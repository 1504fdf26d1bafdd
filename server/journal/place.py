"""Where the data file lies: links are followed before anything is decided by a name.

The lock is named after the file, and a new file is moved to its place: both by the name that the
file has itself, however it was asked for.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def other_kind(path: str) -> str | None:
    """What stands at `path` where that is no file, as `a device`. None where it is one, or nothing,
    or where that cannot be told. Links are followed."""
    with suppress(OSError):
        return _kind(path)
    return None


def find(path: str) -> Path:
    """The file that `path` leads to: it need not be there, its folder must. Raises `OSError`."""
    with suppress(FileNotFoundError):  # a link that leads in circles, and others, are told of
        kind = _kind(path)
        if kind is not None:
            raise OSError(errno.EINVAL, f"it is {kind}, not a file")
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {place.parent}")
    return place


def _kind(path: str) -> str | None:
    return KINDS.get(stat.S_IFMT(Path(path).stat().st_mode))
