"""The numbers of the rulebook that a battle may override by name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

from engine.faults import Fault, Refused, cut
from engine.reading import Faults, Reader, describe

# A line inside a line is a call inside a call: deeper than this the interpreter's own stack would
# be what ends a battle.
DEEPEST_CHAIN: Final = 64

BUDGET: Final = "scrip_budget"
RANGES: Final[dict[str, tuple[int, int]]] = {
    "time_limit": (1, 1_000_000),
    "everlasting_ticks": (1, 1_000_000),
    "scrip_budget": (0, 1_000_000_000),
    "dread_cap": (0, 1_000),
    "rabid_strikes": (1, 1_000),
    "vessel_start": (0, 1_000),
    "vessel_max": (0, 1_000),
    "vessel_cost": (1, 1_000_000),
    "chain_lines": (0, 100_000),
    "chain_depth": (0, DEEPEST_CHAIN),
}


@dataclass(frozen=True)
class Rules:
    """The rulebook's numbers. Times are in ticks, 20 to the second."""

    time_limit: int = 1200
    everlasting_ticks: int = 200
    scrip_budget: int = 60
    dread_cap: int = 10
    rabid_strikes: int = 8
    vessel_start: int = 1
    vessel_max: int = 2
    vessel_cost: int = 10
    vessel_bands: tuple[tuple[int, int], ...] = ((2, 3), (3, 1))  # raw, points each
    chain_lines: int = 256
    chain_depth: int = 24

    def to_object(self) -> dict[str, object]:
        """The rules as the JSON object that overrides every one of them."""
        plain: dict[str, object] = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["vessel_bands"] = [list(band) for band in self.vessel_bands]
        return plain


def read_rules(value: object, path: str = "rules") -> Rules:
    """The rules with the overrides of a JSON object; `Refused` names every fault."""
    faults = Faults()
    rules = rules_from(value, path, faults)
    if faults:
        raise Refused(faults)
    return rules


def rules_from(value: object, path: str, faults: Faults) -> Rules:
    """As `read_rules`, but adds to `faults`; what is at fault keeps its default. Where the budget
    may be what is at fault, it is such that no board is too dear."""
    reader = Reader(value, path, faults)
    changes: dict[str, int] = {}
    sure_of_budget = reader.is_object
    for name in reader.fields:
        if name in RANGES:
            number = reader.integer(name, *RANGES[name])
            if reader.is_sound(name):
                changes[name] = number
        elif name != "vessel_bands":
            reader.fault(cut(name), reader.none_of(name, "rule", (*RANGES, "vessel_bands")))
            sure_of_budget = False
    if not (sure_of_budget and reader.is_sound(BUDGET)):
        changes[BUDGET] = RANGES[BUDGET][1]
    rules = Rules()
    for name, number in changes.items():
        rules = replace(rules, **{name: number})  # type: ignore[arg-type]
    if "vessel_bands" in reader.fields:
        rules = replace(rules, vessel_bands=_bands(reader))
    return rules


def _bands(reader: Reader) -> tuple[tuple[int, int], ...]:
    bands: list[tuple[int, int]] = []
    for path, item in reader.items("vessel_bands"):
        if isinstance(item, list) and len(item) == 2:
            raw = _read_number(item[0], f"{path}[0]", reader.faults)
            bands.append((raw, _read_number(item[1], f"{path}[1]", reader.faults)))
        else:
            sentence = f"must be [raw, points each], not {describe(item)}"
            reader.faults.append(Fault(path, sentence))
    return tuple(bands)


def _read_number(value: object, path: str, faults: Faults) -> int:
    return Reader({"": value}, path, faults).integer("", 0, 1_000_000)
