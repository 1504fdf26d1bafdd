from __future__ import annotations

import pytest

from tests.journal.test_replay import whole


@pytest.fixture(scope="session")
def fought() -> None:
    """Battles for replays, in a run of their own, which none inside of a run can be."""
    whole()
    whole(True)
