"""Reads plain JSON objects field by field and notes every fault with its path.

What a field may hold is said by its caller; this module knows no rule of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from engine.faults import Fault, cut, did_you_mean

# Of one number. What a battle makes of many has no bound: it is exact, and may be past 53 bits.
MAX_NUMBER: Final = 1_000_000_000
TICKS_PER_SECOND: Final = 20
# To find the nearest of fifty names takes up to a millisecond; who errs more can ask again.
MOST_SUGGESTIONS: Final = 12
# Whoever wrote a file has it checked on a machine of their own.
MOST_SUGGESTIONS_OF_A_FILE: Final = 1000
# Where no name is near, the right ones are told, if they are not more than the verbs or a card's
# fields.
MOST_TOLD: Final = 15

_NAMES_OF_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (str, "a text"),
    (list, "a list"),
    (dict, "an object"),
)


def describe(value: object) -> str:
    """A value as a fault names it, cut short."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 10_000:  # Python would not write it
        return "a number of thousands of digits"
    if isinstance(value, (int, Decimal)):
        text = str(value)
        return text if len(text) <= 24 else text[:24] + "…"
    if isinstance(value, str):
        return f'"{cut(value)}"'
    kinds = (name for kind, name in _NAMES_OF_TYPES if isinstance(value, kind))
    return next(kinds, "a number")


def is_clean(text: str) -> bool:
    """No control characters and nothing that UTF-8 cannot carry."""
    return not any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in text)


class Faults(list[Fault]):
    """Faults as they are found; the first so many say what would have been right."""

    def __init__(self, most_suggestions: int = MOST_SUGGESTIONS) -> None:
        super().__init__()
        self.most_suggestions = most_suggestions

    def may_suggest(self) -> bool:
        return len(self) < self.most_suggestions


