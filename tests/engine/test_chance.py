"""The generator: known answers of xoshiro128**, draws without bias, and every kind of draw."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import engine
from engine.chance import Chance

RULES_MD = Path(engine.__file__).parent / "RULES.md"


def from_state(*words: int) -> Chance:
    chance = Chance("")
    chance.s0, chance.s1, chance.s2, chance.s3 = words
    return chance


def test_generator_known_answers_of_xoshiro128_starstar() -> None:
    chance = from_state(1, 2, 3, 4)
    assert [chance.next() for _ in range(10)] == [
        11520,
        0,
        5927040,
        70819200,
        2031721883,
        1637235492,
        1287239034,
        3734860849,
        3729100597,
        4258142804,
    ]


@pytest.mark.parametrize("seed", ["", "a", "any text", "骨", "x" * 4096])
def test_generator_state_is_sha256_of_the_seed_as_four_little_endian_words(seed: str) -> None:
    digest = hashlib.sha256(seed.encode("utf-8")).digest()
    words = [int.from_bytes(digest[at : at + 4], "little") for at in (0, 4, 8, 12)]
    chance = Chance(seed)
    assert [chance.s0, chance.s1, chance.s2, chance.s3] == words


def test_generator_with_a_state_of_zeros_makes_the_last_word_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Zeros:
        def digest(self) -> bytes:
            return bytes(32)

    monkeypatch.setattr("engine.chance.hashlib.sha256", lambda _: Zeros())
    chance = Chance("any")
    assert (chance.s0, chance.s1, chance.s2, chance.s3) == (0, 0, 0, 1)


WORDS = 2**32


def next_is(word: int) -> Chance:
    """A generator whose next word is this one: the output function, run backwards."""
    turned = word * pow(9, -1, WORDS) % WORDS
    product = (turned >> 7 | turned << 25) % WORDS
    return from_state(0x9E3779B9, product * pow(5, -1, WORDS) % WORDS, 3, 4)


def second_word(word: int) -> int:
    chance = next_is(word)
    assert chance.next() == word
    return chance.next()


def test_generator_rejects_what_would_make_a_draw_uneven() -> None:
    # 2**32 is 1 more than a multiple of 3, and 4 more than one of 6.
    for n, rejected in ((3, range(WORDS - 1, WORDS)), (6, range(WORDS - 4, WORDS))):
        for word in rejected:
            assert next_is(word).below(n) == second_word(word) % n
        last = rejected.start - 1
        assert next_is(last).below(n) == last % n == n - 1


def test_generator_rejects_nothing_where_n_divides_the_words() -> None:
    for n in (1, 2, 4, 8):
        assert next_is(WORDS - 1).below(n) == n - 1


def test_generator_draws_are_the_word_modulo_n() -> None:
    for n in range(1, 9):
        assert [next_is(word).below(n) for word in range(20)] == [w % n for w in range(20)]


def test_generator_draws_are_even() -> None:
    chance = Chance("even")
    counts = [0] * 7
    for _ in range(7000):
        counts[chance.below(7)] += 1
    assert max(counts) - min(counts) < 200


def test_generator_a_focus_draw_among_one_takes_nothing() -> None:
    chance = next_is(5)
    assert chance.focus(1) == 0
    assert chance.focus(2) == 1  # the first word is still to come


def test_generator_initiative_is_a_draw_below_two() -> None:
    assert [next_is(word).initiative() for word in (0, 1, 2, 3)] == [0, 1, 0, 1]


def test_generator_named_draws_are_the_table_of_the_rulebook() -> None:
    own = {name for name in dir(Chance) if not name.startswith("_")}
    draws = own - {"s0", "s1", "s2", "s3", "next", "below"}
    table = RULES_MD.read_text(encoding="utf-8").split("### Draws")[1].split("\n#")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == draws


def test_generator_is_asked_by_its_named_draws_alone() -> None:
    for path in sorted(Path(engine.__file__).parent.glob("*.py")):
        if path.name != "chance.py":
            asked = re.findall(r"\bchance\.(\w+)\(", path.read_text(encoding="utf-8"))
            assert set(asked) <= {"initiative", "focus"}, path.name
