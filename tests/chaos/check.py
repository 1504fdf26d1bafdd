"""What must be true at the end: every log whole, every digest right."""

from __future__ import annotations

from collections.abc import Iterable

from engine import Battle, Rules, Setup, base_catalog, read_board
from protocol.codec import decode_to_client
from protocol.fairness import check_result
from protocol.frames import writer_of
from protocol.messages import Begin, Frame, Result, RevivalFrame, TickFrame, VesselFrame
from tests.chaos.guests import Chapter, Guest

FRAMES = (TickFrame, RevivalFrame, VesselFrame)


class Refought:
    """Every frame of a battle, made again from what was published, and how it ended."""

    def __init__(self, begin: Begin, result: Result) -> None:
        rules = Rules()
        a, b = (read_board(begin.boards[seat], base_catalog(), rules) for seat in ("a", "b"))
        battle = Battle(Setup(result.seed, rules, base_catalog(), (a, b)))
        writer, frames = writer_of(battle, result.battle), list[Frame]()
        while not writer.over:
            for data in writer.step().frames.values():
                frame = decode_to_client(data)
                assert isinstance(frame, FRAMES)
                frames.append(frame)
        self.frames = frames
        self.result = battle.result


def check(guests: Iterable[Guest]) -> int:
    """How many chapters of chronicles were checked. Raises `AssertionError`, which names whose
    chronicle is wrong, and where."""
    again: dict[str, Refought] = {}
    results: dict[str, Result] = {}
    checked = 0
    for guest in guests:
        assert not guest.troubles, f"{guest.name} met {guest.troubles}"
        for battle, chapter in guest.chapters.items():
            where = f"{guest.name}, {battle}"
            assert chapter.result is not None, f"{where}: no result came"
            assert results.setdefault(battle, chapter.result) == chapter.result, where
            if battle not in again:
                again[battle] = Refought(chapter.begin, chapter.result)
            _check_chapter(where, guest, chapter, chapter.result, again[battle])
            checked += 1
    return checked


def _check_chapter(
    where: str, guest: Guest, chapter: Chapter, result: Result, again: Refought
) -> None:
    check_result(result, chapter.begin.commitment)
    assert again.result is not None
    assert result.reason in ("elimination", "timeout"), f"{where}: {result.reason}"
    assert result.digest == again.result.digest, f"{where}: the digest is another one"
    for channel in guest.channels:
        mine = [frame for frame in chapter.frames if frame.__struct_config__.tag == channel]
        whole = [frame for frame in again.frames if frame.__struct_config__.tag == channel]
        start = getattr(chapter.start.next, channel) if chapter.start else 0
        assert [f.seq for f in mine] == [f.seq for f in whole[start:]], f"{where}: {channel}"
        assert mine == whole[start:], f"{where}: {channel}"
