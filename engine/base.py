"""The base set: the catalog and the sample boards that the engine ships as data beside its code.

The only files the engine reads, once; a battle itself reads none.
"""

from __future__ import annotations

import functools
import json
import tomllib
from decimal import Decimal
from importlib import resources
from typing import Final

from engine.catalog import EMPTY, Catalog, read_catalog
from engine.faults import Fault, Refused

FILES: Final = ("resonances.toml", "cards.toml", "runes.toml", "scrip.toml")


@functools.cache
def base_catalog() -> Catalog:
    """The base set. Raises `Refused`, with the file in each path, where the data is faulty."""
    catalog = EMPTY
    folder = resources.files("engine") / "catalog"
    # What summons may be printed before what is summoned, but never in another file.
    for name in FILES:
        text = (folder / name).read_text(encoding="utf-8")
        try:
            catalog = read_catalog(tomllib.loads(text, parse_float=Decimal), catalog)
        except Refused as refused:
            raise Refused(
                Fault(f"{name}: {fault.path}", fault.message) for fault in refused.faults
            ) from None
    return catalog


@functools.cache
def sample_boards() -> dict[str, dict[str, object]]:
    """The sample boards by name, each the plain object that `read_board` takes."""
    folder = resources.files("engine") / "catalog" / "boards"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".json")),
        key=lambda file: file.name,
    )
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text(encoding="utf-8"))
        for file in files
    }
