# SPDX-License-Identifier: MIT
"""The HTML report in a real browser, from file:// and without a network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.report.html import write_report
from assay.report.summary import Results

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium"),
    # Playwright's own event loop closes after the test's.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture
def browser() -> Iterator[Any]:
    """Start headless Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def index(tmp_path: Path, results: Results) -> str:
    """Write the report and give its address."""
    return write_report(tmp_path / "html", results).as_uri()


def names(page: Any) -> list[str]:
    """Give the ranked packages from top to bottom."""
    found: list[str] = page.locator("table").first.locator("td.name a").all_inner_texts()
    return found


def test_headings_sort_and_nothing_is_fetched(browser: Any, index: str) -> None:
    """A click sorts, a second turns round; no console message, no request but to files."""
    page = browser.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(index)
    assert names(page) == ["HC-128", "SALSA20", "AES-CTR"]
    page.get_by_role("button", name="Primitive").click()
    assert names(page) == ["AES-CTR", "HC-128", "SALSA20"]
    stream = page.get_by_role("button", name="Stream")
    stream.click()
    stream.click()
    assert names(page) == ["AES-CTR", "SALSA20", "HC-128"]
    for link in ("SALSA20", "Machine"):
        page.get_by_role("link", name=link).first.click()
    assert page.locator("h1").inner_text() == "Machine"
    assert messages == []
    assert [url for url in requests if not url.startswith("file:")] == []


def test_without_javascript_everything_is_readable(browser: Any, index: str) -> None:
    """The ranking and the style are there; nothing runs that a package was named."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(index)
    assert names(page) == ["HC-128", "SALSA20", "AES-CTR"]
    assert page.locator("tr.benchmark").count() == 1
    assert page.locator("h2").all_inner_texts() == ["Ranking", "Not ranked"]


def test_the_dark_scheme_is_followed(browser: Any, index: str) -> None:
    """The paper is dark where the reader asked for it."""
    page = browser.new_page(color_scheme="dark")
    page.goto(index)
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(20, 24, 28)"
