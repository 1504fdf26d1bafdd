"""The tables of codes: whole sentences, no code twice, and what a client does about each."""

from __future__ import annotations

import pytest

from protocol.codes import CloseCode, ErrorCode, Then, after_close


@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_code_says_what_is_wrong_and_what_to_do(code: ErrorCode) -> None:
    assert code == code.value == str(code)
    for sentence in (code.meaning, code.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")


@pytest.mark.parametrize("code", CloseCode)
def test_a_close_code_can_be_sent_or_is_one_of_websockets_own(code: CloseCode) -> None:
    assert code in range(1000, 1014) or code in range(4000, 5000)
    assert code.meaning.endswith(".")
    assert after_close(int(code)) is code.then


def test_meanings_are_told_apart() -> None:
    assert len({code.meaning for code in ErrorCode}) == len(ErrorCode)
    assert len({code.meaning for code in CloseCode}) == len(CloseCode)


def test_an_unknown_close_code_is_worth_a_try() -> None:
    assert after_close(3000) is Then.RESUME
