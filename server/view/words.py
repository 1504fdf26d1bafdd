"""The events of a battle in words a person reads: a table from kind to sentence.

Knows the rows of the rulebook's table of events, and nothing of where they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine import TICKS_PER_SECOND

Values = Mapping[str, object]
Namer = Callable[[object], str]

# What is told even where there is room for little.
MAJOR: Final = frozenset(
    {
        "battle_start",
        "death",
        "vessel_spent",
        "return_due",
        "revival",
        "fallback",
        "summon",
        "endure",
        "chain_cut",
        "battle_end",
    }
)


class Told(NamedTuple):
    """One sentence about one event."""

    tick: int
    kind: str
    text: str

    @property
    def major(self) -> bool:
        return self.kind in MAJOR


def tell(tick: int, kind: str, values: Values, names: Mapping[str, str]) -> Told | None:
    """The event in words, or None for one that others say better.

    `values` by the names of `engine.EVENT_FIELDS`; `names` from unit id to what to call it, and
    from side to its player's name. A kind or unit that is not known here is told by its bare name:
    a newer server may have more.
    """
    sentence = SENTENCES.get(kind, _unknown(kind))(values, lambda unit: _name(unit, names))
    return Told(tick, kind, printable(sentence)) if sentence else None


def unit_names(cards: Mapping[str, str], titles: Mapping[str, str]) -> dict[str, str]:
    """What to call each unit: its card's title, with its id where the title alone would not do.

    `cards` is from unit id to card, `titles` from card to how it is printed.
    """
    called = {unit: titles.get(card) or title(card) for unit, card in cards.items()}
    times = Counter(called.values())
    return {id_: f"{name} {id_}" if times[name] > 1 else name for id_, name in called.items()}


def title(card: str) -> str:
    """`bone-squire` as `Bone Squire`: for a card that only the other side has a name for."""
    return card.replace("-", " ").replace("_", " ").title()


def printable(text: str) -> str:
    """The text with whatever could steer a terminal made visible as `?`."""
    return "".join(char if char.isprintable() else "?" for char in text)


def seconds(ticks: int) -> str:
    """Ticks as seconds with one decimal: `2.5 s`."""
    return f"{tenths(ticks)} s"


def tenths(ticks: int) -> str:
    """The same without the unit. Halves go up, as on the page: 49 are `2.5`."""
    found = (10 * ticks + TICKS_PER_SECOND // 2) // TICKS_PER_SECOND
    return f"{found // 10}.{found % 10}"


def _name(unit: object, names: Mapping[str, str]) -> str:
    return names.get(unit, unit) if isinstance(unit, str) else "nobody"


def _unknown(kind: str) -> Callable[[Values, Namer], str]:
    return lambda values, name: f"{name(values['unit'])}: {kind}" if "unit" in values else kind


def _ticks(value: object) -> str:
    return seconds(value) if isinstance(value, int) else str(value)


def _nothing(_values: Values, _name: Namer) -> str:
    return ""


def _side(side: object, name: Namer) -> str:
    """The player's name where it is known: then `names` has the side among its keys."""
    called = name(side)
    return f"side {side}" if called == side else called


def _battle_start(values: Values, name: Namer) -> str:
    return f"the battle begins; {_side(values['initiative'], name)} has the initiative"


def _damage(values: Values, name: Namer) -> str:
    absorbed = f" ({values['absorbed']} on its Ward)" if values["absorbed"] else ""
    source = f" from {name(values['source'])}" if values["source"] else ""
    return f"{name(values['unit'])} takes {values['amount']}{source}{absorbed}"


def _by(values: Values, name: Namer, word: str = "from") -> str:
    """Whose doing it was, unless its own."""
    own = values["source"] in (None, values["unit"])
    return "" if own else f" {word} {name(values['source'])}"


def _heal(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} heals {values['amount']}{_by(values, name)}"


def _ward(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} gains {values['amount']} Ward{_by(values, name)}"


