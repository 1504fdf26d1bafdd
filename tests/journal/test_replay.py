"""Replays: what is kept of a battle holds, and nothing in it can be changed unnoticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from structlog.testing import capture_logs
from trio.testing import MockClock

from engine import base_catalog, read_catalog
from protocol.messages import BattleId
from server.cli.verify import OTHER_RULES, verify
from server.edition import rules_digest
from server.examine import examine
from server.replay import Replay, decode, encode, listing, replay_of
from tests.journal.worlds import Party, universe

Change = Callable[[dict[str, Any]], None]


@cache
def whole(forfeits: bool = False) -> bytes:
    """The replay of a battle that ran to its end, or was given up."""

    async def fight() -> bytes:
        async with universe() as it:
            party = Party(it)
            if forfeits:
                party.bob.gives_up_at = 100
            await party.live()
            world = await it.server()
            fought = world.store.fought(BattleId("theroom2.1"))
            assert fought is not None
            assert json.loads(listing(world.store.replays(10)))["replays"][0]["id"] == "theroom2.1"
            return encode(replay_of(fought))

    with capture_logs():  # whichever test comes first
        return trio.run(fight, clock=MockClock(autojump_threshold=0))


def changed(change: Change, data: bytes | None = None) -> Replay:
    value = json.loads(data or whole())
    change(value)
    return decode(json.dumps(value).encode())


@pytest.mark.parametrize("forfeits", [False, True])
def test_a_replay_holds(forfeits: bool) -> None:
    replay = decode(whole(forfeits))
    assert replay.result.reason == ("forfeit" if forfeits else "timeout")
    assert len(replay.log) > 50
    findings = examine(replay, base_catalog())
    assert findings.faults == ()
    assert findings.other is None


def test_it_holds_however_the_file_is_laid_out() -> None:
    pretty = json.dumps(json.loads(whole()), indent=2).encode()
    assert examine(decode(pretty), base_catalog()).faults == ()


@pytest.mark.parametrize("field", [b"boards", b"log", b"more"])
def test_what_is_nested_without_end_is_no_replay(field: bytes) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(msgspec.DecodeError, match="nested too deep"):
        decode(b'{"format":1,"%b":%b}' % (field, deep))


def _result(**fields: object) -> Change:
    return lambda value: value["result"].update(fields)


def _stopped(reason: str, *, tick: int, winner: str | None = "b", log: Any = None) -> Change:
    """The battle is said to have been stopped, and its log to be this; None: as it was."""
    wins = {"a": 0, "b": 0} | ({winner: 1} if winner else {})
    fields = {"reason": reason, "digest": None, "tick": tick, "winner": winner, "wins": wins}

    def change(value: dict[str, Any]) -> None:
        value["result"].update(fields)
        if log is not None:
            value["log"] = log

    return change


def _swap_boards(value: dict[str, Any]) -> None:
    value["boards"] = {"a": value["boards"]["b"], "b": value["boards"]["a"]}


def _other_rules(value: dict[str, Any]) -> None:
    value["rules"]["time_limit"] = 400
    value["rules_digest"] = rules_digest(value["rules"])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda value: value.update(commitment="0" * 64), "committed"),
        (lambda value: value.update(secret="1" * 64), "secret"),
        (lambda value: value.update(id="theroom2.2"), "id"),
        (lambda value: value["nonces"].update(a="n" * 16), "nonces"),
        (_result(seed="0" * 64), "seed"),
        (_result(winner="b"), "winner"),
        (_result(tick=7), "tick"),
        (_result(digest="0" * 32), "digest"),
        (lambda value: value["log"].pop(5), "digest"),
        (lambda value: value["log"][5].update(tick=1), "digest"),
        (lambda value: value["rules"].update(time_limit=400), "rules_digest"),
        (_other_rules, "when fought again"),
        (_swap_boards, "when fought again"),
        (lambda value: value["boards"]["a"]["units"].pop(), "when fought again"),
        (lambda value: value["boards"]["a"]["units"][0].update(card="nobody"), "cannot be fought"),
        (lambda value: value["log"][-1].update(winner="a"), "winner is None, and a in the log"),
        (lambda value: value["log"][-1].update(kind="nothing"), "does not end with the end"),
        (lambda value: value["log"].__setitem__(-1, [1]), "does not end with the end"),
        (lambda value: value["log"].clear(), "digest"),
        (_result(digest=None, winner="b", wins={"a": 0, "b": 1}), "digest is missing"),
        (_stopped("forfeit", tick=100, winner=None), "winner is nobody"),
        (_stopped("forfeit", tick=-4), "tick is before the battle"),
        (_stopped("forfeit", tick=1200), "nobody can give up a battle that is over"),
        (_stopped("forfeit", tick=5000), "nobody can give up a battle that is over"),
        (_stopped("forfeit", tick=100), "the log is another one"),
        (_stopped("void", tick=100, winner=None), "nothing is kept of a void battle"),
        (_stopped("void", tick=100, log=[]), "nobody wins a void battle"),
        (lambda value: value.update(round=7), "id is not that of the room"),
        (lambda value: value.update(room="another"), "id is not that of the room"),
        (_result(round=7), "round is not that of the result"),
        (_result(wins={"a": 9, "b": 0}), "wins are more than rounds"),
    ],
)
def test_what_was_changed_is_found(change: Change, fault: str) -> None:
    assert any(fault in one for one in examine(changed(change), base_catalog()).faults)


def test_of_a_battle_that_was_given_up_the_log_is_checked_too() -> None:
    replay = changed(lambda value: value["log"].pop(), whole(True))
    assert "the log is another one" in examine(replay, base_catalog()).faults[-1]


def test_a_replay_of_another_catalog_is_not_fought_again_and_says_so() -> None:
    card = {"id": "newcomer", "name": "N", "text": "", "price": 1, "vitality": 1, "power": 1}
    catalog = read_catalog({"cards": [{**card, "speed": 1}]}, base_catalog())
    findings = examine(decode(whole()), catalog)
    assert findings.faults == ()
    assert findings.other is not None
    assert base_catalog().digest() in findings.other


def test_a_replay_that_contradicts_itself_does_not_hold_whatever_the_catalog() -> None:
    def other(value: dict[str, Any]) -> None:
        value["catalog"] = "0" * 16
        value["result"].update(winner="b", wins={"a": 0, "b": 1})

    findings = examine(changed(other), base_catalog())
    assert (findings.faults, findings.other) == (("winner is b, and None in the log",), None)


def test_where_another_engine_fights_otherwise_both_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def older(value: dict[str, Any]) -> None:
        value["engine"] = "0.0.1"
        _swap_boards(value)

    findings = examine(changed(older), base_catalog())
    assert all("when fought again" in fault for fault in findings.faults)
    assert findings.faults
    assert findings.other is not None
    assert "0.0.1" in findings.other
    file = tmp_path / "older.json"
    file.write_bytes(encode(changed(older)))
    assert verify(str(file)) == OTHER_RULES
    assert "went otherwise when fought again" in capsys.readouterr().err


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, other = (tmp_path / name for name in ("good.json", "bad.json", "other.json"))
    good.write_bytes(whole())
    bad.write_bytes(encode(changed(_result(winner="b"))))
    other.write_bytes(encode(changed(lambda value: value.update(catalog="0" * 16))))
    assert verify(str(good)) == 0
    out, err = capsys.readouterr()
    digest = decode(whole()).result.digest
    assert digest is not None
    assert digest in out
    assert (out.splitlines()[0], err) == (
        "theroom2.1: Ada against Bob; nobody won by timeout, tick 1200",
        "",
    )
    assert verify(str(bad)) == 1
    assert "does NOT hold" in capsys.readouterr().err
    assert verify(str(other)) == OTHER_RULES
    assert "made under other rules" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"seed": "x"}'])
def test_what_is_no_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file = tmp_path / "file.json"
    file.write_text(content)
    assert verify(str(file)) == 2
    assert "is not a replay" in capsys.readouterr().err
    assert verify(str(tmp_path / "none")) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("beside", "line"),
    [("[" * 100_000 + "]" * 100_000, "0"), ("0", "[" * 900 + "]" * 900), ("0", "1e400")],
    ids=["nested without end", "a line nested deep", "a line that is no number"],
)
def test_json_that_is_no_replay_of_ours_is_a_sentence_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], beside: str, line: str
) -> None:
    file = tmp_path / "odd.json"
    data = whole().decode().replace('"log":[', f'"log":[{line},', 1)
    file.write_text(f'{{"x":{beside},{data[1:]}')
    assert verify(str(file)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}: is not a replay: ")
    assert err.count("\n") == 1


def test_names_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "replay.json"
    names = {"a": "\x1b[2JAda", "b": "Bob\nholds"}
    file.write_bytes(encode(changed(lambda value: value.update(players=names))))
    assert verify(str(file)) == 0
    said, _ = capsys.readouterr().out.splitlines()
    assert said.startswith(r"theroom2.1: \x1b[2JAda against Bob\nholds; nobody won")


@pytest.mark.parametrize("beside", ["all that is known", "nothing that is known"])
def test_a_replay_of_another_format_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], beside: str
) -> None:
    file = tmp_path / "newer.json"
    value = json.loads(whole()) if beside == "all that is known" else {"battle": 1}
    file.write_text(json.dumps({**value, "format": 2}))
    assert verify(str(file)) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{file}: is a replay of format 2; this installation reads 1\n")
