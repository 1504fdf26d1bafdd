"""One battle of the thousands, as a file that `phylactery battle` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import orjson

from engine import Fault, Refused, base_catalog
from engine.catalog import KINDS
from engine.rules import BUDGET, RANGES
from server.odds.fights import setup_of
from server.odds.plan import Grounds, Plan


def battle_file(plan: Plan, number: int) -> bytes:
    """The battle of this number between a plan's two boards; with the change, if it has one.
    Raises `Refused` where no budget is enough for them without the change's prices."""
    grounds = Grounds(plan)
    a, b = plan.boards
    which = len(grounds.worlds) - 1
    boards = grounds.boards(a, b)[which]
    assert boards is not None, "they are legal with the change"
    setup = setup_of(grounds, which, boards, number)
    setup = replace(setup, source=_definitions(plan.change))
    # A battle's file has no prices: what is legal only with others has to be so without.
    priced = replace(setup.catalog, prices=base_catalog().prices)
    budget = max(setup.rules.scrip_budget, *(board.price(priced) for board in boards))
    if budget > (most := RANGES[BUDGET][1]):
        sentence = (
            "a battle's file has no prices of its own: without the change's, one of these boards "
            f"costs {budget} Scrip, and no battle allows more than {most}"
        )
        raise Refused([Fault("", sentence)])
    setup = replace(setup, rules=replace(setup.rules, scrip_budget=budget))
    return orjson.dumps(setup.to_object(), option=orjson.OPT_INDENT_2, default=_plain) + b"\n"


def _definitions(change: object) -> dict[str, object]:
    """What a change has of each kind, which may stand there under two names."""
    if not isinstance(change, Mapping):
        return {}
    found = {kind[0]: [one for name in kind for one in change.get(name, ())] for kind in KINDS}
    return {name: ones for name, ones in found.items() if ones}


def _plain(value: object) -> float:
    """Decimals as they were written: no number of a change has more digits than these hold."""
    assert isinstance(value, Decimal), "all else is written as it is"
    return float(value)
