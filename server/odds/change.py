"""What is to be tried: cards, runes, resonances, prices and rules beside those that are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine import Board, Catalog, Fault, Refused, Rules, base_catalog, read_catalog, read_rules
from engine.catalog import KINDS
from server.cli.kinds import expect


class World(NamedTuple):
    """What battles are fought with."""

    catalog: Catalog
    rules: Rules


def as_it_is() -> World:
    return World(base_catalog(), Rules())


def read_change(change: object, world: World | None = None) -> World:
    """The world, or that which is, with a change: a catalog's object, in which `rules` may stand
    too. Raises `Refused`, with every fault."""
    world = world or as_it_is()
    expect("catalog", change)
    if not isinstance(change, dict) or "rules" not in change:
        catalog, rules = read_catalog(change, world.catalog), world.rules
    else:
        catalog, rules = _read_both(change, world.catalog)
    if not change:
        sentence = "empty: a change has cards, runes, resonances, prices or rules"
        raise Refused([Fault("", sentence)])
    return World(catalog, rules)


def _read_both(change: dict[str, object], catalog: Catalog) -> tuple[Catalog, Rules]:
    faults: list[Fault] = []
    rules = Rules()
    try:
        rules = read_rules(change["rules"])
    except Refused as refused:
        faults += refused.faults
    try:
        rest = {key: value for key, value in change.items() if key != "rules"}
        catalog = read_catalog(rest, catalog)
    except Refused as refused:
        faults += refused.faults
    if faults:
        raise Refused(faults)
    return catalog, rules


class Difference(NamedTuple):
    """What of a world is not as it is, by id; of rules, by name."""

    new: list[str]
    changed: list[str]
    things: set[tuple[str, str]]  # kind and id of what may stand on a board
    everywhere: bool  # rules are others, which touch every battle

    def __str__(self) -> str:
        parts = [("new", self.new), ("changed", self.changed)]
        said = [f"{what}: {', '.join(ids)}" for what, ids in parts if ids]
        return "; ".join(said) or "the change changes nothing"

    def touches(self, boards: Iterable[Board], world: World) -> bool:
        """Whether anything of it can take part in battles of these."""
        had = (_things(board, world.catalog) for board in boards)
        return self.everywhere or any(self.things & things for things in had)


def difference(world: World) -> Difference:
    """What of this world is not as it is."""
    old = as_it_is()
    new: list[str] = []
    changed: list[str] = []
    things: set[tuple[str, str]] = set()
    for kind, _ in KINDS:
        before, after = getattr(old.catalog, kind), getattr(world.catalog, kind)
        for one in (one for one in after if before.get(one) != after[one]):
            (changed if one in before else new).append(one)
            things.add((kind, one))
    if world.catalog.prices != old.catalog.prices:
        changed.append("prices")
    before, after = old.rules.to_object(), world.rules.to_object()
    rules = [name for name in after if before[name] != after[name]]
    return Difference(new, [*changed, *rules], things, everywhere=bool(rules))


def _things(board: Board, catalog: Catalog) -> set[tuple[str, str]]:
    """All that stands on a board, or is summoned by what does."""
    found: set[tuple[str, str]] = set()
    waiting = [("cards", unit.card) for unit in board.units]
    waiting += [("runes", rune) for unit in board.units for rune in unit.runes]
    while waiting:
        kind, one = thing = waiting.pop()
        if thing in found:
            continue
        found.add(thing)
        if kind == "cards":
            found.update(("resonances", name) for name in catalog.cards[one].resonance)
        lines = catalog.cards[one].lines if kind == "cards" else catalog.runes[one].lines
        waiting += [("cards", do.card) for line in lines for do in line.effects if do.card]
    return found