def _status(values: Values, name: Namer) -> str:
    unit, status, amount = values["unit"], values["status"], values["amount"]
    if status == "freeze":
        return f"{name(unit)} is frozen for {_ticks(amount)}{_by(values, name, 'by')}"
    if isinstance(amount, int) and amount < 0:
        return ""  # Burn that loses a stack is seen on the unit
    return f"{name(unit)} takes {amount} {title(str(status))}{_by(values, name)}"


def _status_end(values: Values, name: Namer) -> str:
    ends = {"freeze": "thaws", "burn": "stops burning", "dread": "sheds its Dread"}
    status = str(values["status"])
    return f"{name(values['unit'])} {ends.get(status, f'is free of {status}')}"


def _stat(values: Values, name: Namer) -> str:
    if values["source"] is None:
        return ""  # a buff that ends
    amount = values["amount"]
    change = f"{amount:+}" if isinstance(amount, int) else str(amount)
    return f"{name(values['unit'])}: {change} {title(str(values['stat']))}{_by(values, name)}"


def _quicken(values: Values, name: Namer) -> str:
    speed = values["speed"]
    return f"{name(values['unit'])} quickens by {speed} Speed" if speed else ""


def _grant(values: Values, name: Namer) -> str:
    until = values["until"]
    how_long = " for the battle" if until == "battle" else ""
    return f"{name(values['unit'])} gains {title(str(values['keyword']))}{how_long}"


def _grant_end(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} loses {title(str(values['keyword']))}"


def _endure(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} defies death"


def _death(values: Values, name: Namer) -> str:
    unit, killer = name(values["unit"]), values["killer"]
    if values["sweep"]:
        return f"{unit} falls in the final sweep"
    if killer == values["unit"]:
        return f"{unit} dies by its own hand"
    return f"{unit} dies to {name(killer)}" if killer else f"{unit} dies"


def _vessel_spent(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} spends a Vessel, {values['vessels']} left"


def _return_due(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} is to return at {_ticks(values['due'])}"


def _revival(values: Values, name: Namer) -> str:
    if values["cause"] == "phylactery":
        return f"{name(values['unit'])} returns from its Phylactery"
    return f"{name(values['unit'])} returns, Everlasting"


def _line(values: Values, name: Namer) -> str:
    if values["on"] == "ally_revived":
        return f"{name(values['unit'])} answers the return of {name(values.get('revived'))}"
    return ""  # what a line does is told by the events that follow it


def _fallback(values: Values, name: Namer) -> str:
    return f"{name(values['unit'])} finds the killer gone and turns on {name(values['target'])}"


def _vessel_points(values: Values, name: Namer) -> str:
    return f"{_side(values['side'], name)} earns {values['points']} Vessel Points"


def _summon(values: Values, name: Namer) -> str:
    return f"{name(values['source'])} summons {name(values['unit'])}"


def _chain_cut(_values: Values, _name: Namer) -> str:
    return "the chain is cut short"


def _battle_end(values: Values, name: Namer) -> str:
    winner, reason = values["winner"], values["reason"]
    if winner is None:
        return f"the battle is a draw by {reason}"
    return f"{_side(winner, name)} wins by {reason}"


SENTENCES: Final[Mapping[str, Callable[[Values, Namer], str]]] = {
    "battle_start": _battle_start,
    "activation": _nothing,
    "strike": _nothing,
    "line": _line,
    "fallback": _fallback,
    "damage": _damage,
    "heal": _heal,
    "ward": _ward,
    "status": _status,
    "status_end": _status_end,
    "stat": _stat,
    "quicken": _quicken,
    "grant": _grant,
    "grant_end": _grant_end,
    "charge": _nothing,
    "endure": _endure,
    "death": _death,
    "vessel_spent": _vessel_spent,
    "return_due": _return_due,
    "revival": _revival,
    "vessel_points": _vessel_points,
    "vessel": _nothing,
    "summon": _summon,
    "chain_cut": _chain_cut,
    "battle_end": _battle_end,
}
