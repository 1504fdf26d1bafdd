"""What was counted, as tables for a person.

Where a change is tried, a figure is the one with it, and behind it stands how far that has moved,
give or take what chance may do to that; in bold if that is not all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from engine import Board, Catalog
from server.odds.counts import DEEDS, ENDINGS, Count, Deeds
from server.odds.results import Fought, Tournament
from server.odds.shares import Moved, Share
from server.odds.sheets import Sheet, plain
from server.odds.worth import Moves, Standing, Weighed

EVEN: Final = 0.5
SURELY: Final = "95 % certainly between"
_TITLE: Final = "Victories in percent, a draw being half of one"
MOVED: Final = (
    "Behind ±: how far off a movement may be, with 95 % certainty. In bold: those that are more"
    " than that."
)
WITHIN: Final = "Of each pair, the true share is within {:.1f} of this one, with 95 % certainty."
BY_CHANCE: Final = (
    "Of victories, in bold: further from the average ({:.1f} %) than chance alone makes it in"
    " nineteen cases of twenty; it puts about {} of these there."
)
CUT: Final = "In {:,} battles chains of lines were cut (600.5)."


def duel(a: str, b: str, fought: Fought) -> Sheet:
    """How the battles between two boards ended."""
    columns = [fought.before, fought.after] if fought.has_change else [fought.after]
    heads = ["", "now", "with the change", "moved"][: 4 if fought.before else 1 + len(columns)]
    title = f"{a} against {b}, {fought.after.battles:,} battles; {SURELY}"
    sheet = Sheet(title, heads, caption=MOVED if fought.before else "")
    labels = (f"{a} wins", f"{b} wins", "drawn", "ended by time", "chains cut (600.5)")
    for name, label in zip(ENDINGS, labels, strict=True):
        if name != "cut" or any(count and count.cut for count in columns):
            moved = _moved(fought.ending_moved(name), 100)
            sheet.add(label, *(_ending(count, name) for count in columns), moved)
    sheet.add("lasts", *map(_lasts, columns))
    if fought.before:
        turned = Share(len(fought.turned()), fought.after.battles)
        sheet.add("ended otherwise than now", "", _percent(turned))
    return sheet


def _ending(count: Count | None, name: str) -> str:
    if count is None:
        return "not legal" if name == "won" else ""
    return _percent(Share(getattr(count, name), count.battles))


def _lasts(count: Count | None) -> str:
    if count is None:
        return ""
    low, middle, high = count.seconds()
    return f"{middle:.1f} s, half of them {low:.1f} to {high:.1f}"


def deeds(name: str, board: Board, catalog: Catalog, side: int, fought: Fought) -> Sheet:
    """What each unit of a board did in a battle, on the average."""
    title = f"{name}: what each unit does in a battle"
    if not fought.before:
        title += ", with the change" if fought.has_change else ""
    heads = ("", "cell", "damage", "kills", "deaths", "revivals", "stands at the end, %")
    sheet = Sheet(title, heads)
    counts = [count.deeds[side] for count in (fought.before, fought.after) if count]
    for index, unit in enumerate(board.units):
        label = catalog.cards[unit.card].name or unit.card
        sheet.add(label, str(unit.cell), *_averages(fought, side, index, 100, ""))
    if any(one != Deeds() for one in (units[-1] for units in counts)):
        sheet.add("summoned", "", *_averages(fought, side, len(board.units), 1, " units"))
    return sheet


def _averages(fought: Fought, side: int, index: int, each: int, unit: str) -> Iterator[Text]:
    """What one did in a battle; of the last figure `each` is one, told with its `unit`."""
    did = fought.after.deeds[side][index]
    for name, moved in zip(DEEDS, fought.deeds_moved(side, index), strict=True):
        is_last = name == DEEDS[-1]
        factor = each if is_last else 1
        average = factor * getattr(did, name) / fought.after.battles
        yield _with(f"{average:.1f}{unit if is_last else ''}", _moved(moved, factor))


def tournament(names: Sequence[str], played: Tournament) -> Sheet:
    """How often each board wins against each other one, and in all."""
    sheet = Sheet(f"{_TITLE}, {_each(played)}", ("", *names, "in all"))
    widest = 0.0
    for name in names:
        cells = []
        for other in names:
            met = played.met(name, [other])
            cells.append(_with(_figure(met.share), _moved(met.moved, 100)) if met else Text())
            widest = max(widest, met.share.half() if met else 0)
        whole = played.met(name, names)
        assert whole is not None, "there are two boards"
        figure = f"{_figure(whole.share)} ±{100 * whole.share.half():.1f}"
        sheet.add(name, *cells, _with(figure, _moved(whole.moved, 100)))
    sheet.caption = _caption(WITHIN.format(100 * widest), played)
    return sheet


def against(name: str, others: Sequence[str], played: Tournament) -> Sheet:
    """How often one board wins against each of the others, and in all."""
    heads = (f"{name} against", "wins, %", SURELY, "moved")
    title = f"{_TITLE}, {_each(played)}"
    sheet = Sheet(title, heads if played.has_moved else heads[:-1])
    for label, some in [*((other, [other]) for other in others), ("all of them", others)]:
        if (met := played.met(name, some)) is not None:
            cells = _figure(met.share), _between(met.share), _moved(met.moved, 100)
            sheet.add(label, *cells)
    sheet.caption = _caption("", played)
    return sheet


def _each(played: Tournament) -> str:
    return f"{min(one.after.battles for one in played.pairs.values()):,} battles a pair"


def _caption(first: str, played: Tournament) -> str:
    cut = sum(one.after.cut for one in played.pairs.values())
    parts = (first, MOVED if played.has_moved else "", CUT.format(cut) if cut else "")
    return " ".join(filter(None, parts))


def balance(catalog: Catalog, weighed: Weighed) -> Iterator[Sheet]:
    """How often drawn boards win that have a card, or a rune, the best first."""
    before, after = weighed.worths[0], weighed.worths[-1]
    title = f"{after.battles:,} battles of boards drawn at random: how often they win with each"
    has_change = len(weighed.worths) > 1
    cards = {one.id: (one.name or one.id, one.price) for one in catalog.cards.values()}
    old = before.cards if has_change else None
    yield _worth(f"{title} card", cards, old, after.cards, weighed.cards)
    runes = {one.id: (one.name or one.id, one.price) for one in catalog.runes.values()}
    old = before.runes if has_change else None
    sheet = _worth(f"{title} rune", runes, old, after.runes, weighed.runes)
    sheet.caption += f" {CUT.format(after.cut)}" if after.cut else ""
    yield sheet


def _worth(
    title: str,
    known: Mapping[str, tuple[str, int]],
    before: Standing | None,
    after: Standing,
    moves: Moves,
) -> Sheet:
    heads = ("", "price", "boards", "win, %", SURELY, "moved")
    sheet = Sheet(title, heads if before else heads[:-1])
    average = after.average().value if after.boards else EVEN
    for one in sorted(after.boards, key=lambda one: -after.share(one).value):
        share = after.share(one)
        name, price = known[one]
        win = Text(_figure(share), style="bold" if share.is_apart_from(average) else "")
        moved = _moved(moves.moved(one, before, after) if before else None, 100)
        sheet.add(name, str(price), f"{share.of:,}", win, _between(share), moved)
    sheet.caption = BY_CHANCE.format(100 * average, round(len(after.boards) / 20))
    sheet.caption += f" {MOVED}" if before else ""
    return sheet


def _figure(share: Share) -> str:
    return f"{100 * share.value:.1f}"


def _between(share: Share) -> str:
    low, high = share.interval()
    return f"{100 * low:.1f} and {100 * high:.1f}"


def _percent(share: Share) -> str:
    low, high = share.interval()
    return f"{100 * share.value:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _with(figure: str, moved: Text) -> Text:
    """A figure, and its movement behind it, if it has any."""
    return Text.assemble(figure, " (", moved, ")") if moved else plain(figure)


def _moved(moved: Moved | None, factor: float) -> Text:
    """How far something has moved, give or take; nothing where it has not, or nobody knows."""
    if moved is None or not moved.at_all:
        return Text()
    value, half, _ = moved.times(factor)
    return Text(f"{value:+.1f} ±{half:.1f}", style="bold" if moved.is_sure() else "")
