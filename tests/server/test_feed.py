"""The feed and the cursors on it: bytes made once, and nothing missing or twice for anyone."""

from __future__ import annotations

import itertools
import random

import pytest
from websockets.frames import Frame, Opcode

from protocol.messages import CHANNELS, BattleId, Channel, Position, RoomUpdate
from server.cursor import Cursor
from server.feed import ALL, BIT, SEEN_SECONDS, UPDATES, Feed, mask_of, text_frame
from tests.server.feeds import Written, read, room

SUBSETS: list[tuple[Channel, ...]] = [
    subset for size in (1, 2, 3) for subset in itertools.combinations(CHANNELS, size)
]


def live(feed: Feed, mask: int = ALL) -> Cursor:
    return Cursor(feed, len(feed.entries), mask)


def test_of_the_rooms_updates_the_newest_are_kept() -> None:
    """Each says all that those before it say; in a room where nobody fights they have no end."""
    written = Written()
    for seq in range(5000):
        written.tick = seq // 4
        written.update(seq)
        written.say(f"after {seq}")
    kept = range(5000 - 1 - 4 * round(SEEN_SECONDS) - 3, 5000)
    said = read(Cursor(written.feed, 0, ALL).rest())
    updates = [word for word in said if word.startswith("room")]
    assert updates == [f"room {seq}" for seq in kept]
    others = [word for word in said if word.startswith("after")]
    assert others == [f"after {number}" for number in range(5000)]
    latest, long_past = written.feed.room_at(1e9), written.feed.room_at(0.0)
    assert latest is not None
    assert latest.seq == 4999
    assert long_past is not None
    assert long_past.seq == kept[0] - 1


@pytest.mark.parametrize("delay", [1.0, 200.0, 300.0])
def test_who_sees_it_later_sees_every_update(delay: float) -> None:
    written = Written()
    cursor = Cursor(written.feed, 1, ALL, delay=delay)
    seen: list[str] = []
    for seq in range(2000):
        written.tick = seq
        written.update(seq)
        seen += read(cursor.take(1 << 30, now=float(seq)))
    assert seen == [f"room {seq}" for seq in range(2000 - round(delay))]


def test_few_updates_are_kept_however_old() -> None:
    written = Written()
    for seq in range(UPDATES):
        written.tick = 1000 * seq
        written.update(seq)
    assert len(read(Cursor(written.feed, 1, ALL).rest())) == UPDATES


# Bytes are made once.


def test_those_who_want_the_same_get_the_same_object() -> None:
    written = Written()
    one, two = live(written.feed), live(written.feed)
    written.ticks("trv")
    assert one.rest() is two.rest()
    one, two = Cursor(written.feed, 0, ALL), Cursor(written.feed, 0, ALL)
    written.ticks("t", "tv")
    assert one.rest() is two.rest()


def test_one_frame_alone_is_not_copied() -> None:
    written = Written()
    written.ticks("t")
    (entry,) = written.feed.entries[1:]
    assert entry.bytes_for(ALL) is entry.bytes_for(BIT["tick"])
    assert entry.bytes_for(mask_of(["revival", "vessel"])) == b""


def test_a_snapshot_is_made_once_a_position() -> None:
    written = Written()
    assert written.feed.keyframe() is None  # no tick has run
    written.ticks("t")
    first = written.feed.keyframe()
    written.say("something")
    assert written.feed.keyframe() is first
    written.ticks("t")
    assert written.feed.keyframe() is not first
    assert written.snapshots == 2


@pytest.mark.parametrize("channels", SUBSETS)
def test_a_subset_of_channels(channels: tuple[Channel, ...]) -> None:
    written = Written()
    cursor = Cursor(written.feed, 0, mask_of(channels))
    written.ticks("trv", "t", "rv", "", "v")
    got = read(cursor.rest())
    everything = ["begin r.1", "t0", "r0", "v0", "t1", "r1", "v1", "v2"]
    letters = {channel[0] for channel in channels}
    assert got == [word for word in everything if word[0] in letters or word == "begin r.1"]
    assert cursor.rest() == b""


# A cursor takes what comes next.


def test_take_keeps_to_its_limit_and_loses_nothing() -> None:
    written = Written()
    written.ticks(*["trv"] * 10)
    cursor = Cursor(written.feed, 0, ALL)
    pieces = []
    while piece := cursor.take(50):
        pieces.append(piece)
    assert len(pieces) > 5
    assert b"".join(pieces) == Cursor(written.feed, 0, ALL).rest()


def test_take_holds_back_what_is_not_due() -> None:
    written = Written()
    written.ticks("t", "t", "t")
    cursor = Cursor(written.feed, 0, ALL, delay=10)
    assert read(cursor.take(999, now=11.0)) == ["begin r.1", "t0", "t1"]
    assert cursor.due() == 12.0
    assert cursor.take(999, now=11.9) == b""
    assert read(cursor.take(999, now=12.0)) == ["t2"]
    assert cursor.due() == float("inf")


