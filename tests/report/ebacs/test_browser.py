# SPDX-License-Identifier: MIT
"""The site in a real browser, from file:// and without a network."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.ebacs.conftest import BENCH

from assay.report.ebacs.records import Records
from assay.report.ebacs.site import write_site
from assay.report.ebacs.uplot import FILES, uplot_folder

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PAINTED = """() => {
  const canvas = document.querySelector('#plot canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  }
  return [...colours];
}"""
BLUE, ORANGE = "0,114,178", "213,94,0"  # of the first and the second series

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium"),
    # Playwright's own event loop closes after the test's.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]
needs_uplot = pytest.mark.skipif(
    not all((uplot_folder() / name).is_file() for name in FILES),
    reason="there is no uPlot: run scripts/setup with a network",
)


class Watched:
    """A page whose messages and requests are noted."""

    def __init__(self, page: Any) -> None:
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


@pytest.fixture
def browser() -> Iterator[Any]:
    """Start headless Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as play:
        started = play.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def site(tmp_path: Path, everything: Records) -> Path:
    """Write the site and give its folder."""
    return write_site(tmp_path / "site", everything, [BENCH]).parent


def names(page: Any) -> list[str]:
    """Give the names of the table for 576 bytes on the published machine."""
    table = page.locator("h2", has_text="vm amd64").locator("~ details").first
    table.locator("tbody td:nth-child(4)").first.wait_for()  # a click may still be loading it
    found: list[str] = table.locator("tbody td:nth-child(4)").all_inner_texts()
    return found


def test_tables_sort_and_nothing_is_fetched(browser: Any, site: Path) -> None:
    """A click sorts by name, another one the other way round; all pages are quiet."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="crypto_hash").click()
    assert names(page) == ["sha256", "blake2b", "sha512", "T:md5"]
    heading = page.locator("h2", has_text="vm amd64").locator("~ details").first
    heading.get_by_role("button", name="name").click()
    assert names(page) == ["blake2b", "sha256", "sha512", "T:md5"]
    heading.get_by_role("button", name="50 %").click()
    heading.get_by_role("button", name="50 %").click()
    assert names(page) == ["T:md5", "sha512", "blake2b", "sha256"]
    page.get_by_role("link", name="blake2b").first.click()
    assert page.locator("tr.winner").count() == 2
    page.get_by_role("link", name="bench amd64").click()
    assert page.locator("h1").inner_text() == "bench, amd64"
    assert watched.is_quiet()


def test_no_page_complains(browser: Any, site: Path) -> None:
    """Hostile names run nowhere: an alert would stop the page."""
    watched = Watched(browser.new_page())
    watched.page.on("dialog", lambda dialog: watched.messages.append(dialog.message))
    for path in sorted(site.rglob("*.html")):
        watched.page.goto(path.as_uri())
        assert watched.page.locator("img").count() == 0
    assert watched.is_quiet()


@needs_uplot
def test_the_graph_is_drawn_in_the_colours_of_its_series(browser: Any, site: Path) -> None:
    """Both ciphers at first; the second one's colour goes when it is not chosen."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    assert {BLUE, ORANGE} <= set(page.evaluate(PAINTED))
    assert "lower is better" in page.locator("#plot .u-title").inner_text()
    page.get_by_label("T:hc128").uncheck()
    painted = set(page.evaluate(PAINTED))
    assert BLUE in painted
    assert ORANGE not in painted
    assert watched.is_quiet()


@needs_uplot
def test_axes_and_units_can_be_chosen(browser: Any, site: Path) -> None:
    """Every choice draws the graph anew, and the title says the unit."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    before = page.locator("#plot canvas").evaluate("canvas => canvas.toDataURL()")
    seen = {before}
    for label in ("per byte", "logarithmic lengths", "logarithmic costs"):
        page.get_by_label(label).click()
        seen.add(page.locator("#plot canvas").evaluate("canvas => canvas.toDataURL()"))
    assert len(seen) == 4
    assert "cycles per byte" in page.locator("#plot .u-title").inner_text()
    assert watched.is_quiet()


@needs_uplot
def test_dragging_zooms_and_the_button_shows_everything_again(browser: Any, site: Path) -> None:
    """The range of lengths becomes smaller, then as it was."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    canvas = page.locator("#plot canvas")
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    box = page.locator("#plot .u-over").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 200, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, middle, steps=5)
    page.mouse.up()
    page.mouse.move(0, 0)
    page.wait_for_timeout(100)
    assert canvas.evaluate("canvas => canvas.toDataURL()") != before
    page.get_by_role("button", name="Whole range").click()
    page.wait_for_timeout(100)
    assert page.locator("#plot canvas").evaluate("canvas => canvas.toDataURL()") == before
    assert watched.is_quiet()


@needs_uplot
def test_the_pointer_reads_the_figures(browser: Any, site: Path) -> None:
    """At the right end it is 4096 bytes: 300 and 25 per block, 300 and 180 per block."""
    page = browser.new_page()
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    box = page.locator("#plot .u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 50)
    page.wait_for_timeout(100)
    assert page.locator("#readout").inner_text().endswith("chacha20 1900, T:hc128 11820")


@needs_uplot
def test_machines_can_be_chosen(browser: Any, site: Path) -> None:
    """Cycles of one machine and ticks of another are different graphs."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_hash" / "index.html").as_uri())
    assert page.get_by_label("Machine").locator("option").count() == 3
    for label, unit in (("bench amd64", "ticks per call"), ("vm amd64", "cycles per call")):
        options = page.get_by_label("Machine").locator("option").all_inner_texts()
        wanted = next(text for text in options if text.startswith(label))
        page.get_by_label("Machine").select_option(label=wanted)
        assert unit in page.locator("#plot .u-title").inner_text()
    assert watched.is_quiet()


def test_without_javascript_everything_but_the_graph_is_readable(browser: Any, site: Path) -> None:
    """The tables are there, and a word about the graph."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((site / "crypto_hash" / "index.html").as_uri())
    assert names(page) == ["sha256", "blake2b", "sha512", "T:md5"]
