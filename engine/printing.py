"""Reads cards, runes and resonances from plain objects, and refuses what the rules do not allow.

Each verb's fields are one row of `VERB_FIELDS`; everything else a line may or may not say is
checked in `_check_line` and `_check_effect`. Names of other definitions (a summoned card, a
resonance) are checked by the catalog, which knows them.
"""

from __future__ import annotations

from typing import Final

from engine.definitions import (
    AIM_CHANNELS,
    AIMLESS_VERBS,
    AIMS,
    BUFF_STATS,
    CAUSES,
    CHANNELS,
    FOCUS_PROFILES,
    FOCUSED_VERBS,
    KEYWORDS,
    STAT_NAMES,
    STATUSES,
    Card,
    Effect,
    Line,
    Resonance,
    Rune,
    Stats,
)
from engine.reading import MAX_NUMBER, Faults, Reader

# Verb: its number's name and least value, then its other fields. "amount" of damage may be
# given as "percent" instead.
VERB_FIELDS: Final[dict[str, tuple[str, int, tuple[str, ...]]]] = {
    "damage": ("amount", 0, ("percent",)),
    "heal": ("amount", 0, ()),
    "ward": ("amount", 0, ()),
    "dread": ("stacks", 0, ()),
    "burn": ("stacks", 0, ()),
    "freeze": ("", 0, ("seconds",)),
    "buff": ("amount", -MAX_NUMBER, ("stat", "seconds")),
    "quicken": ("speed", 0, ()),
    "grant": ("", 0, ("keyword", "seconds", "battle")),
    "charge": ("amount", -MAX_NUMBER, ()),
    "cleanse": ("", 0, ()),
    "summon": ("count", 1, ("card",)),
    "activate": ("", 0, ()),
    "endure": ("vitality", 1, ()),
}
CARD_FIELDS: Final = (
    *("id", "name", "text", "price", *STAT_NAMES, "focus", "strike"),
    *("keywords", "immune", "resonance", "lines"),
)
MOST_RESONANCES: Final = 64
MOST_SUMMONED: Final = 256  # a board half has 8 cells; the rest of them is nothing


def read_card(value: object, path: str, faults: Faults) -> Card:
    """A card; only `id`, `vitality`, `power` and `speed` are required."""
    reader = Reader(value, path, faults)
    reader.only(CARD_FIELDS)
    name = reader.text("id")
    stats = Stats(
        reader.integer("vitality", 1),
        reader.integer("power"),
        reader.integer("speed"),
        reader.integer("armor", default=0),
        reader.integer("ward", default=0),
    )
    return Card(
        id=name,
        name=reader.text("name", default=name),
        text=reader.text("text", default="", longest=500),
        price=reader.integer("price", default=0),
        stats=stats,
        focus=reader.choice("focus", "Focus profile", FOCUS_PROFILES, default="any"),
        strike=reader.flag("strike", default=True),
        keywords=reader.names("keywords", "keyword", KEYWORDS),
        immune=reader.names("immune", "status", STATUSES),
        resonance=_read_resonance_names(reader),
        lines=_read_lines(reader, name),
    )


def _read_resonance_names(reader: Reader) -> tuple[str, ...]:
    """Names that the catalog will look up; here they only must be different texts."""
    items = reader.items("resonance")
    if len(items) > MOST_RESONANCES:
        reader.fault("resonance", f"must be at most {MOST_RESONANCES}, not {len(items)}")
        return ()
    texts = [item for _, item in items if isinstance(item, str)]
    return reader.names("resonance", "resonance", texts)


def read_rune(value: object, path: str, faults: Faults) -> Rune:
    reader = Reader(value, path, faults)
    reader.only(("id", "name", "text", "price", "stats", "lines"))
    name = reader.text("id")
    return Rune(
        id=name,
        name=reader.text("name", default=name),
        text=reader.text("text", default="", longest=500),
        price=reader.integer("price", default=0),
        stats=read_stats(reader, "stats", -MAX_NUMBER),
        lines=_read_lines(reader, name),
    )


def read_resonance(value: object, path: str, faults: Faults) -> Resonance:
    reader = Reader(value, path, faults)
    reader.only(("id", "name", "text", "steps"))
    name = reader.text("id")
    steps: dict[int, Stats] = {}
    for step_path, item in reader.items("steps"):
        step = Reader(item, step_path, faults)
        step.only(("count", "stats"))
        count = step.integer("count", 1)
        stats = read_stats(step, "stats", -MAX_NUMBER)
        if not step.is_sound("count"):
            continue
        if count in steps:
            step.fault("count", f"a step for {count} units stands here twice")
        steps[count] = stats
    return Resonance(
        id=name,
        name=reader.text("name", default=name),
        text=reader.text("text", default="", longest=500),
        steps=tuple(steps.items()),
    )


