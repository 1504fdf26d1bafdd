"""What must not leave before its time does not: every byte that is sent, served or logged during a
tournament is searched for every secret, in every way it could be written.
"""

# ruff: noqa: ARG001 - the clock is a fixture that works by being asked for

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import structlog
import trio
from trio.testing import MockClock
from websockets.datastructures import Headers

import server.battles
from protocol.messages import (
    BattleId,
    Create,
    Leave,
    Quick,
    Ready,
    Result,
    RoomUpdate,
    Token,
    Welcome,
)
from server import http
from server.config import Config
from server.limits import Limits
from server.log import set_up_logging
from server.security import Security
from server.stage import Stage
from server.tickets import Ticket, make_ticket, with_secret
from tests.server.rooms import BOARDS, RULES, submit
from tests.server.secrets_written import Ledger, found, written
from tests.server.test_conversation import Broken
from tests.server.visitors import Closed, Visitor, World

KEY = "four candles and a swordfish"
SIGNED_WITH = "0123456789abcdef" * 3
PAGES = ("/", "/healthz", "/readyz", "/metrics", "/api/rooms", "/api/replays", "/schema.json")
CARDS = [{str(unit["card"]) for unit in board["units"]} for board in BOARDS]  # type: ignore[attr-defined]


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    before, out = structlog.get_config(), io.StringIO()
    set_up_logging("debug", out)
    yield out
    structlog.configure(**before)


@dataclass
class Tournament:
    """Two rooms, all who are in them, and all that is known of what they must not know."""

    world: World
    ledger: Ledger
    logged: io.StringIO
    visitors: list[Visitor] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)

    def ticket(self, player: str) -> str:
        self.tickets.append(make_ticket(SIGNED_WITH, Ticket(player=player), 60))
        return self.tickets[-1]

    def proofs(self, player: str) -> dict[str, str]:
        """What a player says of themselves in a first message."""
        self.attempts.append(secrets.token_urlsafe(16))
        return {"ticket": self.ticket(player), "attempt": self.attempts[-1]}

    def hidden_everywhere(self) -> list[bytes]:
        """What nobody may find in a page or a log, whenever it was."""
        texts = (KEY, SIGNED_WITH, *self.tickets, *self.attempts, *self.ledger.tokens)
        return [text.encode() for text in texts]

    async def look_at_pages(self) -> None:
        """As a stranger does, again and again; what has not been revealed is not there."""
        while True:
            stages = self.stages
            open_now = {s.room.match.commitment: s for s in stages if s.room.phase != "over"}
            paths = [
                *PAGES,
                *(f"/replays/{s.room.match.terms.battle}" for s in stages if s.room.match.terms),
            ]
            for path in paths:
                page = bytes((await http.answer(self.world.hall, path, Headers())).body or b"")
                self.pages.append(page)
                for secret in self.ledger.secrets:
                    if hashlib.sha256(secret).hexdigest() in open_now:
                        assert found(secret, page) is None, path
            await trio.sleep(1)


async def play(visitor: Visitor, number: int) -> None:
    """Fights with one board until the series is over, then leaves."""
    ready_for = 0
    try:
        while True:
            heard = await visitor.hear()
            room = heard.room if isinstance(heard, (RoomUpdate, Welcome)) else None
            if room is not None and room.phase == "building" and room.round > ready_for:
                ready_for = room.round
                await visitor.say(submit(number))
                await visitor.say(Ready(f"nonce-of-round-{room.round}-{number}"))
            elif room is not None and room.phase == "over":
                await visitor.say(Leave())
    except Closed:
        pass


async def hold(tournament: Tournament) -> None:
    """A private series with a lost connection, wrong messages and watchers; and a battle that
    fails in another room."""
    world, ticket, proofs = tournament.world, tournament.ticket, tournament.proofs
    ada = await world.create(key=KEY, **proofs("ada"))
    eve = await world.watch(ada.place, key=KEY, **proofs("eve"))
    fay = await world.watch(ada.place, key=KEY, delay_seconds=5, **proofs("fay"))
    join = {"key": KEY, **proofs("bob")}
    cut = await world.join(ada.place, **join)
    bob = await world.join(ada.place, **join)  # says it again
    cid = await world.create(name="Cid", best_of=1, **proofs("cid"))
    dan = await world.join(cid.place, name="Dan", ticket=ticket("dan"))
    for visitor in (ada, bob, cid, dan):
        visitor.place = ada.place if visitor in (ada, bob) else cid.place
    Broken.room = cid.place
    for wrong in ('{"type":"ready","nonce":"x"}', '{"type":"board","board":{"units":[{}]}}', "{"):
        await ada.refused(wrong)
    await world.visit("new").refused(
        Create(version=1, name="X", ticket=tournament.tickets[0] + "x")
    )
    await world.visit(ada.place).refused(
        f'{{"type":"join","version":1,"name":"X","key":"{KEY}","ticket":7}}'
    )
    tournament.attempts.append("not an attempt of anybody's")
    await world.visit("new").refused(
        f'{{"type":"create","version":1,"name":"X","attempt":"{tournament.attempts[-1]}"}}'
    )
    await world.visit("quick").refused(Quick(version=1, name="X"))
    tournament.visitors += [ada, bob, cid, dan, eve, fay, cut]
    tournament.stages += [world.hall.find(place) for place in (ada.place, cid.place)]
    async with trio.open_nursery() as nursery:
        pages = trio.CancelScope()

        async def look() -> None:
            with pages:
                await tournament.look_at_pages()

        nursery.start_soon(look)
        async with trio.open_nursery() as playing:
            for number, visitor in enumerate((bob, cid, dan), 1):
                playing.start_soon(play, visitor, number)
            for visitor in (eve, fay):
                playing.start_soon(visitor.hear_end)
            with trio.move_on_after(7):
                await play(ada, 0)
            await ada.drop()
            await trio.sleep(3)
            back = await world.resume(ada, ada.welcome.token)
            tournament.visitors.append(back)
            playing.start_soon(play, back, 0)
            playing.start_soon(stop_with_the_rooms, world, pages)


