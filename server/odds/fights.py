"""Fights the pieces of a plan, and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine import Battle, Board, Result, Setup, field_names
from server.odds.counts import Count, Deeds
from server.odds.plan import Grounds, Pairing
from server.watchdog import let_signals_in

_SIDES: Final = "ab"


def fight(grounds: Grounds, pairing: Pairing) -> list[Count | None]:
    """How a piece went, for each catalog; None where it does not have one of the boards.

    The same seeds are fought with each, every second battle with the seats changed.
    """
    both = grounds.boards(pairing.a, pairing.b)
    counts = [None if boards is None else Count() for boards in both]
    for number in range(pairing.first, pairing.first + pairing.battles):
        seed = f"{grounds.plan.seed} {pairing.a} {pairing.b} {number}"
        fought = [
            None if boards is None else one_battle(grounds, which, seed, boards, number)
            for which, boards in enumerate(both)
        ]
        before, after = fought[0], fought[-1]
        if before is not None and after is not None and before.winner != after.winner:
            after.turned = 1
        for count, one in zip(counts, fought, strict=True):
            if count is not None and one is not None:
                count.add(one)
    return counts


def one_battle(
    grounds: Grounds, which: int, seed: str, boards: tuple[Board, Board], number: int
) -> Count:
    """The battle of this number, with one of the catalogs."""
    swapped = number % 2 == 1
    seated = (boards[1], boards[0]) if swapped else boards
    setup = Setup(seed, grounds.rules, grounds.catalogs[which], seated)
    count = Count()
    if grounds.plan.closely:
        witness = Witness(seated)
        result = witness.watch(Battle(setup, pulse=let_signals_in))
        a, b = witness.deeds
        count.deeds = (b, a) if swapped else (a, b)
    else:
        result = Battle(setup, quiet=True, pulse=let_signals_in).run()
    seat = None if result.winner is None else _SIDES.index(result.winner)
    winner = seat if seat is None else seat ^ swapped
    count.note(winner, result.tick, timeout=result.reason == "timeout")
    return count


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