def test_take_stops_at_a_mark_also_in_the_next_feed() -> None:
    old, new = Written(1), Written(2, "r.2")
    old.ticks("t")
    old.feed.next = new.feed
    new.ticks("t")
    cursor = Cursor(old.feed, 0, ALL)
    assert read(cursor.take(999, stop=(1, 1))) == ["begin r.1"]
    assert read(cursor.take(999, stop=(2, 0))) == ["t0"]
    assert cursor.mark == (2, 0)
    assert read(cursor.take(999, stop=(2, 1))) == ["begin r.2"]


def test_a_cursor_goes_on_to_the_next_battle() -> None:
    old, new = Written(1), Written(2, "r.2")
    cursor = live(old.feed)
    old.ticks("t")
    old.feed.next = new.feed
    new.ticks("t")
    assert read(cursor.rest()) == ["t0", "begin r.2", "t0"]
    assert cursor.feed is new.feed
    assert cursor.at_end


def test_room_updates_that_are_past_are_left_out() -> None:
    written = Written()
    written.update(1)
    written.ticks("t")
    written.update(2)
    fresh = (1, len(written.feed.entries))
    for take in (Cursor.rest, lambda cursor: cursor.take(999)):
        cursor = Cursor(written.feed, 0, ALL, fresh)
        assert read(take(cursor)) == ["begin r.1", "t0"]
    cursor = Cursor(written.feed, 0, ALL, fresh)
    written.update(3)
    assert read(cursor.rest()) == ["begin r.1", "t0", "room 3"]


# Skipping.


def test_skip_counts_what_it_leaves_out_and_keeps_what_was_said_to_the_room() -> None:
    written = Written()
    cursor = live(written.feed, mask_of(["tick", "vessel"]))
    written.ticks("tv", "trv")
    written.update(4)
    written.ticks("t")
    written.say("the end")
    assert read(cursor.skip()) == ["room 4", "snapshot 2 +5"]
    assert cursor.skip() == b""
    assert read(cursor.rest()) == ["the end"]


def test_skip_does_nothing_behind_the_last_frame() -> None:
    written = Written()
    written.ticks("t")
    cursor = live(written.feed)
    written.say("the end")
    assert cursor.skip() == b""
    assert read(cursor.rest()) == ["the end"]


# Resuming.


@pytest.mark.parametrize("seed", range(40))
def test_resume_goes_on_after_exactly_what_was_seen(seed: int) -> None:
    """Cut anywhere, even between two frames of one tick: together it is the whole, once."""
    print("seed", seed)
    dice = random.Random(seed)
    channels = dice.choice(SUBSETS)
    written = Written()
    written.ticks(*["".join(c for c in "trv" if dice.random() < 0.4) for _ in range(30)])
    whole = read(Cursor(written.feed, 0, mask_of(channels)).rest())
    cut = dice.randint(1, len(whole))
    seen, last = whole[:cut], dict.fromkeys(CHANNELS, -1)
    for word in seen[1:]:
        channel = next(channel for channel in CHANNELS if channel[0] == word[0])
        last[channel] = int(word[1:])
    cursor = Cursor(written.feed, 0, mask_of(channels))
    cursor.resume(Position(battle=BattleId("r.1"), **last))
    written.ticks("trv")
    rest = read(cursor.rest() if dice.random() < 0.5 else cursor.take(1 << 20))
    assert seen + rest == read(Cursor(written.feed, 0, mask_of(channels)).rest())


def test_resume_does_not_tell_again_that_the_battle_begins() -> None:
    written = Written()
    cursor = Cursor(written.feed, 0, ALL)
    cursor.resume(Position(battle=BattleId("r.1")))
    written.ticks("t")
    assert read(cursor.rest()) == ["t0"]


def test_resume_ends_with_the_feed_it_is_in() -> None:
    """What was lacking of one battle has nothing to do with the next."""
    old, new = Written(1), Written(2, "r.2")
    old.ticks("r", "t")
    old.feed.next = new.feed
    new.ticks("trv")
    cursor = Cursor(old.feed, 0, ALL)
    cursor.resume(Position(battle=BattleId("r.1"), tick=0))
    assert read(cursor.rest()) == ["r0", "begin r.2", "t0", "r0", "v0"]


def test_resume_believes_no_number_that_was_never_sent() -> None:
    written = Written()
    written.ticks("t", "t")
    cursor = Cursor(written.feed, 0, ALL)
    cursor.resume(Position(battle=BattleId("r.1"), tick=2**53 - 1))
    written.ticks("t")
    assert read(cursor.rest()) == ["t2"]


# The room as it was.


def test_the_room_at_a_time() -> None:
    feed = Feed(1, opening=room(1))
    feed.say(RoomUpdate(room=room(2)), 5.0)
    feed.say(RoomUpdate(room=room(3)), 7.0)
    for time, seq in ((4.9, 1), (5.0, 2), (6.9, 2), (99.0, 3)):
        known = feed.room_at(time)
        assert known is not None
        assert known.seq == seq
    assert Feed(1).room_at(0) is None


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536])
def test_a_message_goes_out_as_the_library_would_send_it(size: int) -> None:
    payload = b"x" * size
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)
