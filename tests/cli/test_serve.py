"""`serve`: every setting as a flag and as a variable; and how the process ends."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from protocol.client import open_client
from protocol.messages import Create, Welcome
from server.cli import main, options, serve_options
from server.cli.serve import serve
from server.config import DEFAULT_PORT, Config
from server.journal.writer import JournalFailed
from server.limits import RANGES, Limits
from tests.server.test_live import running

COMMAND = [sys.executable, "-c", "from server.cli import main; main()", "serve", "--port", "0"]
COMMAND += ["--data", "none"]

SETTINGS: dict[str, Any] = {
    "host": "127.0.0.1",
    "port": 0,
    "security": {},
    "faults": Path("x"),
    "data": "none",
    "grace": 0,
    "pace": 1.0,
    "log_level": "error",
    "limits": {},
}

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


UNFIT = [
    ("rooms", "-1"),
    ("rooms", "0"),
    ("connections", "99999999999999999999"),
    ("replays", "99999999999999999999"),
    ("records", "2147483648"),
    ("socket_bytes", "99999999999"),
    ("resume_seconds", "99999999999999999999"),
    ("hello_seconds", "nan"),
    ("ping_seconds", "0"),
    ("waiting_seconds", "inf"),
    ("hang_seconds", "inf"),
    ("building_seconds", "1e9"),
    ("messages_per_second", "0"),
    ("frames_per_second", "inf"),
    ("requests_burst", "0"),
    ("grace", "inf"),
    ("pace", "0"),
    ("port", "65536"),
]


@pytest.mark.parametrize("way", ["flag", "variable"])
@pytest.mark.parametrize(("name", "value"), UNFIT, ids=" ".join)
def test_what_no_setting_can_be(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    way: str,
) -> None:
    flag = f"--{name.replace('_', '-')}"
    words = [flag, value] if way == "flag" else []
    if way == "variable":
        monkeypatch.setenv(serve_options.variable(name), value)
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "Invalid value" in said
    assert flag in said


def test_every_limit_has_its_range_and_the_usual_lies_in_it() -> None:
    usual = dataclasses.asdict(Limits())
    assert list(RANGES) == list(usual)
    for name, (least, most) in RANGES.items():
        assert 0 <= least <= usual[name] <= most < math.inf
        assert least > 0 or not name.endswith("_seconds")


@pytest.mark.parametrize("end", ["least", "most"])
async def test_a_server_comes_up_at_either_end_of_all_ranges(end: str) -> None:
    kinds = {name: type(usual) for name, usual in dataclasses.asdict(Limits()).items()}
    limits = Limits(**{name: kinds[name](getattr(ends, end)) for name, ends in RANGES.items()})
    async with running(Config(port=0, limits=limits, data=":memory:")) as server:
        async with open_client(server.url, Create(version=1, name="Ada")) as client:
            with trio.fail_after(60):
                assert isinstance(await anext(client), Welcome)
        assert server.hall.metrics.closed["1011"] == 0


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


class Stub:
    """Stands in for the server; notes whether what hangs would be ended, from start to end."""

    def __init__(self) -> None:
        self.guarded: list[bool] = []
        self.hall = SimpleNamespace(battles=())

    async def serve(self, *_: object, task_status: trio.TaskStatus[Stub]) -> None:
        self._look()
        task_status.started(self)
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await trio.sleep_forever()
        finally:
            self._look()

    async def drain(self, _: float) -> None:
        self._look()

    def _look(self) -> None:
        self.guarded.append(signal.getitimer(signal.ITIMER_REAL)[1] > 0)


def test_what_hangs_is_ended_from_the_start_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stub = Stub()
    monkeypatch.setattr("server.cli.serve.serve_app", stub.serve)
    monkeypatch.setattr("server.cli.serve.take_over", lambda: None)
    assert serve(**SETTINGS) == 0
    assert stub.guarded == [True, True, True]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_journal_that_fails_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(*_: object, task_status: trio.TaskStatus[Stub]) -> None:
        task_status.started(Stub())
        raise JournalFailed("the journal cannot be written: it is full")

    monkeypatch.setattr("server.cli.serve.serve_app", fail)
    monkeypatch.setattr("server.cli.serve.take_over", lambda: None)
    assert serve(**SETTINGS) == 1
    assert capsys.readouterr().err == "phylactery: the journal cannot be written: it is full\n"


def test_a_port_that_is_taken_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status = serve(**{**SETTINGS, "port": port})
    assert status == 1
    assert capsys.readouterr().err == (
        f"phylactery: cannot listen on 127.0.0.1, port {port}: Address already in use\n"
    )


def test_an_address_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = {"host": "256.1.1.1", "security": {"ticket_secret": "x" * 32}}
    status = serve(**{**SETTINGS, **elsewhere})
    assert status == 1
    said = capsys.readouterr().err
    assert said.startswith("phylactery: cannot listen on 256.1.1.1, port 0: ")
    assert len(said.splitlines()) == 1


def test_too_few_files_for_anybody_are_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("server.door.allow_open_files", lambda _: 64)
    assert serve(**SETTINGS) == 1
    assert capsys.readouterr().err == (
        "phylactery: cannot listen on 127.0.0.1, port 0: the system allows this process 64 open"
        " files, and it takes 81 to serve anybody; raise the limit (ulimit -n, or LimitNOFILE= of"
        " the service)\n"
    )


def test_a_folder_for_the_data_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", "--data", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"--data {tmp_path}: is a directory" in capsys.readouterr().err
    assert not Path(f"{tmp_path}-lock").exists()


@pytest.mark.parametrize("by_link", [False, True])
def test_what_is_no_file_is_refused_for_the_data_and_stays_as_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    by_link: bool,
) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    path = link if by_link else pipe
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", "--data", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"phylactery: --data {path}: is a pipe; name a file\n"
    assert link.readlink() == pipe
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


@pytest.mark.parametrize("name", ["x" * 300, "loop", "file/data.db"])
def test_a_place_for_the_data_that_cannot_be_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    path = tmp_path / name
    monkeypatch.setattr("sys.argv", ["phylactery", "serve", "--port", "0", "--data", str(path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"phylactery: cannot open {path}: ")
