"""What a simulated client notices: every frame that is missing, doubled or wrong."""

from __future__ import annotations

import orjson
import pytest
from websockets.frames import Frame, Opcode

from engine import Battle
from protocol.codec import encode
from protocol.frames import writer_of
from protocol.messages import CHANNELS, BattleId, Begin, Next, Result, Seat, SnapshotMessage
from server.feed import text_frame
from server.load.follow import Follow, Heads, Verifier
from server.load.tally import Tally
from server.load.wire import NotOurs
from tests.protocol.battles import BATTLE, boards_of, fed, sample_setup

SETUP = sample_setup("red-kennel", "seven-vows")


def frames() -> list[bytes]:
    """All frames of a battle, in the order in which they go out."""
    return [data for tick in fed(SETUP) for data in tick.frames.values()]


def follow(payloads: list[bytes]) -> Tally:
    tally, heads = Tally(), Heads()
    follower = Follow(CHANNELS, tally)
    follower.begin(BATTLE)
    for payload in payloads:
        follower.frame(heads.read(payload))
    return tally


def verify(payloads: list[bytes], digest: str | None = None) -> Tally:
    tally = Tally()
    verifier = Verifier(CHANNELS, tally)
    for payload in (begin(), *payloads, *([result(digest)] if digest else [])):
        verifier.take(payload)
    return tally


def begin() -> bytes:
    boards = boards_of(SETUP)
    return encode(Begin(battle=BATTLE, round=1, speed=1, boards=boards, commitment=""))


def result(digest: str, tick: int = 0) -> bytes:
    return encode(said(digest, tick))


def said(digest: str | None, tick: int) -> Result:
    return Result(
        battle=BATTLE,
        round=1,
        winner="a",
        reason="elimination",
        tick=tick,
        digest=digest,
        secret="",
        nonces={},
        seed="",
        wins={},
    )


def test_a_whole_battle_has_no_faults() -> None:
    assert follow(frames()).faults == 0


def test_a_frame_that_is_left_out_is_a_gap_and_no_more() -> None:
    payloads = frames()
    for left_out in range(len(payloads) - 3):
        one_less = payloads[:left_out] + payloads[left_out + 1 :]
        channel = orjson.loads(payloads[left_out])[0]
        if any(orjson.loads(later)[0] == channel for later in one_less[left_out:]):
            assert follow(one_less).gaps == 1, left_out
            break
    assert follow(payloads[5:6]).gaps > 0


def test_a_frame_that_comes_again_is_a_double() -> None:
    payloads = frames()
    tally = follow([*payloads[:9], payloads[8], *payloads[9:]])
    assert (tally.gaps, tally.doubles) == (0, 1)


def test_the_last_frame_that_is_missing_is_a_gap_once_the_result_is_known() -> None:
    ticks = fed(SETUP)
    tally, heads = Tally(), Heads()
    for last in (len(ticks) - 1, len(ticks)):
        follower = Follow(CHANNELS, tally)
        follower.begin(BATTLE)
        for tick in ticks[:last]:
            for payload in tick.frames.values():
                follower.frame(heads.read(payload))
        follower.end(said("d", ticks[-1].tick))
    assert tally.gaps == 1


def test_a_battle_whose_beginning_was_not_told_is_a_gap() -> None:
    tally = Tally()
    follower = Follow(CHANNELS, tally)
    follower.begin("another")
    assert follower.frame(Heads().read(frames()[0]))
    assert tally.gaps == 1


def test_a_snapshot_says_what_comes_next_and_what_was_skipped() -> None:
    tally = Tally()
    follower = Follow(CHANNELS, tally)
    follower.begin(BATTLE)
    numbers = Next(tick=40, revival=3, vessel=5)
    follower.load(
        SnapshotMessage(battle=BATTLE, tick=60, next=numbers, units=[], digest="", skipped=7)
    )
    follower.frame(Heads().read(orjson.dumps(["tick", BATTLE, 40, 61, []])))
    assert (tally.faults, tally.skipped) == (0, 7)
    position = follower.position()
    assert position is not None
    assert (position.tick, position.revival, position.vessel) == (40, 2, 4)


def test_heads_are_read_whatever_follows() -> None:
    heads = Heads()
    payload = b'["vessel","room.12",7,1200,[25,5,[17,0,0,0]]]'
    assert heads.read(payload) == (2, "room.12", 7, 1200)
    assert heads.read(payload) == (2, "room.12", 7, 1200)


@pytest.mark.parametrize(
    "payload",
    [
        *(b"[", b"[]", b"[1,2]", b'["tick","r.1",0]', b'["news","r.1",0,0,[]]', b"[garbage,,,,"),
        *(b'["tick",1,0,0,[]]', b'["tick","r.1",-1,0,[]]', b'["tick","r.1",0,"0",[]]'),
        *(b'["tick","\xff",0,0,[]]', b'["tick","r.1",0,9007199254740992,[]]'),
    ],
)
def test_what_only_begins_like_a_frame_is_not_ours(payload: bytes) -> None:
    for read, data in ((Heads().read, payload), (Heads().of, text_frame(payload))):
        with pytest.raises(NotOurs, match="frame of no battle"):
            read(data)


def test_the_verifier_counts_boards_that_are_none() -> None:
    tally = Tally()
    boards: dict[Seat, dict[str, object]] = {"a": {"units": 3}}
    odd = encode(Begin(battle=BATTLE, round=1, speed=1, boards=boards, commitment=""))
    Verifier(CHANNELS, tally).take(odd)
    assert tally.errors == {"undecodable": 1}


def test_a_piece_of_whole_frames_has_their_heads_and_any_other_has_none() -> None:
    heads = Heads()
    payloads = frames()[:3]
    piece = b"".join(map(text_frame, payloads))
    for _ in range(2):
        assert heads.of(piece) == tuple(map(heads.read, payloads))
        assert heads.of(piece[:-1]) == ()
        assert heads.of(piece + text_frame(b'{"type":"room"}')) == ()
        assert heads.of(piece + Frame(Opcode.PING, b"").serialize(mask=False)) == ()
        assert heads.of(b"") == ()


def test_the_verifier_checks_every_digest_and_the_log() -> None:
    battle = Battle(SETUP)
    writer = writer_of(battle, BattleId(BATTLE))
    payloads: list[bytes] = []
    while not writer.over:
        payloads += writer.step().frames.values()
    assert battle.result is not None
    tally = verify(payloads, battle.result.digest)
    carried = sum(frame[0] == "tick" and len(frame) == 7 for frame in map(orjson.loads, payloads))
    assert (tally.digests, tally.digest_failures) == (carried + 1, 0)


def test_a_digest_that_is_not_right_is_a_failure() -> None:
    payloads = frames()
    at = next(n for n, data in enumerate(payloads) if len(orjson.loads(data)) == 7)
    frame = orjson.loads(payloads[at])
    frame[6] = "0" * 16
    assert verify([*payloads[:at], orjson.dumps(frame)]).digest_failures == 1


def test_a_log_that_is_not_the_results_is_a_failure() -> None:
    assert verify(frames(), "0" * 32).digest_failures == 1
