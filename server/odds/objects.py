"""What was counted, for machines: shares between 0 and 1, times in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from engine import Board, read_board
from server.odds.change import World
from server.odds.counts import ENDINGS, Count
from server.odds.plan import Plan
from server.odds.results import Fought, Tournament
from server.odds.worth import Moves, Standing, Weighed

MOST_TURNED: Final = 20


def tournament(plan: Plan, world: World, played: Tournament) -> dict[str, object]:
    """Every pairing. The first board's seat is a in battles of an even number."""
    pairs = []
    for (a, b), fought in played.pairs.items():
        boards = [read_board(plan.boards[name], *world) for name in (a, b)]
        pairs.append({"a": a, "b": b, **_fought(plan, fought, boards)})
    return {"pairs": pairs}


def _fought(plan: Plan, fought: Fought, boards: Sequence[Board]) -> dict[str, object]:
    after = _count(fought.after, boards)
    if not fought.has_change:
        return {"now": after}
    if fought.before is None:
        return {"now": None, "changed": after, "turned": 0, "turned_battles": []}
    turned = fought.turned()
    moved = {name: fought.ending_moved(name) for name in ENDINGS}
    return {
        "now": _count(fought.before, boards),
        "changed": after,
        "moved": {name: one and one.to_object() for name, one in moved.items()},
        "turned": len(turned),
        "turned_battles": [
            {"number": number, "seed": plan.seed_of(number)} for number in turned[:MOST_TURNED]
        ],
    }


def _count(count: Count, boards: Sequence[Board]) -> dict[str, object]:
    """`units`: of both boards, where anybody looked, in cell order and at last the summoned, which
    have no id; `id` is that in the battles in which the first board has seat a."""
    units = []
    for side, board, deeds in zip("ab", boards, count.deeds, strict=True):
        who = [
            {"id": f"{side}{index}", "cell": unit.cell, "card": unit.card}
            for index, unit in enumerate(board.units)
        ]
        who.append({"id": None, "cell": None, "card": None})
        units.append([{**one, **asdict(did)} for one, did in zip(who, deeds, strict=False)])
    return {
        **{name: getattr(count, name) for name in ENDINGS},
        "share": count.share.to_object(),
        "seconds": count.seconds(),
        "units": units,
    }


def balance(weighed: Weighed) -> dict[str, object]:
    """Every card and every rune."""
    names = ("now", "changed")[: len(weighed.worths)]
    found: dict[str, object] = {
        name: {
            "battles": worth.battles,
            "cut": worth.cut,
            "cards": _standing(worth.cards),
            "runes": _standing(worth.runes),
        }
        for name, worth in zip(names, weighed.worths, strict=True)
    }
    if len(weighed.worths) > 1:
        before, after = weighed.worths
        found["moved"] = {
            "cards": _moves(weighed.cards, before.cards, after.cards),
            "runes": _moves(weighed.runes, before.runes, after.runes),
        }
    return found


def _standing(standing: Standing) -> dict[str, object]:
    return {one: standing.share(one).to_object() for one in sorted(standing.boards)}


def _moves(moves: Moves, before: Standing, after: Standing) -> dict[str, object]:
    """Of what boards had both before and after."""
    found = {one: moves.moved(one, before, after) for one in sorted(moves.battles)}
    return {one: moved.to_object() for one, moved in found.items() if moved}
