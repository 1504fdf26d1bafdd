"""What was counted, as tables for a person.

Where a change is tried, a figure is the one with it, and behind it stands how far that has moved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.markup import escape
from rich.table import Table

from engine import Board, Catalog
from server.odds.counts import Count, Deeds, Share
from server.odds.results import Fought
from server.odds.worth import Standing, Worth
from server.view.words import printable

EVEN: Final = 0.5
SURELY: Final = "95 % certainly between"
_TITLE: Final = "Victories in percent, a draw being half of one"
BY_CHANCE: Final = (
    "In bold: further from the average ({:.1f} %) than chance alone makes it in nineteen cases of"
    " twenty; it puts about {} of these there."
)

Pairs = Mapping[tuple[str, str], Fought]


def duel(a: str, b: str, fought: Fought) -> Table:
    """How the battles between two boards ended."""
    after = fought.after
    title = f"{a} against {b}, {after.battles:,} battles; 95 % certainly between"
    table = _table(title, "", "now")
    rows = [f"{plain(a)} wins", f"{plain(b)} wins", "drawn", "ended by time", "lasts"]
    columns = [fought.before]
    if fought.has_change:
        table.add_column("with the change", justify="right")
        columns.append(after)
    for name, *cells in zip(rows, *map(_endings, columns), strict=True):
        table.add_row(name, *cells)
    if fought.has_change and fought.before is not None:
        turned = _percent(Share(after.turned, after.battles))
        table.add_row("ended otherwise than now", "", turned)
    return table


def _endings(count: Count | None) -> list[str]:
    if count is None:
        return ["not legal", "", "", "", ""]
    numbers = (count.won, count.lost, count.drawn, count.timeouts)
    low, middle, high = count.seconds()
    lasts = f"{middle:.1f} s, half of them {low:.1f} to {high:.1f}"
    return [*(_percent(Share(number, count.battles)) for number in numbers), lasts]


def deeds(name: str, board: Board, catalog: Catalog, side: int, fought: Fought) -> Table:
    """What each unit of a board did in a battle, on the average."""
    heads = ("cell", "damage", "kills", "deaths", "revivals", "stands at the end, %")
    table = _table(f"{name}: what each unit does in a battle", "", *heads)
    before, after = fought.before or fought.after, fought.after
    labels = [(plain(catalog.cards[u.card].name or u.card), str(u.cell)) for u in board.units]
    rows = zip([*labels, ("summoned", "")], before.deeds[side], after.deeds[side], strict=True)
    for label, was, now in rows:
        if label[1] or was.deaths + was.stood + now.deaths + now.stood:
            old, new = _averages(was, before.battles), _averages(now, after.battles)
            table.add_row(*label, *(_moved(*pair) for pair in zip(old, new, strict=True)))
    return table


def _averages(one: Deeds, battles: int) -> list[float]:
    each = [number / battles for number in (one.dealt, one.kills, one.deaths, one.revivals)]
    return [*each, 100 * one.stood / battles]


def tournament(names: Sequence[str], pairs: Pairs) -> Table:
    """How often each board wins against each other one, and in all."""
    table = _table(f"{_TITLE}, {_each(pairs)}", "", *names, "in all")
    for name in names:
        shares = [_share(name, other, pairs) for other in names]
        cells = ["" if share is None else _compared(*share) for share in shares]
        whole = _together([share for share in shares if share is not None])
        table.add_row(plain(name), *cells, _compared(*whole))
    return table


def against(name: str, others: Sequence[str], pairs: Pairs) -> Table:
    """How often one board wins against each of the others, and in all."""
    table = _table(f"{_TITLE}, {_each(pairs)}", f"{name} against", "wins, %", SURELY)
    shares = {other: _share(name, other, pairs) for other in others}
    met = {other: share for other, share in shares.items() if share is not None}
    for other, share in met.items():
        table.add_row(plain(other), _compared(*share), _between(share[1]))
    whole = _together(list(met.values()))
    table.add_row("all of them", _compared(*whole), _between(whole[1]), style="bold")
    return table


def _each(pairs: Pairs) -> str:
    return f"{min(one.after.battles for one in pairs.values()):,} battles a pair"


def _share(name: str, other: str, pairs: Pairs) -> tuple[Share, Share] | None:
    """One board's against another, before and after."""
    if (one := pairs.get((name, other))) is not None:
        return (one.before or one.after).share, one.after.share
    if (one := pairs.get((other, name))) is not None:
        return (one.before or one.after).share.others(), one.after.share.others()
    return None


def _together(shares: Sequence[tuple[Share, Share]]) -> tuple[Share, Share]:
    before, after = zip(*shares, strict=True)
    return Share.together(before), Share.together(after)


def balance(catalog: Catalog, worths: Sequence[Worth]) -> Iterator[Table]:
    """How often drawn boards win that have a card, or a rune, the best first."""
    before, after = worths[0], worths[-1]
    cards = {one.id: (one.name or one.id, one.price) for one in catalog.cards.values()}
    runes = {one.id: (one.name or one.id, one.price) for one in catalog.runes.values()}
    title = f"{after.battles:,} battles of boards drawn at random: how often they win with each"
    yield _worth(f"{title} card", cards, before.cards, after.cards)
    yield _worth(f"{title} rune", runes, before.runes, after.runes)


def _worth(
    title: str, known: Mapping[str, tuple[str, int]], before: Standing, after: Standing
) -> Table:
    table = _table(title, "", "price", "boards", "win, %", SURELY)
    average = after.average().value if after.boards else EVEN
    for one in sorted(after.boards, key=lambda one: -after.share(one).value):
        now = after.share(one)
        was = before.share(one) if before.boards[one] else now
        name, price = known[one]
        style = "bold" if now.is_apart_from(average) else None
        cells = str(price), f"{now.of:,}", _compared(was, now), _between(now)
        table.add_row(plain(name), *cells, style=style)
    table.caption = BY_CHANCE.format(100 * average, round(len(after.boards) / 20))
    return table


def _table(title: str, *heads: str) -> Table:
    table = Table(title=plain(title), title_justify="left", caption_justify="left")
    for number, head in enumerate(heads):
        table.add_column(plain(head), justify="right" if number else "left")
    return table


def plain(text: str) -> str:
    """The text as it is: nothing in it is markup, or steers the terminal."""
    return escape(printable(text))


def _between(share: Share) -> str:
    low, high = share.interval()
    return f"{100 * low:.1f} and {100 * high:.1f}"


def _percent(share: Share) -> str:
    low, high = share.interval()
    return f"{100 * share.value:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _compared(before: Share, after: Share) -> str:
    return _moved(100 * before.value, 100 * after.value)


def _moved(before: float, after: float) -> str:
    """A figure, and how far it has moved, if it has."""
    moved = f"{after - before:+.1f}"
    return f"{after:.1f}" if float(moved) == 0 else f"{after:.1f} ({moved})"
