# SPDX-License-Identifier: MIT
"""The site in a real browser, from file:// and without a network."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.report.browsing import Watched, follow, in_browser
from tests.report.ebacs.conftest import BENCH

from assay.report.ebacs.records import Records
from assay.report.ebacs.site import write_site

PAINTED = """() => {
  const canvas = document.querySelector('#plot canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) colours.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  }
  return [...colours];
}"""
DRAWING = "() => document.querySelector('#plot canvas').toDataURL()"
BLUE, ORANGE = "0,114,178", "213,94,0"  # of the first and the second series

pytestmark = in_browser


@pytest.fixture
def site(tmp_path: Path, everything: Records) -> Path:
    """Write the site and give its folder."""
    return write_site(tmp_path / "site", everything, [BENCH]).parent


def names(page: Any) -> Any:
    """Find the names in the table for 576 bytes on the published machine."""
    table = page.locator("h2", has_text="vm amd64").locator("~ details").first
    return table.locator("tbody td:nth-child(4)")


def test_tables_sort_and_nothing_is_fetched(browser: Any, site: Path) -> None:
    """A click sorts by name, another one the other way round; all pages are quiet."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "index.html").as_uri())
    follow(page, "crypto_hash")
    expect(names(page)).to_have_text(["sha256", "blake2b", "sha512", "T:md5"])
    heading = page.locator("h2", has_text="vm amd64").locator("~ details").first
    heading.get_by_role("button", name="name").click()
    expect(names(page)).to_have_text(["blake2b", "sha256", "sha512", "T:md5"])
    heading.get_by_role("button", name="50%").click()
    heading.get_by_role("button", name="50%").click()
    expect(names(page)).to_have_text(["sha512", "blake2b", "sha256", "T:md5"])
    follow(page, "blake2b")
    expect(page.locator("tr.winner")).to_have_count(2)
    follow(page, "bench amd64")
    expect(page.locator("h1")).to_have_text("bench, amd64")
    assert watched.is_quiet()


def test_no_page_complains(browser: Any, site: Path) -> None:
    """Hostile names run nowhere: an alert would stop the page."""
    watched = Watched(browser.new_page())
    watched.page.on("dialog", lambda dialog: watched.messages.append(dialog.message))
    for path in sorted(site.rglob("*.html")):
        watched.page.goto(path.as_uri())
        expect(watched.page.locator("img")).to_have_count(0)
    assert watched.is_quiet()


def redrawn(page: Any, before: str) -> str:
    """Wait until the graph is another one than before, and give it."""
    page.wait_for_function(f"before => ({DRAWING})() !== before", arg=before)
    drawing: str = page.evaluate(DRAWING)
    return drawing


def title(page: Any) -> Any:
    """Find the title of the graph."""
    return page.locator("#plot .u-title")


def test_the_graph_is_drawn_in_the_colours_of_its_series(browser: Any, site: Path) -> None:
    """Both ciphers at first; the second one's colour goes when it is not chosen."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    expect(title(page)).to_contain_text("lower is better")
    assert {BLUE, ORANGE} <= set(page.evaluate(PAINTED))
    before = page.evaluate(DRAWING)
    page.get_by_label("T:hc128").uncheck()
    redrawn(page, before)
    painted = set(page.evaluate(PAINTED))
    assert BLUE in painted
    assert ORANGE not in painted
    assert watched.is_quiet()


def test_axes_and_units_can_be_chosen(browser: Any, site: Path) -> None:
    """Every choice draws the graph anew, and the title says the unit."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    seen = [page.evaluate(DRAWING)]
    for label in ("per byte", "logarithmic lengths", "logarithmic costs"):
        page.get_by_label(label).click()
        seen.append(redrawn(page, seen[-1]))
    assert len(set(seen)) == 4
    expect(title(page)).to_contain_text("cycles per byte")
    assert watched.is_quiet()


def test_dragging_zooms_and_the_button_shows_everything_again(browser: Any, site: Path) -> None:
    """The range of lengths becomes smaller, then as it was."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    before = page.evaluate(DRAWING)
    box = page.locator("#plot .u-over").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 200, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, middle, steps=5)
    page.mouse.up()
    page.mouse.move(0, 0)
    redrawn(page, before)
    page.get_by_role("button", name="Whole range").click()
    page.wait_for_function(f"before => ({DRAWING})() === before", arg=before)
    assert watched.is_quiet()


def test_the_pointer_reads_the_figures(browser: Any, site: Path) -> None:
    """At the right end it is 4096 bytes: 300 and 25 per block, 300 and 180 per block."""
    page = browser.new_page()
    page.goto((site / "crypto_stream" / "index.html").as_uri())
    box = page.locator("#plot .u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 50)
    expect(page.locator("#readout")).to_have_text("4096: chacha20 1900, T:hc128 11820")


def test_machines_can_be_chosen(browser: Any, site: Path) -> None:
    """Cycles of one machine and ticks of another are different graphs."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto((site / "crypto_hash" / "index.html").as_uri())
    expect(page.get_by_label("Machine").locator("option")).to_have_count(3)
    for label, unit in (("bench amd64", "ticks per call"), ("vm amd64", "cycles per call")):
        options = page.get_by_label("Machine").locator("option").all_inner_texts()
        wanted = next(text for text in options if text.startswith(label))
        page.get_by_label("Machine").select_option(label=wanted)
        expect(title(page)).to_contain_text(unit)
    assert watched.is_quiet()


def test_without_javascript_everything_but_the_graph_is_readable(browser: Any, site: Path) -> None:
    """The tables are there, and a word about the graph."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((site / "crypto_hash" / "index.html").as_uri())
    expect(names(page)).to_have_text(["sha256", "blake2b", "sha512", "T:md5"])
