"""Where the data file lies, and whether it lies there still.

Links are followed before anything is decided by a name: the lock is named after the file, and a new
file is moved to its place, by the name that the file has itself, however it was asked for.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
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


class Watch:
    """Files that are open, and have to stay what their names lead to."""

    def __init__(self, paths: Iterable[str]) -> None:
        """The files must be there. Raises `OSError`."""
        self._files: Final = tuple((path, _identity(path)) for path in paths)

    def look(self) -> None:
        """Raises `OSError` where one of them was removed, or another is in its place: what is
        written to one that is open is then kept nowhere."""
        for path, identity in self._files:
            try:
                found = _identity(path)
            except (FileNotFoundError, NotADirectoryError):
                raise OSError(f"{path} was removed while it was open") from None
            if found != identity:
                raise OSError(f"{path} was replaced by another file while it was open")


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _kind(path: str) -> str | None:
    return KINDS.get(stat.S_IFMT(Path(path).stat().st_mode))