class Reader:
    """One JSON object being read. A field that is wrong is noted, and reads as a harmless value:
    what depends on it is to be judged where it `is_sound`, or a name is not "". One that is null is
    as good as absent; of what is no object nothing is missing."""

    def __init__(self, value: object, path: str, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        self.fields: dict[str, object] = {}
        self._wrong: set[str] = set()
        self.is_object = isinstance(value, dict)
        if isinstance(value, dict):
            self.fields = {key: field for key, field in value.items() if field is not None}
        else:
            self.fault("", f"must be an object, not {describe(value)}")

    def at(self, key: str) -> str:
        """The path of a field."""
        if not key:
            return self.path
        return f"{self.path}.{key}" if self.path else key

    def fault(self, key: str, message: str) -> None:
        self._wrong.add(key)
        self.faults.append(Fault(self.at(key), message))

    def is_sound(self, key: str) -> bool:
        """Whether nothing was found to be wrong with a field, or with all of the object."""
        return self.is_object and key not in self._wrong

    def only(self, known: Iterable[str]) -> None:
        """Notes every field that is not known, unless it is noted already."""
        names = list(known)
        for key in self.fields:
            if key not in names and key not in self._wrong:
                right = self._near(key, names) or self._all_of(names)
                self.fault(cut(key), f"unknown field{right}")

    def has(self, key: str) -> bool:
        return key in self.fields

    def missing(self, key: str) -> bool:
        if key in self.fields:
            return False
        if self.is_object:
            self.fault(key, "is missing")
        return True

    def integer(
        self, key: str, low: int = 0, high: int = MAX_NUMBER, default: int | None = None
    ) -> int:
        """A whole number within `low` and `high`; required when there is no default."""
        if default is not None and key not in self.fields:
            return default
        if self.missing(key):
            return max(low, 0)
        value = self.fields[key]
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(key, f"must be a whole number, not {describe(value)}")
        elif not low <= value <= high:
            self.fault(key, f"must be from {low} to {high}, not {describe(value)}")
        else:
            return value
        return max(low, 0)

    def ticks(self, key: str) -> int:
        """A duration in seconds, above 0 and a whole number of ticks (100.1), in ticks."""
        if self.missing(key):
            return 1
        value = self.fields[key]
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            self.fault(key, f"must be a number of seconds, not {describe(value)}")
            return 1
        if not 0 < value <= MAX_NUMBER:
            self.fault(key, f"must be above 0 and at most {MAX_NUMBER}, not {describe(value)}")
            return 1
        hundredths = Decimal(value).quantize(Decimal("0.01"))  # a tick is five of them
        ticks = hundredths * TICKS_PER_SECOND
        if hundredths != value or ticks != int(ticks):
            self.fault(key, f"{describe(value)} seconds are not a whole number of ticks (0.05)")
            return 1
        return int(ticks)

    def text(self, key: str, default: str | None = None, longest: int = 64) -> str:
        """A text without control characters; required when there is no default."""
        if default is not None and key not in self.fields:
            return default
        if self.missing(key):
            return ""
        value = self.fields[key]
        if not isinstance(value, str):
            self.fault(key, f"must be a text, not {describe(value)}")
        elif not value and default is None:
            self.fault(key, "must not be empty")
        elif len(value) > longest:
            self.fault(key, f"must be at most {longest} characters, not {len(value)}")
        elif not is_clean(value):
            self.fault(key, "must not hold control characters or broken Unicode")
        else:
            return value
        return ""

    def choice(
        self,
        key: str,
        what: str,
        known: Sequence[str],
        default: str | None = None,
        *,
        all_known: bool = True,
    ) -> str:
        """One of the known names; "" where it is none. `what` says what they are, as in
        `no verb "hael"`. Unless `all_known`, only what is near a known one is wrong."""
        if default is not None and key not in self.fields:
            return default
        if self.missing(key):
            return ""
        value = self.fields[key]
        if isinstance(value, str) and value in known:
            return value
        if sentence := self.none_of(value, what, known, all_known=all_known):
            self.fault(key, sentence)
        return ""

    def none_of(
        self, value: object, what: str, known: Sequence[str], *, all_known: bool = True
    ) -> str:
        """Why it is none of the known names; "" where it may be one that is not known."""
        if not isinstance(value, str):
            return f"must be the name of a {what}, not {describe(value)}"
        near = self._near(value, known)
        if not near and not all_known:
            return ""
        return f"no {what} {describe(value)}{near or self._all_of(known)}"

    def _near(self, name: str, known: Iterable[str]) -> str:
        return did_you_mean(name, known) if self.faults.may_suggest() else ""

    def _all_of(self, known: Sequence[str]) -> str:
        """`; known: power, speed`, or nothing where that would be much to read."""
        if not 0 < len(known) <= MOST_TOLD or not self.faults.may_suggest():
            return ""
        return f"; known: {', '.join(known)}"

    def flag(self, key: str, default: bool) -> bool:
        value = self.fields.get(key, default)
        if not isinstance(value, bool):
            self.fault(key, f"must be true or false, not {describe(value)}")
            return default
        return value

    def items(self, key: str) -> list[tuple[str, object]]:
        """The items of a list, each with its path; an absent list is an empty one."""
        value = self.fields.get(key, [])
        if not isinstance(value, list):
            if self.is_sound(key):  # whoever reads it again is not told again
                self.fault(key, f"must be a list, not {describe(value)}")
            return []
        return [(f"{self.at(key)}[{index}]", item) for index, item in enumerate(value)]

    def names(
        self, key: str, what: str, known: Sequence[str], *, all_known: bool = True
    ) -> tuple[str, ...]:
        """A list of different known names; `all_known` as for `choice`."""
        names: dict[str, None] = {}  # in order
        for path, item in self.items(key):
            if not isinstance(item, str) or item not in known:
                if sentence := self.none_of(item, what, known, all_known=all_known):
                    self.faults.append(Fault(path, sentence))
                continue
            if item in names:
                self.faults.append(Fault(path, f'{what} "{item}" stands here twice'))
            names[item] = None
        return tuple(names)
