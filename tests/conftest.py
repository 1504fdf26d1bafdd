"""What one test sets up for the whole process, the next does not inherit."""

from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

# How long an example takes is for benchmarks: other processes may be at work too.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """A log set up on a captured stream would be written to after the capture has closed it."""
    yield
    structlog.reset_defaults()
