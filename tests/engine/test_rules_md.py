"""RULES.md and the engine say the same, and every clause has the tests that hold it beside it."""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import re
from pathlib import Path

import pytest

import engine
from engine import EVENT_FIELDS, Rules
from engine.definitions import (
    AIM_CHANNELS,
    AIMLESS_VERBS,
    AIMS,
    CHANNELS,
    FOCUSED_VERBS,
)
from engine.events import NUMBERS
from engine.printing import VERB_FIELDS
from engine.rules import RANGES
from tests.engine.stage import play

TEXT = (Path(engine.__file__).parent / "RULES.md").read_text(encoding="utf-8")
TESTS = Path(__file__).parent

HUNDREDS = {
    "100": 6,
    "200": 6,
    "300": 5,
    "400": 5,
    "500": 6,
    "600": 5,
    "700": 4,
    "900": 4,
}
HOUSE = [f"{h}.{n}" for h, count in HUNDREDS.items() for n in range(1, count + 1)]
HOUSE += ["500.9", "800.50", "800.51", "800.52"]
GIVEN = [f"500.9{letter}" for letter in "abcdefghijklm"]
GIVEN += [f"800.49{letter}" for letter in "abcdefghijkl"]

# SHA-256 over the given clauses, a line each: its number, a space, its words.
GIVEN_DIGEST = "9dddf379fbbb43bc62fe67dc40f6772c6b259839d4d553a3414339124e0afc4e"


def clauses() -> dict[str, str]:
    """The text of each numbered clause, up to the next clause or heading."""
    pieces = re.split(r"^\*\*(\d+\.\d+[a-m]?)\*\*", TEXT, flags=re.MULTILINE)
    numbers, texts = pieces[1::2], pieces[2::2]
    assert len(set(numbers)) == len(numbers), "a clause stands there twice"
    return {n: text.split("\n#")[0] for n, text in zip(numbers, texts, strict=True)}


def named_tests(text: str) -> list[str]:
    return re.findall(r"^- `(test_\w+)`$", text, re.MULTILINE)


@functools.cache
def defined_tests() -> tuple[str, ...]:
    """The names of all tests of the engine."""
    names: list[str] = []
    for path in sorted(TESTS.glob("test_*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        names += [node.name for node in body if isinstance(node, ast.FunctionDef)]
    return tuple(name for name in names if name.startswith("test_"))


def clause_of(test: str) -> str:
    """The clause that a test's name bears, or ""."""
    number = re.match(r"test_(\d+)_(\d+)([a-m]?)_", test)
    if number is None:
        return ""
    clause = f"{number[1]}.{number[2]}"
    return clause + number[3] if clause + number[3] in GIVEN else clause


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by what stands in their first column."""
    part = re.split(rf"^##+ {heading}$", TEXT, flags=re.MULTILINE)[1].split("\n#")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| `")]
    return {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows}


def quoted(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_every_clause_stands_in_the_rulebook() -> None:
    assert sorted(clauses()) == sorted([*HOUSE, *GIVEN])


def test_the_given_clauses_stand_word_for_word() -> None:
    found = clauses()
    lines: list[str] = []
    for number in sorted(GIVEN):
        quote = re.match(r" \*\(given\)\*\n\n> (.*)\n", found[number])
        assert quote is not None, number
        lines.append(f"{number} {quote[1]}")
    assert hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest() == GIVEN_DIGEST


@pytest.mark.parametrize("number", [*HOUSE, *GIVEN])
def test_every_clause_names_the_tests_that_hold_it(number: str) -> None:
    named = named_tests(clauses()[number])
    assert named, f"{number} names no test"
    assert named == sorted(name for name in defined_tests() if clause_of(name) == number)


@pytest.mark.parametrize(
    ("heading", "prefix"),
    [
        ("The generator", "test_generator_"),
        ("Verbs", "test_verb_"),
        ("Aims", "test_aim_"),
        ("The log", "test_log_"),
        ("What else is held to be true", "test_property_"),
    ],
)
def test_every_section_without_numbers_names_its_tests(heading: str, prefix: str) -> None:
    section = re.split(rf"^## {heading}$", TEXT, flags=re.MULTILINE)[1].split("\n## ")[0]
    assert named_tests(section) == sorted(n for n in defined_tests() if n.startswith(prefix))


def cited(source: str) -> set[str]:
    """The lettered clauses that a source speaks of: `500.9c, d` are two of them."""
    found = re.findall(r"\b(\d+\.\d+)([a-m](?:, [a-m])*)\b", source)
    return {number + letter for number, letters in found for letter in letters.split(", ")}


def test_every_given_clause_is_cited_where_the_engine_does_it() -> None:
    sources = sorted(Path(engine.__file__).parent.glob("*.py"))
    seen = set[str]().union(*(cited(path.read_text(encoding="utf-8")) for path in sources))
    assert [number for number in GIVEN if number not in seen] == []


def test_no_two_tests_have_one_name() -> None:
    names = defined_tests()
    assert len(set(names)) == len(names)


def test_the_table_of_events_is_that_of_the_engine() -> None:
    written = {
        kind: tuple(quoted(cells[0])) + (NUMBERS if cells[0].endswith("numbers") else ())
        for kind, cells in table("The log").items()
    }
    assert written == EVENT_FIELDS
    assert list(written) == list(EVENT_FIELDS)


def test_the_table_of_verbs_is_that_of_the_engine() -> None:
    known = {
        verb: [name for name in (number, *others) if name]
        for verb, (number, _, others) in VERB_FIELDS.items()
    }
    found = table("Verbs")
    assert {verb: quoted(cells[0]) for verb, cells in found.items()} == known
    aimless = {verb for verb, cells in found.items() if "takes no aim" in cells[1]}
    assert aimless == set(AIMLESS_VERBS)


def test_the_table_of_aims_is_that_of_the_engine() -> None:
    channels = {aim: tuple(quoted(cells[0])) for aim, cells in table("Aims").items()}
    assert tuple(channels) == AIMS
    assert {aim: on for aim, on in channels.items() if on} == AIM_CHANNELS
    by_default = re.search(r"it is `focus`\s+for ([^;]*?), and\s+`self`", TEXT)
    assert by_default is not None
    assert tuple(quoted(by_default[1])) == FOCUSED_VERBS


def test_the_table_of_rules_is_that_of_the_engine() -> None:
    written = {rule: json.loads(cells[0]) for rule, cells in table("Rules").items()}
    assert written == Rules().to_object()


def test_the_table_of_channels_is_that_of_the_engine() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", clauses()["600.2"], re.MULTILINE)
    assert tuple(rows) == CHANNELS


def test_the_battle_of_the_rulebook_can_be_fought() -> None:
    block = re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert block is not None
    story = play(json.loads(block[1]), 1200)
    assert story.one("battle_end")


def test_the_ranges_are_those_that_are_read() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) to ([\d,]+) \|$", TEXT, re.MULTILINE)
    written = {name: (int(a.replace(",", "")), int(b.replace(",", ""))) for name, a, b in rows}
    assert written == RANGES
