"""Who is let in with which ticket."""

from __future__ import annotations

import base64
import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from server.commands import Refusal
from server.tickets import (
    Ticket,
    Tickets,
    UnfitKey,
    check_place,
    make_ticket,
    read_claims,
    with_public_key,
    with_secret,
)

SECRET = "s3cret-s3cret-s3cret-s3cret-s3cret"
TICKETS = with_secret(SECRET)
DAY = 86_400
ADA = Ticket(player="ada", name="Ada", room=None, role=None)


def claims(**changed: object) -> dict[str, object]:
    # Some are made when the tests are collected, long before they run.
    whole = {"player": "ada", "exp": int(time.time()) + DAY, **changed}
    return {name: value for name, value in whole.items() if value is not None}


def signed(key: Any = SECRET, algorithm: str = "HS256", **changed: object) -> str:
    return jwt.encode(claims(**changed), key, algorithm=algorithm)


def part(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def fault(text: str | None, tickets: Tickets = TICKETS) -> str:
    """What is the matter with a ticket."""
    with pytest.raises(Refusal) as refused:
        tickets.read(text)
    assert refused.value.code == "bad_ticket"
    (found,) = refused.value.faults
    assert found.path == "ticket"
    assert SECRET not in found.message
    return found.message


def pem(key: Any) -> bytes:
    data = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    assert isinstance(data, bytes)
    return data


RSA = rsa.generate_private_key(65537, 2048)


def test_a_ticket_is_read_as_it_was_made() -> None:
    for ticket in (ADA, Ticket(player="b", room="k3f9x2", role="spectator")):  # type: ignore[arg-type]
        assert TICKETS.read(make_ticket(SECRET, ticket, minutes=5)) == ticket


def test_a_ticket_ends() -> None:
    an_hour_ago = datetime.now(UTC) - timedelta(hours=1)
    assert fault(make_ticket(SECRET, ADA, minutes=59, now=an_hour_ago)) == "has expired"
    assert TICKETS.read(make_ticket(SECRET, ADA, minutes=61, now=an_hour_ago)) == ADA


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "is missing: this server lets in who has one"),
        (signed(exp=None), "lacks the claim `exp`"),
        (signed(player=None), "lacks the claim `player`"),
        (signed(exp=1), "has expired"),
        (signed(nbf=int(time.time()) + DAY), "is not valid yet"),
        (signed(SECRET + "!"), "is not signed with this server's key"),
        (signed(SECRET * 2, "HS512"), "is not signed by HS256, which this server asks for"),
        (signed(RSA, "RS256"), "is not signed by HS256, which this server asks for"),
        (signed(None, "none"), "is not signed by HS256, which this server asks for"),
        (signed(player=7), "has a claim that is none, `player`: Expected `str`, got `int`"),
        (signed(role="king"), "has a claim that is none, `role`: Invalid enum value 'king'"),
        (signed(name="A" * 25), "has a claim that is none, `name`: Expected `str` of length <= 24"),
        (signed(aud="elsewhere"), "is not a ticket"),
        (signed(exp="soon"), "is not a ticket"),
        (signed(player="ada\ud800"), "is not a ticket"),
        (signed(exp=float("inf")), "is not a ticket"),
        ("", "is not a ticket"),
        ("a.b.c", "is not a ticket"),
        ("ü.ü.ü", "is not a ticket"),
        ("\ud800", "is not a ticket"),
        (f"{part(b'[' * 3000)}.e30.e30", "is not a ticket"),
        (f"{part(b'{' + b'9' * 5000)}.e30.e30", "is not a ticket"),
        (f"{part({'alg': 'HS256', 'b64': False, 'crit': ['b64']})}..e30", "is not a ticket"),
        (f"{part({'alg': ['HS256']})}.e30.e30", "is not signed by HS256"),
        (f"{part({'alg': 7})}.e30.e30", "is not signed by HS256"),
    ],
)
def test_what_is_the_matter_is_said(text: str | None, sentence: str) -> None:
    assert fault(text).startswith(sentence)


