"""The README's examples are true: its battle fights, its board is legal, its card reads, its
Python runs, and the commands it names exist with the options it gives them."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import trustme
from typer.testing import CliRunner

from engine import (
    Battle,
    Rules,
    base_catalog,
    read_battle,
    read_board,
    read_catalog,
    sample_boards,
)
from server.cli.app import app
from server.config import Config
from server.hall import Hall
from server.journal.file import LOCKED_SECONDS
from server.metronome import Metronome
from tests.bench.watched_bytes import Watched, every_pairing

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    lines = [line.split("  #")[0].strip() for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith("phylactery ")]


def test_what_a_spectator_is_sent_is_what_the_benchmark_counts() -> None:
    said = re.search(
        r"^\| bytes a spectator-second, .*, exact \| 500 \| (\d+) ", README, re.MULTILINE
    )
    assert said
    assert int(said[1]) == round(Watched.together(list(every_pairing())).rate())


def test_its_two_commands_stand_alone_and_set_everything_up() -> None:
    assert sum(line.startswith("python3 -m venv") for line in README.splitlines()) == 2


def test_its_board_is_legal_and_its_battle_fights() -> None:
    examples = [json.loads(block) for block in blocks("json")]
    board, battle = examples[0], next(e for e in examples if "boards" in e)
    assert read_board(board, base_catalog(), Rules()).units
    assert Battle(read_battle(battle, base_catalog())).run().winner in ("a", "b", None)


def test_its_card_can_be_added() -> None:
    card = tomllib.loads(blocks("toml")[0], parse_float=Decimal)
    assert set(read_catalog(card, base_catalog()).cards) > set(base_catalog().cards)


def test_its_board_with_the_new_card_is_legal_and_has_it() -> None:
    catalog = read_catalog(tomllib.loads(blocks("toml")[0], parse_float=Decimal), base_catalog())
    new = set(catalog.cards) - set(base_catalog().cards)
    board = read_board(json.loads(blocks("json")[-1]), catalog, Rules())
    assert new <= {unit.card for unit in board.units}


def test_its_sample_boards_are_all_there_are() -> None:
    named = set(re.findall(r"`([a-z]+-[a-z-]+)`", README)) & set(sample_boards())
    assert named == set(sample_boards())


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - our own page
    assert "Result(" in capsys.readouterr().out


@pytest.mark.parametrize("line", commands())
def test_its_commands_exist(line: str) -> None:
    words = [word for word in shlex.split(line)[1:] if word != ">"]
    shown = CliRunner().invoke(app, [words[0], "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert all(word in shown.output for word in words[1:] if word.startswith("--"))


def test_its_nginx_tells_the_server_the_port_that_a_page_was_asked_for_at() -> None:
    (server,) = blocks("nginx")
    assert re.findall(r"proxy_set_header Host (.*?);", server) == ["$http_host"]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not here")
def test_its_nginx_configuration_is_one_that_nginx_takes(tmp_path: Path) -> None:
    """In the version that is here; at a socket of the test's, with files of the test's."""
    cert, key = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    issued = trustme.CA().issue_cert("battles.example.org")
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    (server,) = blocks("nginx")
    server = server.replace("/etc/letsencrypt/live/battles.example.org", str(tmp_path))
    server = server.replace("listen 443 ", f"listen unix:{tmp_path}/socket ")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in kinds)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{server}}}\n"
    )
    checked = subprocess.run(
        ["nginx", "-t", "-e", str(tmp_path / "errors"), "-c", str(tmp_path / "nginx.conf")],  # noqa: S607
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert checked.returncode == 0, checked.stderr


async def test_its_metrics_are_those_of_the_server() -> None:
    text = Hall(Config(), Metronome()).exporter.text().decode()
    exported = set(re.findall(r"^# TYPE (phylactery_\w+)", text, re.MULTILINE))
    assert set(re.findall(r"`(phylactery_\w+)`", README)) == exported


LEVELS = {"debug", "info", "warning", "error", "exception"}


def logged() -> Iterator[tuple[str, str, set[str]]]:
    """Of each line that the server's source logs: event, level, and what is said with it."""
    for file in (ROOT / "server").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in LEVELS
                and re.search(r"(log|about)$", ast.unparse(node.func.value))
            ):
                level = "error" if node.func.attr == "exception" else node.func.attr
                said = {keyword.arg for keyword in node.keywords if keyword.arg} - {"room"}
                for event in ast.walk(node.args[0]):
                    if isinstance(event, ast.Constant):
                        yield str(event.value), level, said


def test_its_log_lines_are_those_of_the_server() -> None:
    table = README.partition("### What the log says")[2]
    rows = re.findall(r"^\| (`.*) \| (debug|info|warning|error) \| (.*?) \|", table, re.MULTILINE)
    named = {event: row for row in rows for event in re.findall(r"`(.*?)`", row[0])}
    lines = list(logged())
    assert {(event, level) for event, level, _ in lines} == {
        (event, level) for event, (_, level, _) in named.items()
    }
    for event, _, said in lines:
        assert said <= set(re.findall(r"`(\w+)`", named[event][2])), event


def test_it_says_for_how_long_another_may_keep_the_data_file_locked() -> None:
    (said,) = re.findall(r"keeps it locked for (\d+) s ends the server", README)
    assert float(said) == LOCKED_SECONDS


def test_every_path_it_names_is_there() -> None:
    for name in re.findall(r"`((?:engine|protocol|server|tests)/[^` ]*)`", README):
        assert (ROOT / name).exists(), name
