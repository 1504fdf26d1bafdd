"""Fights the pieces of a plan, and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine import Battle, Board, Result, Setup, field_names
from server.odds.counts import Count, Deeds
from server.odds.plan import Grounds, Pairing
from server.odds.results import Fought
from server.watchdog import let_signals_in

_SIDES: Final = "ab"


def fight(grounds: Grounds, pairing: Pairing) -> Fought:
    """How a piece went, in the world as it is and, if there is a change, with it.

    The same seeds are fought in each, every second battle with the seats changed.
    """
    fought = Fought(has_change=len(grounds.worlds) > 1)
    both = grounds.boards(pairing.a, pairing.b)
    for number in range(pairing.first, pairing.first + pairing.battles):
        counts = [
            None if boards is None else one_battle(grounds, which, boards, number)
            for which, boards in enumerate(both)
        ]
        after = counts[-1]
        assert after is not None, "all boards are legal with the change"
        fought.note(counts[0] if fought.has_change else None, after)
    return fought


def setup_of(grounds: Grounds, which: int, boards: tuple[Board, Board], number: int) -> Setup:
    """The battle of this number, in one of the worlds."""
    world = grounds.worlds[which]
    seated = (boards[1], boards[0]) if _is_swapped(number) else boards
    return Setup(grounds.plan.seed_of(number), world.rules, world.catalog, seated)


def one_battle(grounds: Grounds, which: int, boards: tuple[Board, Board], number: int) -> Count:
    """How the battle of this number goes, in one of the worlds."""
    swapped = _is_swapped(number)
    setup = setup_of(grounds, which, boards, number)
    battle = Battle(setup, quiet=not grounds.plan.closely, pulse=let_signals_in)
    count = Count()
    if grounds.plan.closely:
        witness = Witness(setup.boards)
        result = witness.watch(battle)
        a, b = witness.deeds
        count.deeds = (b, a) if swapped else (a, b)
    else:
        result = battle.run()
    seat = None if result.winner is None else _SIDES.index(result.winner)
    winner = seat if seat is None else seat ^ swapped
    count.note(winner, result.tick, timeout=result.reason == "timeout", cut=battle.cuts > 0)
    return count


def _is_swapped(number: int) -> bool:
    return number % 2 == 1


class Witness:
    """Looks at a battle, and counts what each unit does."""

    def __init__(self, boards: tuple[Board, Board]) -> None:
        a, b = boards
        self.deeds = ([Deeds() for _ in (*a.units, None)], [Deeds() for _ in (*b.units, None)])

    def watch(self, battle: Battle) -> Result:
        """Fights it to its end."""
        while not battle.over:
            for event in battle.step():
                if (note := _NOTES.get(event.kind)) is not None:
                    note(self, dict(zip(field_names(event), event.values, strict=True)))
        for unit in battle.snapshot().units:
            self._of(unit.id).stood += unit.vitality > 0
        assert battle.result is not None, "it is over"
        return battle.result

    def _of(self, unit: object) -> Deeds:
        """A unit's; the last of its side's, if it was summoned."""
        side, number = str(unit)[0], int(str(unit)[1:])
        deeds = self.deeds[_SIDES.index(side)]
        return deeds[min(number, len(deeds) - 1)]

    def damage(self, values: Mapping[str, object]) -> None:
        source, amount = values["source"], values["amount"]
        if _are_enemies(source, values["unit"]) and isinstance(amount, int):
            self._of(source).dealt += amount

    def death(self, values: Mapping[str, object]) -> None:
        self._of(values["unit"]).deaths += 1
        if _are_enemies(values["killer"], values["unit"]):  # 500.5
            self._of(values["killer"]).kills += 1

    def revival(self, values: Mapping[str, object]) -> None:
        self._of(values["unit"]).revivals += 1


def _are_enemies(unit: object, other: object) -> bool:
    """Whether there is such a unit, and it is of the other side."""
    return unit is not None and str(unit)[0] != str(other)[0]


_NOTES: Final[dict[str, Callable[[Witness, Mapping[str, object]], None]]] = {
    "damage": Witness.damage,
    "death": Witness.death,
    "revival": Witness.revival,
}