def read_stats(reader: Reader, key: str, low: int) -> Stats:
    """Stats by name, each from `low` up; those not named are 0."""
    if not reader.has(key):
        return Stats()
    stats = Reader(reader.fields[key], reader.at(key), reader.faults)
    stats.only(STAT_NAMES)
    return Stats(*(stats.integer(name, low, default=0) for name in STAT_NAMES))


def _read_lines(reader: Reader, source: str) -> tuple[Line, ...]:
    return tuple(
        _read_line(item, path, source, index, reader.faults)
        for index, (path, item) in enumerate(reader.items("lines"))
    )


def _read_line(value: object, path: str, source: str, index: int, faults: Faults) -> Line:
    reader = Reader(value, path, faults)
    reader.only(("on", "cause", "once", "do"))
    on = reader.choice("on", "channel", CHANNELS)
    effects = tuple(
        _read_effect(item, effect_path, on, faults) for effect_path, item in reader.items("do")
    )
    line = Line(
        source=source,
        index=index,
        on=on,
        cause=_optional_choice(reader, "cause", "cause", CAUSES),
        once=_optional_choice(reader, "once", "limit", ("life", "battle")),
        effects=effects,
    )
    _check_line(line, reader)
    return line


def _optional_choice(reader: Reader, key: str, what: str, known: tuple[str, ...]) -> str:
    """A name, or "" where it is absent."""
    return reader.choice(key, what, known) if reader.has(key) else ""


def _check_line(line: Line, reader: Reader) -> None:
    """What one field says of another; nothing of those that could not be read."""
    if line.on not in ("", "revived") and reader.has("cause"):
        # 500.9i, j: only the self channel filters.
        reader.fault("cause", f"a line on {line.on} cannot name a cause; only revived can")
    if not line.effects:
        if reader.is_sound("do"):
            reader.fault("do", "must hold at least one effect")
    # A verb that could not be read may have been meant as the one.
    elif line.on == "lethal" and [one.verb or "endure" for one in line.effects] != ["endure"]:
        reader.fault("do", "a lethal line holds endure, alone")
    if line.on == "lethal" and not reader.has("once"):
        reader.fault("once", "a lethal line must have a limit: life or battle")


def _read_effect(value: object, path: str, on: str, faults: Faults) -> Effect:
    reader = Reader(value, path, faults)
    verb = reader.choice("verb", "verb", tuple(VERB_FIELDS))
    if not verb:  # without it, nothing else here can be judged
        return Effect("", "")
    number, least, others = VERB_FIELDS[verb]
    reader.only([name for name in ("verb", "aim", number, *others) if name])
    aim = reader.choice("aim", "aim", AIMS, "focus" if verb in FOCUSED_VERBS else "self")
    percent = verb == "damage" and reader.has("percent")
    if percent and reader.has("amount"):
        reader.fault("percent", "damage has an amount or a percent, not both")
    effect = Effect(
        verb=verb,
        aim=aim,
        amount=_read_number(reader, "percent" if percent else number, least),
        percent=percent,
        ticks=reader.ticks("seconds") if verb == "freeze" or reader.has("seconds") else 0,
        stat=reader.choice("stat", "stat to buff", BUFF_STATS) if verb == "buff" else "",
        keyword=reader.choice("keyword", "keyword", KEYWORDS) if verb == "grant" else "",
        battle=verb == "grant" and reader.flag("battle", default=False),
        card=reader.text("card") if verb == "summon" else "",
    )
    _check_aim(effect, on, reader)
    _check_effect(effect, on, reader)
    return effect


def _read_number(reader: Reader, name: str, least: int) -> int:
    if not name:
        return 0
    if name == "count":
        return reader.integer(name, least, MOST_SUMMONED, default=1)
    return reader.integer(name, least)


def _check_aim(effect: Effect, on: str, reader: Reader) -> None:
    if effect.verb in AIMLESS_VERBS:
        allowed = ("", "self") if effect.verb == "endure" else ()
        if reader.has("aim") and effect.aim not in allowed:
            reader.fault("aim", f"{effect.verb} takes no aim")
        return
    if not on or not effect.aim:
        return
    channels = AIM_CHANNELS.get(effect.aim, CHANNELS)
    if on not in channels:
        where = " and ".join(channels)
        reader.fault("aim", f"a line on {on} has no {effect.aim}; it is an aim of {where}")
    if on == "death" and effect.aim == "self":
        default = "" if reader.has("aim") else f" (the default aim of {effect.verb})"
        reader.fault("aim", f"a death line cannot aim at self{default}: it is dead")


def _check_effect(effect: Effect, on: str, reader: Reader) -> None:
    if effect.verb == "endure" and on not in ("", "lethal"):
        reader.fault("verb", f"endure stands only in a lethal line, not on {on}")
    if effect.stat == "vitality":  # 300.3
        if reader.has("seconds"):
            reader.fault("seconds", "Vitality can be raised only for the life, not for a time")
        if reader.is_sound("amount") and effect.amount <= 0:
            reader.fault("amount", "Vitality can only be raised")
    if effect.battle and effect.ticks:
        reader.fault("seconds", "a grant is for the battle or for a time, not both")
