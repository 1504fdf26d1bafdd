"""Rebuilds a battle's state from its log, with none of the engine's code.

It reads the JSON lines, and counts on from them as the rulebook says: Charge moves by Speed each
tick. All it is told besides is what the log need not repeat: what the cards of summoned units say
of Focus and keywords, and how many Vessels a new unit starts with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

Json = dict[str, Any]

FULL: Final = 1000
NUMBERS: Final = ("vitality", "max_vitality", "power", "speed", "armor", "ward")


class Replayer:
    """The state after the lines that have been fed. `cards` is the JSON of each card by id."""

    def __init__(self, cards: dict[str, Json], starting_vessels: int) -> None:
        self.cards = cards
        self.starting_vessels = starting_vessels
        self.units: dict[str, Json] = {}
        self.tick = 0
        self.charged = True  # this tick's Charge phase has been; tick 0 has none
        self.kinds: dict[str, Callable[[Json], None]] = {
            name.removeprefix("on_"): getattr(self, name) for name in dir(self) if name[:3] == "on_"
        }

    def feed(self, line: str) -> None:
        event: Json = json.loads(line)
        self.go_to(event["tick"])
        if not self.charged and self.is_past_charge(event):
            self.charge_all()
        unit = self.units.get(event.get("unit", ""))
        if unit is not None:
            self.set_what_it_says(unit, event)
        handler = self.kinds.get(event["kind"])
        if handler is not None:
            handler(event)

    def go_to(self, tick: int) -> None:
        """Ends the tick that is, and every silent one up to `tick`."""
        while self.tick < tick:
            if not self.charged:
                self.charge_all()
            self.tick += 1
            self.charged = False

    def is_past_charge(self, event: Json) -> bool:
        """Whether an event can only come after this tick's Charge phase (100.4c)."""
        kind = event["kind"]
        if kind == "activation":
            return not event["nested"]
        if kind == "battle_end":
            return bool(event["reason"] == "timeout")
        if event["batch"] is not None:
            return False
        ends = kind in ("grant_end", "stat") or (kind, event.get("status")) == (
            "status_end",
            "freeze",
        )
        return ends or (kind == "death" and bool(event["sweep"]))

    def charge_all(self) -> None:
        self.charged = True
        for unit in self.units.values():
            unit["charge"] += self.rate(unit)

    def rate(self, unit: Json) -> int:
        if unit["vitality"] == 0 or unit["frozen_until"] is not None:
            return 0
        return int(unit["speed"]) + int(unit["quickened"])

    def set_what_it_says(self, unit: Json, event: Json) -> None:
        """Fields that carry a value as it now stands."""
        for name in ("vitality", "max_vitality", "power", "speed", "armor", "ward", "cell"):
            if name in event and event["kind"] != "quicken":
                unit[name] = event[name]
        for name in ("vessels", "progress", "incarnation"):
            if name in event:
                unit[name] = event[name]

    # Kinds that do more

    def on_battle_start(self, event: Json) -> None:
        for written in event["units"]:
            self.build(written, written["focus"], written["keywords"])

    def build(self, written: Json, focus: str, keywords: list[str]) -> None:
        unit = {name: written[name] for name in ("card", "cell", *NUMBERS)}
        unit |= {"runes": written.get("runes", []), "focus": focus, "own": keywords}
        unit |= {"vessels": written.get("vessels", 0), "progress": 0, "incarnation": 0}
        unit |= {"granted": {}, "return_due": None, "quickened": 0, "charge": 0}
        unit |= {"dread": 0, "burn": 0, "frozen_until": None}
        self.units[written["id"] if "id" in written else written["unit"]] = unit

    def on_summon(self, event: Json) -> None:
        printed = self.cards[event["card"]]
        keywords = printed.get("keywords", [])
        vessels = self.starting_vessels if "phylactery" in keywords else 0
        self.build(event | {"vessels": vessels}, printed.get("focus", "any"), keywords)

    def on_activation(self, event: Json) -> None:
        if not event["nested"]:
            unit = self.units[event["unit"]]
            assert unit["charge"] >= FULL, f"{event} at {unit['charge']}"
            unit["charge"] -= FULL

    def on_damage(self, event: Json) -> None:
        self.units[event["unit"]]["ward"] -= event["absorbed"]

    def on_status(self, event: Json) -> None:
        name = "frozen_until" if event["status"] == "freeze" else event["status"]
        self.units[event["unit"]][name] = event["total"]

    def on_status_end(self, event: Json) -> None:
        unit = self.units[event["unit"]]
        if event["status"] == "freeze":
            unit["frozen_until"] = None
        else:
            unit[event["status"]] = 0

    def on_stat(self, event: Json) -> None:
        unit = self.units[event["unit"]]
        unit[event["stat"]] = event["value"]
        if event["stat"] == "vitality":
            unit["max_vitality"] += event["amount"]

    def on_quicken(self, event: Json) -> None:
        self.units[event["unit"]]["quickened"] = event["speed"]

    def on_grant(self, event: Json) -> None:
        self.units[event["unit"]]["granted"][event["keyword"]] = event["until"]

    def on_grant_end(self, event: Json) -> None:
        del self.units[event["unit"]]["granted"][event["keyword"]]

    def on_charge(self, event: Json) -> None:
        unit = self.units[event["unit"]]
        unit["charge"] += event["amount"]
        assert unit["charge"] == event["charge"], f"{event} at {unit['charge']}"

    def on_death(self, event: Json) -> None:
        unit = self.units[event["unit"]]
        unit |= {"vitality": 0, "quickened": 0}

    def on_return_due(self, event: Json) -> None:
        self.units[event["unit"]]["return_due"] = event["due"]

    def on_revival(self, event: Json) -> None:
        unit = self.units[event["unit"]]
        kept = {k: until for k, until in unit["granted"].items() if until == "battle"}
        unit |= {"granted": kept, "return_due": None, "quickened": 0, "charge": 0}
        unit |= {"dread": 0, "burn": 0, "frozen_until": None}

    # What came of it

    def state(self) -> list[list[object]]:
        """As a snapshot's units are written in JSON, side a by number, then side b."""
        ids = sorted(self.units, key=lambda unit_id: (unit_id[0], int(unit_id[1:])))
        return [self.written(unit_id, self.units[unit_id]) for unit_id in ids]

    def written(self, unit_id: str, unit: Json) -> list[object]:
        granted = sorted(keyword for keyword in unit["granted"] if keyword not in unit["own"])
        head = [unit_id, unit["cell"], unit["card"], unit["runes"], unit["focus"]]
        rest = [unit[name] for name in ("vessels", "progress", *NUMBERS, "quickened")]
        last = ("dread", "burn", "frozen_until", "incarnation", "return_due", "charge")
        tail = [unit[name] for name in last]
        return [*head, [*unit["own"], *granted], *rest, *tail, self.rate(unit)]
