# SPDX-License-Identifier: MIT
"""The HTML report in a real browser, from file:// and without a network."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.report.browsing import Watched, follow, in_browser

from assay.report.html import write_report
from assay.summary.cells import Results

pytestmark = in_browser


@pytest.fixture
def index(tmp_path: Path, results: Results) -> str:
    """Write the report and give its address."""
    return write_report(tmp_path / "html", results).as_uri()


def ranked(page: Any) -> Any:
    """Find the names of the ranked packages, from top to bottom."""
    return page.locator("table").first.locator("td.name a")


def test_headings_sort_and_nothing_is_fetched(browser: Any, index: str) -> None:
    """A click sorts, a second turns round; no console message, no request but to files."""
    watched = Watched(browser.new_page())
    page = watched.page
    page.goto(index)
    expect(ranked(page)).to_have_text(["HC-128", "SALSA20", "AES-CTR"])
    page.get_by_role("button", name="Primitive").click()
    expect(ranked(page)).to_have_text(["AES-CTR", "HC-128", "SALSA20"])
    stream = page.get_by_role("button", name="Stream")
    stream.click()
    stream.click()
    expect(ranked(page)).to_have_text(["AES-CTR", "SALSA20", "HC-128"])
    for link in ("SALSA20", "Machine"):
        follow(page, link)
    expect(page.locator("h1")).to_have_text("Machine")
    assert watched.is_quiet()


def test_without_javascript_everything_is_readable(browser: Any, index: str) -> None:
    """The ranking and the style are there; nothing runs that a package was named."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(index)
    expect(ranked(page)).to_have_text(["HC-128", "SALSA20", "AES-CTR"])
    expect(page.locator("table").first.locator("tr.benchmark")).to_have_count(1)
    expect(page.locator("h2")).to_have_text(["Ranking", "Every package and size", "Not ranked"])


@pytest.mark.parametrize("width", [360, 1400])
def test_the_picture_fits_a_phone(browser: Any, index: str, width: int) -> None:
    """Its bars lie within it, each beside its name and its figure, and those of slow ones last."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(index)
    boxes = [one.bounding_box() for one in page.locator(".ranked .box").all()]
    figures = [one.bounding_box() for one in page.locator(".ranked li .figure").all()]
    assert len(boxes) == len(figures) == 3
    assert [one["x"] for one in boxes] == sorted(one["x"] for one in boxes)
    for box, figure in zip(boxes, figures, strict=True):
        assert box["x"] + box["width"] <= figure["x"] <= width
        assert abs(box["y"] + box["height"] / 2 - figure["y"] - figure["height"] / 2) < 8


@pytest.mark.parametrize("width", [400, 1000, 1400])
def test_the_verdict_is_in_sight_without_scrolling(browser: Any, index: str, width: int) -> None:
    """On a phone as well as on a laptop: it stands behind the name."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(index)
    for badge in page.locator("table").first.locator("td.checks .badge").all():
        box = badge.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width


def test_the_dark_scheme_is_followed(browser: Any, index: str) -> None:
    """The paper is dark where the reader asked for it."""
    page = browser.new_page(color_scheme="dark")
    page.goto(index)
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 24, 28)")
