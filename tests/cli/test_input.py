"""What a person hands to a command: every way in which a file can be wrong has its sentence."""

import io
from decimal import Decimal
from pathlib import Path

import pytest

from engine import Refused
from server.cli.input import MAX_DEPTH, parse_json, parse_toml, read_object


def as_it_is(value: object) -> object:
    return value


def faults(text: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        parse_json(text)
    return [str(fault) for fault in caught.value.faults]


def faults_of_file(path: Path) -> list[str]:
    with pytest.raises(Refused) as caught:
        read_object(str(path), as_it_is)
    return [str(fault) for fault in caught.value.faults]


def test_decimals_are_exact() -> None:
    assert parse_json('{"seconds": 0.1, "amount": -12}') == {
        "seconds": Decimal("0.1"),
        "amount": -12,
    }
    assert parse_toml("seconds = 0.1") == {"seconds": Decimal("0.1")}


def test_not_json_says_line_and_column() -> None:
    assert faults('{"a": 1,\n "b" 2}') == ["not JSON: expecting ':' delimiter (line 2, column 6)"]
    assert "line 1, column 1" in faults("")[0]


def test_not_toml_says_line_and_column() -> None:
    with pytest.raises(Refused, match=r"not TOML: .*line 2, column 5"):
        parse_toml("a = 1\nb = ?")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json(word: str) -> None:
    assert faults(f'{{"rules": {{"time_limit": [1, {word}]}}}}') == [
        f"rules.time_limit[1]: {word} is no number here"
    ]


@pytest.mark.parametrize("word", ["nan", "inf", "-inf"])
def test_what_is_no_number_in_toml(word: str) -> None:
    with pytest.raises(Refused, match=r"card\[0\].power: .* is no number here"):
        parse_toml(f"[[card]]\npower = {word}")


@pytest.mark.parametrize(
    "number",
    ["1e400", "-1e999999999", "1e-99999", "9" * 5000, "1" + "0" * 16, "1e9999999999999999999"],
)
def test_numbers_out_of_range(number: str) -> None:
    (fault,) = faults(f'{{"a": [0, {number}]}}')
    assert fault.startswith("a[1]: ")
    assert fault.endswith("is out of range")
    assert len(fault) < 60


def test_the_largest_number_is_read() -> None:
    assert parse_json(str(2**53)) == 2**53


def test_a_repeated_key_is_named_with_its_path() -> None:
    assert faults(
        '{"boards": {"a": {"units": [{"cell": 0, "cell": 1}]}}, "seed": 1, "seed": 2}'
    ) == [
        'the key "seed" stands twice',
        'boards.a.units[0]: the key "cell" stands twice',
    ]


def test_half_a_surrogate_pair_is_no_text() -> None:
    assert faults(r'{"seed": "\ud83d", "\udc00": 1}') == [
        "seed: half of a surrogate pair is no character",
        "a key has half of a surrogate pair, which is no character",
    ]
    assert parse_json(r'"\ud83d\udc00"') == "🐀"


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500, 100_000])
def test_too_deep(depth: int) -> None:
    assert faults("[" * depth + "]" * depth) == [f"nested more than {MAX_DEPTH} deep"]


def test_a_hundred_kilobytes_of_brackets() -> None:
    assert len(faults("[" * 100_000)) == 1


def test_as_deep_as_is_read() -> None:
    parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert faults_of_file(tmp_path / "missing.json") == ["no such file"]
    assert faults_of_file(tmp_path) == ["is a directory, not a file"]
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{\n"seed": "\xe9"}')
    assert faults_of_file(latin) == ["not UTF-8: byte 11, on line 2"]
    with pytest.raises(Refused, match="cannot be read"):
        read_object("a\0b", as_it_is)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without end")
def test_a_file_without_end() -> None:
    assert faults_of_file(Path("/dev/zero")) == ["longer than 64 MiB"]


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert faults_of_file(Path("-")) == ["cannot be read: standard input is closed"]


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "marked.json"
    file.write_bytes(b'\xef\xbb\xbf{"seed": "x"}')
    assert read_object(str(file), as_it_is) == {"seed": "x"}


def test_a_name_that_ends_in_toml_is_toml(tmp_path: Path) -> None:
    file = tmp_path / "cards.toml"
    file.write_text("prices = {power = 2}")
    assert read_object(str(file), as_it_is) == {"prices": {"power": 2}}


@pytest.mark.parametrize("name", ["BELL.TOML", "bell.Toml"])
def test_a_name_that_ends_in_toml_is_toml_however_it_is_spelt(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("prices = {power = 2}")
    assert read_object(str(file), as_it_is) == {"prices": {"power": 2}}


@pytest.mark.parametrize("content", ["[[card]]\n", "\n prices = {power = 2}", "# a card\n"])
def test_where_toml_has_another_name_it_is_told_that_the_name_decides(
    tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bell.txt"
    file.write_text(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    for path in (file, Path("-")):
        (fault,) = faults_of_file(path)
        assert fault.startswith("not JSON: expecting value (line ")
        assert fault.endswith("; only what is named .toml is read as TOML")


def test_where_json_has_tomls_name_it_is_told_that_the_name_decides(tmp_path: Path) -> None:
    file = tmp_path / "board.toml"
    file.write_text('{"units": []}')
    (fault,) = faults_of_file(file)
    assert fault.endswith("; what is named .toml is read as TOML")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '{"units": ['),
        ("a.json", ""),
        ("a.json", "[" * 100 + "]" * 100),
        ("a.toml", "[card]\nx"),
    ],
)
def test_what_is_meant_as_what_it_is_named_is_told_without_it(
    tmp_path: Path, name: str, content: str
) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert "named" not in faults_of_file(file)[0]