@given(st.text() | st.builds(".".join, st.lists(st.text("abc_-=e30", max_size=9), max_size=4)))
def test_any_text_is_refused(text: str) -> None:
    assert fault(text)


@given(st.integers(0, 400), st.characters(codec="ascii"))
def test_a_changed_ticket_is_void(at: int, char: str) -> None:
    text = make_ticket(SECRET, ADA, minutes=5)
    at %= len(text) - 1  # the last character holds bits that are not read
    if text[at] != char:
        assert fault(text[:at] + char + text[at + 1 :])


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (RSA, "RS256"),
        (ec.generate_private_key(ec.SECP256R1()), "ES256"),
        (ec.generate_private_key(ec.SECP384R1()), "ES384"),
        (ed25519.Ed25519PrivateKey.generate(), "EdDSA"),
    ],
)
def test_a_public_key_reads_what_its_private_one_signed(key: Any, algorithm: str) -> None:
    tickets = with_public_key(pem(key))
    assert tickets.algorithm == algorithm
    assert tickets.read(signed(key, algorithm)) == Ticket(player="ada")
    assert fault(signed(RSA, "PS256"), tickets)
    assert fault(make_ticket(SECRET, ADA, 5), tickets)


def test_a_public_key_is_no_secret() -> None:
    """The old trick: the public key, which all know, used as the secret of HS256."""
    header, body = part({"alg": "HS256", "typ": "JWT"}), part(claims())
    hmac = jwt.get_algorithm_by_name("HS256")
    signature = part(hmac.sign(f"{header}.{body}".encode(), pem(RSA)))
    text = f"{header}.{body}.{signature}"
    assert fault(text, with_public_key(pem(RSA))).startswith("is not signed by RS256")


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (b"", "no public key in PEM"),
        (b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "no public key in PEM"),
        (pem(rsa.generate_private_key(65537, 1024)), "1024 bits are too few"),  # noqa: S505
        (pem(ec.generate_private_key(ec.SECP256K1())), "tickets are signed with"),
        (pem(dsa.generate_private_key(2048)), "tickets are signed with"),
    ],
)
def test_keys_that_cannot_serve(key: bytes, sentence: str) -> None:
    with pytest.raises(UnfitKey, match=sentence):
        with_public_key(key)


def test_a_secret_that_can_be_guessed_cannot_serve() -> None:
    with pytest.raises(UnfitKey, match="31 bytes are too few: at least 32"):
        with_secret("x" * 31)
    with pytest.raises(UnfitKey):
        make_ticket("short", ADA, 5)


@pytest.mark.parametrize(
    ("ticket", "role", "room", "good"),
    [
        (ADA, "player", None, True),
        (ADA, "spectator", "r1", True),
        (Ticket(player="a", role="player"), "player", "r1", True),
        (Ticket(player="a", role="player"), "spectator", "r1", False),
        (Ticket(player="a", role="spectator"), "player", None, False),
        (read_claims("a", None, "r1", None), "player", "r1", True),
        (read_claims("a", None, "r1", None), "player", "r2", False),
        (read_claims("a", None, "r1", None), "player", None, False),
    ],
)
def test_a_ticket_binds(ticket: Ticket, role: Any, room: str | None, good: bool) -> None:
    if good:
        check_place(ticket, role, room)
        return
    with pytest.raises(Refusal) as refused:
        check_place(ticket, role, room)
    assert refused.value.code == "bad_ticket"


def test_of_a_secret_bytes_count_and_not_characters() -> None:
    with_secret("\u00e9" * 16)
    with_secret("\udcff" * 32)  # as a variable of the environment comes that is no UTF-8
    with pytest.raises(UnfitKey, match="30 bytes are too few"):
        with_secret("\u00e9" * 15)
