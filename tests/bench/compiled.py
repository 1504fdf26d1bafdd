"""Builds the engine's compiled form beside the plain one, in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


class NotBuilt(Exception):  # noqa: N818 - the plain form is measured all the same
    """Why there is no compiled form."""


def build(folder: Path) -> None:
    """Puts what `setup.py` compiles into the folder, compiled, as an installation would.

    Raises `NotBuilt`.
    """
    for package in ("engine", "protocol"):
        shutil.copytree(ROOT / package, folder / package, ignore=_leftovers)
    shutil.copy(ROOT / "setup.py", folder)
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        env=os.environ | {"CFLAGS": f"-w {os.environ.get('CFLAGS', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not any((folder / "engine").glob("battle.*.so")):
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotBuilt(said[-1] if said else "setup.py compiled nothing")


@contextmanager
def home() -> Iterator[Path]:
    """A folder that holds the compiled form; the sources' own, and a word, where there is none."""
    with tempfile.TemporaryDirectory(prefix="phylactery-bench-") as name:
        try:
            build(Path(name))
        except NotBuilt as reason:
            print(f"No compiled form: {reason}")
            yield ROOT
        else:
            yield Path(name)


def paths(home: Path) -> dict[str, str]:
    """The environment of a process (`python -P`) that imports what lies in this folder first."""
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(home), str(ROOT)))}


def _leftovers(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__" or name.endswith((".so", ".c"))]
