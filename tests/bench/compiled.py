"""Builds the engine's compiled form beside the plain one, in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def _leftovers(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__" or name.endswith((".so", ".c"))]
