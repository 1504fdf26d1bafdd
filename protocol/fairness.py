"""Fair by construction: who picks a battle's seed, and how anyone can check it afterwards.

When a round opens the server publishes the SHA-256 of a secret. Each player sends a nonce with
`ready`, and the seed is an HMAC under the secret of both. So the server is bound before it knows
the nonces, and neither player can know the seed before the result gives the secret away.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from typing import Final

from engine import Battle, Catalog, Refused, Rules, Setup, read_board

from .messages import Begin, Fault, Result, Seat

# How battles end that are not fought to their end: they have no digest.
STOPPED: Final = ("forfeit", "void")
# What is said of how a battle ended, by whoever says it.
OUTCOME: Final = ("winner", "reason", "tick", "digest")


class Unfair(Exception):  # noqa: N818 - says what the result is
    """A result does not follow from what was said before the battle; `faults` say where."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        super().__init__("; ".join(f"{fault.path}: {fault.message}" for fault in faults))


def commitment(secret: bytes) -> str:
    """What is published of a secret before anybody has said a nonce: 64 hex digits."""
    return hashlib.sha256(secret).hexdigest()


def derive_seed(secret: bytes, battle: str, nonce_a: str, nonce_b: str) -> str:
    """The seed of a battle, 64 hex digits."""
    text = f"phylactery/1|{battle}|{nonce_a}|{nonce_b}"
    return hmac.digest(secret, text.encode(), "sha256").hex()


def check_result(result: Result, published: str, nonces: Mapping[Seat, str] | None = None) -> None:
    """Hold a result against the commitment that was published, and against the nonces that the
    caller knows of its own accord, by seat: a player knows the one it sent.

    Raises `Unfair` with every fault.
    """
    if faults := list(_result_faults(result, published, nonces or {})):
        raise Unfair(faults)


def verify(result: Result, begin: Begin, catalog: Catalog, rules: Rules) -> None:
    """`check_result`, and then the whole battle again, from its boards to the digest of its log.

    `rules` are those that `begin.rules` makes of the standard ones. One that was given up has no
    digest: it must not have been over by then. Of a void one only the seed is checked. Raises
    `Unfair`.
    """
    faults = list(_result_faults(result, begin.commitment, {}))
    if result.battle != begin.battle:
        faults.append(Fault("battle", f"is not {begin.battle}, which began"))
    if not faults and result.reason != "void":
        faults += _battle_faults(result, begin, catalog, rules)
    if faults:
        raise Unfair(faults)


def _result_faults(result: Result, published: str, nonces: Mapping[Seat, str]) -> Iterator[Fault]:
    try:
        secret = bytes.fromhex(result.secret)
    except ValueError:
        yield Fault("secret", "is not hex digits")
        return
    if commitment(secret) != published:
        yield Fault("secret", "is not the one committed to")
    for seat, nonce in nonces.items():
        if result.nonces.get(seat) != nonce:
            yield Fault(f"nonces.{seat}", "is not the one that was sent")
    if result.nonces.keys() != {"a", "b"}:
        yield Fault("nonces", "are not those of both seats")
    elif result.seed != derive_seed(secret, result.battle, result.nonces["a"], result.nonces["b"]):
        yield Fault("seed", "does not follow from the secret and the nonces")
    yield from _ending_faults(result)


def _ending_faults(result: Result) -> Iterator[Fault]:
    """Whoever could leave out the digest could have anyone win."""
    reason = result.reason
    if reason in STOPPED and result.digest is not None:
        yield Fault("digest", f"is there, and a {reason} has none")
    if reason not in STOPPED and result.digest is None:
        yield Fault("digest", f"is missing of a battle that was fought to its {reason}")
    if reason == "void" and result.winner is not None:
        yield Fault("winner", "is there, and nobody wins a void battle")
    if reason == "forfeit" and result.winner is None:
        yield Fault("winner", "is nobody, and who does not give up wins")
    if result.tick < 0:
        yield Fault("tick", "is before the battle")


def _battle_faults(result: Result, begin: Begin, catalog: Catalog, rules: Rules) -> Iterator[Fault]:
    try:
        a = read_board(begin.boards["a"], catalog, rules)
        b = read_board(begin.boards["b"], catalog, rules)
    except (KeyError, Refused) as error:
        yield Fault("boards", f"cannot be fought under these rules: {error}")
        return
    battle = Battle(Setup(result.seed, rules, catalog, (a, b)))
    if result.reason in STOPPED:
        yield from over_by(result.tick, battle)
        return
    again = battle.run()
    for name in OUTCOME:
        if (said := getattr(result, name)) != (found := getattr(again, name)):
            yield Fault(name, f"is {said}, and {found} when fought again")


def over_by(tick: int, battle: Battle) -> Iterator[Fault]:
    """What is wrong with a battle that is said to have been given up at this tick. Tick 0 is said
    also of one that was given up before it, and can be the last."""
    battle.advance(tick)
    if tick and battle.result is not None:
        yield Fault("tick", f"is {tick}: nobody can give up a battle that is over")
