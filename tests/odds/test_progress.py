"""What is said while battles are fought."""

from __future__ import annotations

import threading

import pytest

from server.odds import progress


def test_without_a_terminal_a_line_tells_of_a_battle_that_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    told = threading.Event()

    def remark(sentence: str) -> None:
        said.append(sentence)
        told.set()

    monkeypatch.setattr(progress, "remark", remark)
    monkeypatch.setattr(progress, "EVERY_SECONDS", 1e-6)
    with progress.progress(1000) as advance:
        advance(340)
        told.clear()
        assert told.wait(30)
    assert said[-1].startswith("340 of 1,000 battles after ")


def test_what_is_over_soon_is_not_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.progress(10) as advance:
        advance(10)
    assert capsys.readouterr().err == ""
