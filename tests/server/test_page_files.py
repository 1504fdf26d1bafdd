"""The files of the live view: all are served as what they are, and nothing in them is inline."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from websockets.datastructures import Headers

from engine import Rules, base_catalog, read_board, read_catalog, sample_boards
from server.config import Config
from server.hall import Hall
from server.http import FILES, answer
from server.metronome import Metronome
from tests.server.test_http import get
from tests.server.test_live import running

INDEX = FILES["/"].body.decode()
MODULES = {path: file.body.decode() for path, file in FILES.items() if path.endswith(".js")}


async def test_every_file_is_served_as_what_it_is_and_asked_for_anew_each_time() -> None:
    async with running() as server:
        for path, file in FILES.items():
            status, headers, body = await get(server, path)
            assert (status, headers["content-type"]) == (200, file.kind)
            assert body == file.body.decode()
            assert headers["cache-control"] == "no-cache"
            assert headers["x-content-type-options"] == "nosniff"
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self';")
            assert "unsafe" not in policy


async def test_who_has_a_file_already_is_sent_nothing() -> None:
    async with running() as server:
        headers = (await get(server, "/page/main.js"))[1]
        status, again, body = await get(
            server, "/page/main.js", **{"If-None-Match": headers["etag"]}
        )
        assert (status, body, again["etag"]) == (304, "", headers["etag"])
        assert (await get(server, "/page/main.js", **{"If-None-Match": '"another"'}))[0] == 200


async def test_no_other_file_is_served() -> None:
    async with running() as server:
        for path in ("/page/", "/page/../http.py", "/page/%2e%2e/http.py", "/page/index.html"):
            assert (await get(server, path))[0] == 404


async def test_what_is_printed_on_cards_and_runes_and_what_a_board_costs() -> None:
    async with running() as server:
        printed = json.loads((await get(server, "/api/catalog"))[2])
    catalog = base_catalog()
    for kind in ("cards", "runes", "resonances"):
        assert printed[kind].keys() == getattr(catalog, kind).keys()
        for name, one in getattr(catalog, kind).items():
            said = printed[kind][name]
            assert (said["name"], said["text"]) == (one.name, one.text)
            if kind != "resonances":
                assert (said["price"], said["stats"]) == (one.price, one.stats._asdict())
    for board in sample_boards().values():
        legal = read_board(board, catalog, Rules())
        spent = sum(price_of(unit.to_object(), printed) for unit in legal.units)
        assert spent == legal.price(catalog)
        assert spent <= printed["board"]["budget"]


def price_of(unit: Any, printed: Any) -> int:
    """As the protocol's page says."""
    runes = sum(printed["runes"][name]["price"] for name in unit.get("runes", []))
    scrip = unit.get("scrip", {})
    granted = sum(points * printed["prices"][stat] for stat, points in scrip.items())
    price: int = printed["cards"][unit["card"]]["price"] + runes + granted
    return price


async def test_the_catalog_is_that_of_the_server_made_once_and_sent_once() -> None:
    catalog = read_catalog({"cards": [{"id": "x", "vitality": 1, "power": 2, "speed": 3}]})
    config = Config(catalog=catalog, rules=Rules(scrip_budget=7))
    hall = Hall(config, Metronome())
    first = await answer(hall, "/api/catalog", Headers())
    assert (await answer(hall, "/api/catalog", Headers())).body is first.body
    printed = json.loads(first.body)
    assert list(printed["cards"]["x"]["stats"].values()) == [1, 2, 3, 0, 0]
    assert printed["board"]["budget"] == 7
    known = Headers({"If-None-Match": first.headers["ETag"]})
    again = await answer(hall, "/api/catalog", known)
    assert (again.status_code, again.body) == (304, b"")


def test_every_file_of_the_folder_has_a_kind() -> None:
    names = {entry.name for entry in files("server").joinpath("page").iterdir()}
    assert len(FILES) == len(names)


def test_nothing_is_inline_and_nothing_from_elsewhere() -> None:
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", INDEX) == []
    assert re.findall(r"<script(?![^>]* src=)", INDEX) == []
    for path, file in FILES.items():
        links = set(re.findall(r"https?://[^\s\"'<>]*", file.body.decode()))
        assert links <= {"http://www.w3.org/2000/svg"}, path


def test_what_the_page_asks_for_is_there() -> None:
    asked = set(re.findall(r'(?:src|href)="(page/[^"#]+)', INDEX))
    assert asked
    for path, body in MODULES.items():
        folder = path.rpartition("/")[0]
        asked |= {f"{folder}/{name}"[1:] for name in re.findall(r'from "\./([^"]+)"', body)}
    assert {f"/{name}" for name in asked} <= FILES.keys()
    unused = FILES.keys() - {f"/{name}" for name in asked} - {"/"}
    assert unused == set()


@pytest.mark.parametrize("path", sorted(MODULES))
def test_what_strangers_write_stays_text(path: str) -> None:
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    assert re.findall(ways, MODULES[path]) == []
    assert len(MODULES[path].splitlines()) <= 200
