"""The catalog: every card, rune, resonance and Scrip price that a battle is fought with.

A catalog is checked whole: each definition by itself in `engine.printing`, and here the names by
which they speak of each other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Final, Protocol, TypeVar

from engine.definitions import STAT_NAMES, Card, Resonance, Rune, Stats
from engine.faults import Fault, Refused
from engine.printing import read_card, read_resonance, read_rune
from engine.reading import MOST_SUGGESTIONS_OF_A_FILE, Faults, Reader

# TOML writes a list of tables under the name of one: [[card]].
KINDS: Final = (("cards", "card"), ("runes", "rune"), ("resonances", "resonance"))


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_Definition = TypeVar("_Definition", bound=_Named)


@dataclass(frozen=True)
class Catalog:
    """Definitions by id, and the price of a point of each stat in Scrip."""

    cards: dict[str, Card]
    runes: dict[str, Rune]
    resonances: dict[str, Resonance]
    prices: Stats

    def digest(self) -> str:
        """16 hex digits that differ whenever anything in the catalog does."""
        text = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


EMPTY: Final = Catalog({}, {}, {}, Stats(1, 1, 1, 1, 1))


def read_catalog(value: object, base: Catalog = EMPTY, path: str = "") -> Catalog:
    """`base` with the definitions of an object added; `Refused` names every fault.

    Keys are `cards`, `runes`, `resonances` (or `card`, `rune`, `resonance`) and `prices`.
    """
    faults = Faults(MOST_SUGGESTIONS_OF_A_FILE)
    reader = Reader(value, path, faults)
    if reader.has("rules"):
        reader.fault("rules", "a catalog has no rules; a battle has, and a change that is tried")
    reader.only([*(name for kind in KINDS for name in kind), "prices"])
    catalog = catalog_from(reader, base)
    if faults:
        raise Refused(faults)
    return catalog


def catalog_from(reader: Reader, base: Catalog) -> Catalog:
    """As `read_catalog`, from the reader of an object that may hold more; notes faults there."""
    cards = _added(base.cards, reader, KINDS[0], read_card)
    runes = _added(base.runes, reader, KINDS[1], read_rune)
    resonances = _added(base.resonances, reader, KINDS[2], read_resonance)
    _check_names(reader, cards, resonances)
    return Catalog(cards, runes, resonances, _read_prices(reader, base.prices))


def _added(
    known: dict[str, _Definition],
    reader: Reader,
    names: tuple[str, str],
    read: Callable[[object, str, Faults], _Definition],
) -> dict[str, _Definition]:
    added: dict[str, _Definition] = {}
    for name in names:
        for path, item in reader.items(name):
            definition = read(item, path, reader.faults)
            if definition.id and definition.id in added:
                sentence = f'a {names[1]} "{definition.id}" stands here twice'
                reader.faults.append(Fault(f"{path}.id", sentence))
            added[definition.id] = definition
    return {**known, **added}


def _read_prices(reader: Reader, base: Stats) -> Stats:
    if not reader.has("prices"):
        return base
    prices = Reader(reader.fields["prices"], reader.at("prices"), reader.faults)
    prices.only(STAT_NAMES)
    return Stats(
        *(
            prices.integer(name, default=default)
            for name, default in zip(STAT_NAMES, base, strict=True)
        )
    )


def _check_names(reader: Reader, cards: dict[str, Card], resonances: dict[str, Resonance]) -> None:
    """Every card that is summoned and every resonance that is borne must be defined.

    Looks at what this reader added; the base was checked when it was read.
    """
    all_cards = all_read(reader, KINDS[0], cards)
    all_resonances = all_read(reader, KINDS[2], resonances)
    for kind in KINDS[:2]:
        for name in kind:
            for path, item in reader.items(name):
                if not isinstance(item, dict):
                    continue
                definition = Reader(item, path, Faults())
                if kind[0] == "cards":
                    for name_path, resonance in definition.items("resonance"):
                        _check_known(
                            reader, name_path, "resonance", resonance, resonances, all_resonances
                        )
                _check_summons(reader, definition, cards, all_cards)


def all_read(reader: Reader, names: tuple[str, str], known: Mapping[str, object]) -> bool:
    """Whether what could be read of a kind is all of it: no list and no id was wrong."""
    return "" not in known and all(reader.is_sound(name) for name in names)


def _check_summons(reader: Reader, item: Reader, cards: dict[str, Card], all_known: bool) -> None:
    for line_path, line in item.items("lines"):
        if not isinstance(line, dict):
            continue
        for effect_path, effect in Reader(line, line_path, Faults()).items("do"):
            if isinstance(effect, dict) and effect.get("verb") == "summon":
                path, name = f"{effect_path}.card", effect.get("card")
                _check_known(reader, path, "card", name, cards, all_known)


def _check_known(
    reader: Reader,
    path: str,
    what: str,
    name: object,
    known: dict[str, _Definition],
    all_known: bool,
) -> None:
    if not isinstance(name, str) or name in known:
        return
    if sentence := reader.none_of(name, what, tuple(known), all_known=all_known):
        reader.faults.append(Fault(path, sentence))
