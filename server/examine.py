"""Examines a replay: whether everything in it follows from what was fixed before the battle.

Three things are asked, each of which rests on the one before: is the secret the one committed to,
does the seed come from it and both nonces, and does the battle, fought again from that seed, leave
the same log. What was fought under another edition of the rules cannot be asked the last one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from engine import Battle, Catalog, Refused, Rules, Setup, read_board, read_rules
from protocol.fairness import OUTCOME, Unfair, check_result, over_by
from protocol.logbook import DIGEST_DIGITS
from protocol.messages import SEATS
from server.edition import edition_of, rules_digest
from server.replay import Replay

AGAIN: Final = "when fought again"


@dataclass(frozen=True)
class Findings:
    """`faults` is what does not hold. `other` says under which other edition it was made, so that
    it was not fought again; or if it was, by another engine, `faults` is how it went otherwise."""

    faults: tuple[str, ...]
    other: str | None


def examine(replay: Replay, catalog: Catalog) -> Findings:
    """All that can be found out with this catalog."""
    if faults := (*_bound(replay), *_recorded(replay)):
        return Findings(faults, None)  # whatever the rules were
    if (other := _other_edition(replay, catalog)) is not None:
        return Findings((), other)
    faults = tuple(_fought_again(replay, catalog))
    mine = edition_of(catalog).engine
    if faults and replay.engine != mine:
        return Findings(faults, f"engine {replay.engine}; this is {mine}")
    return Findings(faults, None)


def _bound(replay: Replay) -> Iterator[str]:
    """The commitment and the seed, and that the replay says the same thing wherever it says it."""
    result = replay.result
    for name, mine, theirs in (
        ("id", replay.id, result.battle),
        ("round", replay.round, result.round),
        ("secret", replay.secret, result.secret),
        ("nonces", replay.nonces, result.nonces),
        ("seed", replay.seed, result.seed),
    ):
        if mine != theirs:
            yield f"{name} is not that of the result"
    if replay.id != f"{replay.room}.{replay.round}":
        yield "id is not that of the room and the round"
    if sum(result.wins.values()) > replay.round:
        yield "wins are more than rounds"
    if result.winner is not None and result.wins.get(result.winner, 0) < 1:
        yield "wins has none of the winner's"
    if rules_digest(replay.rules) != replay.rules_digest:
        yield "rules_digest is not that of the rules"
    try:
        check_result(result, replay.commitment)
    except Unfair as unfair:
        yield from (f"{fault.path} {fault.message}" for fault in unfair.faults)


def _recorded(replay: Replay) -> Iterator[str]:
    """The log is there, and ends as the result says."""
    result = replay.result
    if result.reason == "void":
        if replay.log:
            yield "the log is there, and nothing is kept of a void battle"
        return
    if result.digest is None:
        return  # it has no end
    lines = replay.log_bytes().splitlines(keepends=True)
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()[:DIGEST_DIGITS]
    if digest != result.digest:
        yield f"the log has the digest {digest}, the result says {result.digest}"
        return
    # The digest is of all lines but this one.
    end = orjson.loads(lines[-1]) if lines else {}
    if not isinstance(end, dict) or end.get("kind") != "battle_end":
        yield "the log does not end with the end of the battle"
        return
    for name in OUTCOME:
        if (said := getattr(result, name)) != end.get(name):
            yield f"{name} is {said}, and {end.get(name)} in the log"


def _other_edition(replay: Replay, catalog: Catalog) -> str | None:
    mine = edition_of(catalog)
    if replay.catalog == mine.catalog:
        return None
    return (
        f"catalog {replay.catalog}, engine {replay.engine}; this is {mine.catalog}, {mine.engine}"
    )


def _fought_again(replay: Replay, catalog: Catalog) -> Iterator[str]:
    try:
        rules = read_rules(replay.rules)
        battle = Battle(_setup(replay, rules, catalog))
    except (KeyError, Refused) as error:
        yield f"cannot be fought: {error}"
        return
    result, log = replay.result, replay.log_bytes()
    if result.reason == "void" or (result.tick == 0 and not log):  # stopped before its first tick
        return
    if result.reason == "forfeit":
        yield from (f"{fault.path} {fault.message}" for fault in over_by(result.tick, battle))
    else:
        again = battle.run()
        for name in OUTCOME:
            if (said := getattr(result, name)) != (found := getattr(again, name)):
                yield f"{name} is {said}, and {found} {AGAIN}"
    if log != battle.log():
        yield f"the log is another one {AGAIN}"


def _setup(replay: Replay, rules: Rules, catalog: Catalog) -> Setup:
    a, b = (read_board(replay.boards[seat], catalog, rules, f"boards.{seat}") for seat in SEATS)
    return Setup(replay.seed, rules, catalog, (a, b))
