"""What tests of the page begin with."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.browser.arena import open_arena, page_of
from tests.browser.chromium import Page, open_page


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A tab on the page of a server on which nothing happens."""
    async with open_arena(1.0) as (server, _), open_page() as page:
        await page.open(page_of(server))
        await page.wait("document.readyState === 'complete'")
        yield page
