"""Tickets: who somebody is, said by an authority of the operator's and signed.

A ticket is a JWT (RFC 7519). Which algorithm signs it is the operator's choice and never the
ticket's: one that says `none`, or has a public key taken for a secret, is void. What it claims:

    player   who it is, for limits and logs; the same person has the same one each time
    exp      when it ends, in seconds since 1970
    name     what others see them as, whatever the first message says
    room     the one room that it is good for
    role     `player` or `spectator`: the one thing that it is good for

The first two it must have. Nothing here knows of rooms or connections.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NoReturn

import jwt
import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from msgspec import Meta

from protocol.codes import ErrorCode
from protocol.messages import Fault, Name, Role, RoomId
from server.commands import Refusal

# RFC 7518, 3.2: a key for HS256 has at least as many bits as the hash.
LEAST_SECRET_BYTES: Final = 32
LEAST_RSA_BITS: Final = 2048

# Clocks of two machines are seldom further apart.
LEEWAY_SECONDS: Final = 10

_CURVES: Final = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}

PlayerId = Annotated[str, Meta(min_length=1, max_length=128)]


class Ticket(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a ticket claims, besides its end."""

    player: PlayerId
    name: Name | None = None
    room: Annotated[RoomId, Meta(min_length=1, max_length=64)] | None = None
    role: Role | None = None


class UnfitKey(ValueError):  # noqa: N818 - a sentence for the operator
    """The key that was configured cannot serve."""


class Tickets:
    """Reads tickets that were signed with one key, by one algorithm."""

    def __init__(self, key: str | jwt.algorithms.AllowedPublicKeys, algorithm: str) -> None:
        self._key = key
        self.algorithm = algorithm

    def read(self, text: str | None) -> Ticket:
        """The ticket. Raises `Refusal` that says what is the matter with it."""
        if text is None:
            _refuse("is missing: this server lets in who has one")
        try:
            claims = jwt.decode(
                text,
                self._key,
                algorithms=[self.algorithm],
                options={"require": ["player", "exp"]},
                leeway=LEEWAY_SECONDS,
            )
            ticket = msgspec.convert(claims, Ticket)
            ticket.player.encode()  # half of a character is nothing that the journal could keep
        except jwt.ExpiredSignatureError:
            _refuse("has expired")
        except jwt.ImmatureSignatureError:
            _refuse("is not valid yet")
        except jwt.MissingRequiredClaimError as missing:
            _refuse(f"lacks the claim `{missing.claim}`")
        except jwt.InvalidAlgorithmError:
            _refuse(f"is not signed by {self.algorithm}, which this server asks for")
        except jwt.InvalidSignatureError:
            _refuse("is not signed with this server's key")
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$.")
            _refuse(f"has a claim that is none, `{where.rstrip('`')}`: {what}")
        # Whatever else a stranger's text makes of JSON and base64: deep nesting, numbers past all
        # bounds, halves of characters.
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            _refuse("is not a ticket")
        return ticket


def check_place(ticket: Ticket, role: Role, room: str | None) -> None:
    """Raises `Refusal` unless the ticket is good for this role, in this room; None: a new one."""
    if ticket.role not in (None, role):
        _refuse(f"is for a {ticket.role}")
    if ticket.room not in (None, room):
        _refuse("is for another room" if room else "is for one room, and no other can be made")


def with_secret(secret: str) -> Tickets:
    """Tickets signed with a secret that the authority and this server share. Raises `UnfitKey`."""
    return Tickets(_fit_secret(secret), "HS256")


def with_public_key(pem: bytes) -> Tickets:
    """Tickets signed with the private key to this public one, by the algorithm of its kind: RSA
    RS256, elliptic curves ES256, ES384 or ES512, Edwards curves EdDSA. Raises `UnfitKey`."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise UnfitKey("it is no public key in PEM (`-----BEGIN PUBLIC KEY-----`)") from None
    match key:
        case rsa.RSAPublicKey() if key.key_size < LEAST_RSA_BITS:
            raise UnfitKey(f"its {key.key_size} bits are too few: at least {LEAST_RSA_BITS}")
        case rsa.RSAPublicKey():
            return Tickets(key, "RS256")
        case ec.EllipticCurvePublicKey() if key.curve.name in _CURVES:
            return Tickets(key, _CURVES[key.curve.name])
        case ed25519.Ed25519PublicKey() | ed448.Ed448PublicKey():
            return Tickets(key, "EdDSA")
    raise UnfitKey("tickets are signed with RSA, P-256, P-384, P-521 or an Edwards curve")


def make_ticket(secret: str, ticket: Ticket, minutes: float, now: datetime | None = None) -> str:
    """A signed ticket, which ends so many minutes from now. Raises `UnfitKey`."""
    end = (now or datetime.now(UTC)) + timedelta(minutes=minutes)
    claims = {**msgspec.to_builtins(ticket), "exp": int(end.timestamp())}
    return jwt.encode(claims, _fit_secret(secret), algorithm="HS256")


def read_claims(player: str, name: str | None, room: str | None, role: str | None) -> Ticket:
    """A ticket of what somebody wants it to claim. Raises `msgspec.ValidationError`."""
    claims = {"player": player, "name": name, "room": room, "role": role}
    return msgspec.convert(claims, Ticket)


def _fit_secret(secret: str) -> str:
    length = len(secret.encode("utf-8", "surrogateescape"))
    if length < LEAST_SECRET_BYTES:
        raise UnfitKey(
            f"its {length} bytes are too few: at least {LEAST_SECRET_BYTES}."
            " `openssl rand -base64 48` makes a good one"
        )
    return secret


def _refuse(fault: str) -> NoReturn:
    raise Refusal(ErrorCode.BAD_TICKET, Fault("ticket", fault))
