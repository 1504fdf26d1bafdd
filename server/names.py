"""Which names may be shown, and which look the same.

A name is shown next to another's, so it must be visible, keep to its place, and not pass for the
other's. The first two are refused; the last is no offence of anyone's (two people are called Ada),
so the one who comes second is shown with their seat: `Ada (b)`.

What looks alike is decided as Unicode's UTS #39 does: both names are reduced to a skeleton, and
the skeletons are compared. Its whole table has 6,000 rows for all scripts; here are the letters of
Latin, Greek and Cyrillic and the digits, which are what people are deceived with, after NFKC has
undone full-width, mathematical and circled letters.
"""

# ruff: noqa: RUF001 - look-alike characters are what this is about

from __future__ import annotations

import unicodedata
from typing import Final

from protocol.messages import Seat

# Marks on one letter. Vietnamese has two; a heap of them covers the lines above and below.
MOST_MARKS: Final = 2

# Characters that count as letters, symbols or marks and yet show nothing, or change only how the
# one before them is drawn. Two names that differ by these differ in nothing to be seen.
_UNSEEN: Final = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    )
)

# Alphabets whose letters pass for one another's. A word of two of them is made to deceive.
_ALIKE_ALPHABETS: Final = ("LATIN", "GREEK", "CYRILLIC")

# What each character is taken for, after NFKD and lower case: first all that looks like a Latin
# letter or a digit, then those that look like one another.
_FACES: Final = {
    "l": "|1!iıιіӏɩ",  # an i without its dot, or as a capital, is a stroke too
    "o": "0оοօσ",
    "a": "аαɑ",
    "b": "вβьъßʙ",
    "c": "сϲ",
    "d": "ԁɗ",
    "e": "еεєҽɛ",
    "g": "ɡԍ",
    "h": "нηһ",
    "j": "јϳ",
    "k": "кκқ",
    "m": "мμ",
    "n": "пո",
    "p": "рρ",
    "q": "ԛ",
    "r": "г",
    "s": "ѕꜱ",
    "t": "тτ",
    "u": "υս",
    "v": "νѵ",
    "w": "ԝω",
    "x": "хχ×",
    "y": "уγү",
    "z": "ζ",
    "-": "–—‐‑‒―−_",
    "'": "’‘`´ʼ",
}
_LOOKS_LIKE: Final = str.maketrans(
    {character: face for face, alike in _FACES.items() for character in alike}
)

# Two letters that stand so close that they are read as one.
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))


def fault_of(name: str) -> str | None:
    """Why a name cannot be shown, as a sentence that goes on from it; None where it can."""
    if not name.strip():
        return "has nothing to be seen"
    if name != name.strip():
        return "begins or ends with a space"
    if unicodedata.category(name[0]).startswith("M"):
        return "begins with a mark that belongs on a letter"
    for character in name:
        if not character.isprintable() or ord(character) in _UNSEEN:
            return f"has a character that cannot be seen, U+{ord(character):04X}"
    if _has_heap(name):
        return f"has more than {MOST_MARKS} marks on one letter"
    if any(len(_alphabets(word)) > 1 for word in name.split()):
        return "mixes alphabets whose letters look the same"
    return None


def look_alike(one: str, other: str) -> bool:
    """Whether a person may take one name for the other."""
    return skeleton(one) == skeleton(other)


def skeleton(name: str) -> str:
    """What is left of a name when everything is gone that the eye passes over. Not for showing."""
    # Case is folded twice: what NFKC makes may be a capital again.
    bare = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold()).casefold()
    kept = "".join(char for char in bare if not _is_passed_over(char)).translate(_LOOKS_LIKE)
    for pair, looks in _PAIRS:
        kept = kept.replace(pair, looks)
    return kept


def apart(name: str, seat: Seat, other: str | None) -> str:
    """The name as it is shown in this seat: marked where it looks like that of the other seat."""
    return f"{name} ({seat})" if other is not None and look_alike(name, other) else name


def _has_heap(name: str) -> bool:
    marks = 0
    for character in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks > MOST_MARKS:
            return True
    return False


def _alphabets(word: str) -> set[str]:
    """The alphabets of a word, of those that look alike."""
    # A character's name begins with its script's, as `CYRILLIC SMALL LETTER A` does.
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in word}
    return scripts.intersection(_ALIKE_ALPHABETS)


def _is_passed_over(character: str) -> bool:
    """Spaces, and marks above and below: `Ada Lovelace` and `AdaLovelace` are one to the eye."""
    return character.isspace() or unicodedata.category(character).startswith("M")
