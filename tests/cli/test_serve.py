"""`serve`: every setting as a flag and as a variable; and how the process ends."""

from __future__ import annotations

import dataclasses
import json
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from server.cli import main, options, serve_options
from server.cli.serve import serve
from server.config import DEFAULT_PORT, Config
from server.limits import Limits

COMMAND = [sys.executable, "-c", "from server.cli import main; main()", "serve", "--port", "0"]
COMMAND += ["--data", "none"]


SECURITY: dict[str, object] = {
    "origins": [],
    "ticket_secret": None,
    "ticket_key": None,
    "tls_cert": None,
    "tls_key": None,
    "trusted_proxies": [],
}


def settings(monkeypatch: pytest.MonkeyPatch, *words: str) -> dict[str, object]:
    """What `serve` is called with when these words stand on the command line."""
    called: dict[str, object] = {}

    def serve(**given: object) -> int:
        called.update(given)
        return 0

    monkeypatch.setattr("server.cli.serve.serve", serve)
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    return called


def test_nothing_need_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    called = settings(monkeypatch)
    assert Limits(**called.pop("limits")) == Limits()  # type: ignore[arg-type]
    default = Config()
    assert called == {
        "host": default.host,
        "port": default.port,
        "security": SECURITY,
        "faults": default.faults,
        "data": "phylactery.db",
        "grace": 75.0,
        "pace": default.pace,
        "log_level": "info",
    }


def test_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    called = settings(
        monkeypatch,
        *("--host", "::1", "--port", "9", "--origin", "https://a", "--origin", "https://b"),
        *("--data", "there.db", "--grace", "3"),
        *("--faults", "here", "--log-level", "error", "--rooms", "7", "--hello-seconds", "0.5"),
    )
    assert called["limits"] == dataclasses.asdict(Limits(rooms=7, hello_seconds=0.5))
    assert called["security"] == {**SECURITY, "origins": ["https://a", "https://b"]}
    assert (called["host"], called["port"], called["faults"]) == ("::1", 9, Path("here"))
    assert (called["data"], called["grace"]) == ("there.db", 3.0)
    assert called["log_level"] == "error"


def test_variables_and_that_a_flag_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PORT", "9"), ("ROOMS", "7"), ("SPECTATORS", "8"), ("PACE", "2")):
        monkeypatch.setenv(f"PHYLACTERY_{name}", value)
    called = settings(monkeypatch, "--rooms", "70")
    assert (called["port"], called["pace"]) == (9, 2.0)
    assert called["limits"] == dataclasses.asdict(Limits(rooms=70, spectators=8))


@pytest.mark.parametrize(
    "words", [("--rooms", "-1"), ("--hello-seconds", "nan"), ("--pace", "0"), ("--port", "65536")]
)
def test_what_no_setting_can_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "Invalid value" in capsys.readouterr().err


def test_every_limit_has_its_sentence() -> None:
    assert list(serve_options.LIMIT_HELP) == [field.name for field in dataclasses.fields(Limits)]


def test_the_usual_server_is_where_clients_look_for_it() -> None:
    assert f"ws://{Config().host}:{DEFAULT_PORT}" == options.DEFAULT_SERVER


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["SIGINT", "SIGTERM"]
)
def test_a_signal_ends_it_cleanly(number: signal.Signals, status: int) -> None:
    with subprocess.Popen(COMMAND, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        listening = json.loads(process.stderr.readline())
        page = listening["url"].replace("ws", "http", 1)
        with urllib.request.urlopen(f"{page}/healthz") as answer:  # noqa: S310 - our own
            assert answer.status == 200
        process.send_signal(number)
        rest = process.stderr.read()
        process.wait(timeout=10)
    assert process.returncode == status
    assert [json.loads(line)["event"] for line in rest.splitlines()] == ["drains", "stopped"]


def test_a_port_that_is_taken_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status = serve(
            host="127.0.0.1",
            port=port,
            security={},
            faults=Path("x"),
            data="none",
            grace=0,
            pace=1.0,
            log_level="error",
            limits=dataclasses.asdict(Limits()),
        )
    assert status == 1
    assert capsys.readouterr().err == (
        f"phylactery: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
    )


def test_an_address_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    status = serve(
        host="256.1.1.1",
        port=0,
        security={"ticket_secret": "x" * 32},
        faults=Path("x"),
        data="none",
        grace=0,
        pace=1.0,
        log_level="error",
        limits={},
    )
    assert status == 1
    said = capsys.readouterr().err
    assert said.startswith("phylactery: cannot listen on 256.1.1.1, port 0: ")
    assert len(said.splitlines()) == 1


def test_a_folder_for_the_data_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", "--data", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"--data {tmp_path}: is a directory" in capsys.readouterr().err
    assert not Path(f"{tmp_path}-lock").exists()
