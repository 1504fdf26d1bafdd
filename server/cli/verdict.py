"""Whether a result is what was promised before the battle, in words."""

from __future__ import annotations

from collections.abc import Iterator

from engine import Refused, base_catalog, read_rules
from protocol.fairness import Unfair, check_result, verify
from protocol.messages import Begin, Result
from server.cli.bots import Pilot


def unfairness(begin: Begin, result: Result, pilot: Pilot | None = None) -> list[str]:
    """Everything about a result that does not follow from what was said before; fights it again.

    With the pilot that played, also that the server counted what the pilot said.
    """
    faults = list(_said_by(pilot, begin)) if pilot else []
    try:
        verify(result, begin, base_catalog(), read_rules(begin.rules))
        if pilot and pilot.seat and (nonce := pilot.ready_to.get(begin.commitment)):
            check_result(result, begin.commitment, {pilot.seat: nonce})
    except Unfair as unfair:
        faults += [f"{fault.path} {fault.message}" for fault in unfair.faults]
    except Refused as refused:
        faults += [f"the rules cannot be read: {fault}" for fault in refused.faults]
    return faults


def verdict(begin: Begin | None, result: Result, pilot: Pilot | None = None) -> str:
    """One line that says what was checked, or what is wrong."""
    if begin is None or begin.battle != result.battle:
        return "not checked: its beginning was not seen"
    if faults := unfairness(begin, result, pilot):
        return f"NOT FAIR: {'; '.join(faults)}"
    if result.digest is None:
        return "checked: commitment and seed"
    return f"checked: commitment, seed, and fought again to the digest {result.digest}"


def _said_by(pilot: Pilot, begin: Begin) -> Iterator[str]:
    if begin.commitment not in pilot.ready_to:
        yield "the commitment is not the one that ready was said to"
    if pilot.seat and begin.boards.get(pilot.seat) != pilot.board:
        yield "the board that fought is not the one that was sent"
