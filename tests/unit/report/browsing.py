# SPDX-License-Identifier: MIT
"""A real browser for the tests of pages: from file://, and without a network.

What a page shows is asserted with Playwright's `expect`, which looks again until it is so:
a click comes back before the page it leads to is there.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

NEEDS_CHROMIUM = pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium")
# Playwright's own event loop closes after the test's.
UNRAISED = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
in_browser = [pytest.mark.browser, NEEDS_CHROMIUM, UNRAISED]


class Watched:
    """A page whose messages and requests are noted."""

    def __init__(self, page: Page) -> None:
        """Listen to a page."""
        self.page = page
        self.messages: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def is_quiet(self) -> bool:
        """Whether nothing was complained about and nothing fetched from elsewhere."""
        outside = [url for url in self.requests if not url.startswith("file:")]
        assert self.messages == []
        assert outside == []
        return bool(self.requests)


def follow(page: Page, name: str) -> None:
    """Click the first link of a name, and wait for the page that it leads to."""
    link = page.get_by_role("link", name=name).first
    address = link.evaluate("link => link.href")
    link.click()
    page.wait_for_url(lambda url: url == address)