async def stop_with_the_rooms(world: World, pages: trio.CancelScope) -> None:
    """The pages are looked at for as long as there is a room."""
    while len(world.hall) == 2:  # noqa: ASYNC110 - a hall tells nobody
        await trio.sleep(0.1)
    pages.cancel()


async def test_nothing_leaves_before_its_time(
    autojump_clock: MockClock,
    logged: io.StringIO,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server.battles, "FeedWriter", Broken)
    ledger = Ledger()
    config = Config(
        rules=RULES,
        limits=replace(Limits(), ping_seconds=1e9),
        faults=tmp_path,
        mint=ledger,
        security=Security(tickets=with_secret(SIGNED_WITH)),
    )
    async with trio.open_nursery() as nursery:
        tournament = Tournament(World(nursery, config), ledger, logged)
        await hold(tournament)
        nursery.cancel_scope.cancel()
    results = {m.battle: m for v in tournament.visitors for m in v.heard if isinstance(m, Result)}
    assert len(results) >= 3
    assert "void" in {result.reason for result in results.values()}
    for visitor in tournament.visitors:
        check_what_was_sent(tournament, visitor, results)
    check_what_was_logged(tournament, results)
    served = b"".join(tournament.pages)
    for text in tournament.hidden_everywhere():
        assert found(text, served) is None
    assert b"Ada" not in served.replace(b"Adapt", b"")  # the room is private


def check_what_was_sent(
    tournament: Tournament, visitor: Visitor, results: dict[BattleId, Result]
) -> None:
    data = visitor.received
    own = {message.token for message in visitor.heard if isinstance(message, Welcome)}
    assert len(own) == 1
    for text in tournament.hidden_everywhere():
        if text.decode() in own:
            assert data.count(text) == 1, "a token stands in its welcome and nowhere else"
        else:
            assert found(text, data) is None
    for result in results.values():
        at = data.find(f'{{"type":"result","battle":"{result.battle}"'.encode())
        before = data if at < 0 else data[:at]
        state = hashlib.sha256(result.seed.encode()).digest()[:16]
        for secret in (bytes.fromhex(result.secret), bytes.fromhex(result.seed), state):
            assert found(secret, before) is None, result.battle
    begins = re.search(rb'\{"type":"begin"', data)
    secret_boards = data[: begins.start()] if begins else data
    if '"board":{' not in secret_boards.decode("latin-1"):  # that is their own, on a resume
        assert not [card for cards in CARDS for card in cards if card.encode() in secret_boards]


def check_what_was_logged(tournament: Tournament, results: dict[BattleId, Result]) -> None:
    said = tournament.logged.getvalue().encode()
    events = {json.loads(line)["event"] for line in said.splitlines()}
    assert {"room opens", "comes", "comes back", "battle begins", "battle failed"} <= events
    for text in tournament.hidden_everywhere():
        assert found(text, said) is None
    for result in results.values():
        for secret in (bytes.fromhex(result.secret), bytes.fromhex(result.seed)):
            assert found(secret, said) is None
    assert not [card for cards in CARDS for card in cards if card.encode() in said]


# That the search finds what it is to find.


@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"xyz"])
@pytest.mark.parametrize("after", [b"", b"x", b"xy"])
def test_a_secret_is_found_in_whatever_way_it_is_written(before: bytes, after: bytes) -> None:
    secret = Ledger().secret()
    for text in (
        secret.hex(),
        str(int.from_bytes(secret)),
        f"[{', '.join(map(str, secret))}]",
        base64.b64encode(before + secret + after).decode(),
        base64.urlsafe_b64encode(before + secret + after).decode(),
    ):
        assert found(secret, b"..." + text.encode() + b"...")
    assert found(secret, secret.hex()[1:].encode()) is None
    assert min(len(form) for form in written(secret)) >= 32


def test_a_token_is_long_enough_to_be_searched_for() -> None:
    assert len(Token(Ledger().token())) >= 43
