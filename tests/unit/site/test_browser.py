# SPDX-License-Identifier: MIT
"""The site in a real browser, from file:// and without a network."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.unit.report.browsing import Watched, follow, in_browser
from tests.unit.report.conftest import Campaigner
from tests.unit.site.conftest import made

from assay.store import Store

pytestmark = in_browser
WIDTHS = [400, 1400]


@pytest.fixture
def index(store: Store, campaigner: Campaigner, tmp_path: Path) -> str:
    """Make the site of three ciphers, the last of them with two implementations."""
    campaigner.cell(campaigner.package("hc-128/fast"), speed=2.0, launches=8)
    campaigner.cell(campaigner.package("aes-ctr/ref"), speed=11.0, launches=8)
    campaigner.cell(campaigner.package("salsa20/ref"), speed=8.0, launches=8)
    campaigner.cell(campaigner.package("salsa20/simd"), speed=4.0, launches=8)
    made([store.path.parent], tmp_path / "site")
    return (tmp_path / "site" / "index.html").as_uri()


def figures(page: Page) -> Locator:
    """Find what stands behind the points of pictures."""
    return page.locator("li.row:visible .figure")


def test_every_page_is_quiet_and_fetches_nothing(browser: Browser, index: str) -> None:
    """No message of the script or the policy, no request but to files."""
    watched = Watched(browser.new_page())
    watched.page.goto(index)
    for link in ("stream ciphers", "salsa20", "Compare any two"):
        follow(watched.page, link)
    expect(watched.page.locator("#compared")).to_contain_text("The second is")
    for path in ("machines/index.html", "about.html", "primitives/stream/salsa20/history.html"):
        watched.page.goto(index.replace("index.html", path))
    assert watched.is_quiet()


def test_filters_stand_in_the_address(browser: Browser, index: str) -> None:
    """What was chosen is in the address, and the address chooses it again."""
    page = browser.new_page()
    page.goto(index)
    expect(page.locator("li.row:visible")).to_have_count(3)
    page.get_by_label("constant-time league only").check()
    expect(page.locator("li.row:visible")).to_have_count(0)
    assert "ct=1" in page.url
    page.goto("about:blank")
    page.goto(f"{index}#level=256")
    expect(page.locator("li.row:visible")).to_have_count(0)
    expect(page.get_by_label("Security level at least")).to_have_value("")


def test_units_are_relative_to_the_best_or_to_a_row(browser: Browser, index: str) -> None:
    """The fastest is 1.00, or the cipher that somebody chose is."""
    page = browser.new_page()
    page.goto(index)
    page.get_by_label("Units").select_option("best")
    expect(figures(page)).to_have_text(["1.00", "2.00", "5.50"])
    page.get_by_label("Units").select_option(label="salsa20 simd = 1.00")
    expect(figures(page)).to_have_text(["0.50", "1.00", "2.75"])
    assert "unit=" in page.url


def test_any_two_results_are_compared_with_an_interval(browser: Browser, index: str) -> None:
    """Twice as slow is 100 % more; what else differs stands below."""
    page = browser.new_page()
    page.goto(index.replace("index.html", "primitives/stream/salsa20/compare.html"))
    first, second = page.get_by_label("First"), page.get_by_label("Second")
    names = [one.inner_text() for one in first.locator("option").all()]
    first.select_option(next(one for one in names if one.startswith("simd")))
    second.select_option(next(one for one in names if one.startswith("ref")))
    said = page.locator("#compared")
    expect(said).to_contain_text("The second is slower: its time changes by +100.00 % (95 %: +9")
    expect(page.locator("#differs")).to_contain_text("implementation")
    expect(page.locator("#differs")).not_to_contain_text("kernel")


def test_without_javascript_everything_is_readable(browser: Browser, index: str) -> None:
    """Pictures, tables and pairs are there; filters, which would do nothing, are not."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(index)
    expect(page.locator("li.row a")).to_contain_text(["hc-128", "salsa20", "aes-ctr"])
    expect(page.locator("form.filters")).to_be_hidden()
    page.goto(index.replace("index.html", "primitives/stream/salsa20/compare.html"))
    expect(page.locator("table")).to_contain_text("slower")


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_a_phone(browser: Browser, index: str, width: int) -> None:
    """No page is wider than the window: wide tables scroll in themselves."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    for path in ("index.html", "operations/stream/index.html", "machines/index.html",
                 "primitives/stream/salsa20/index.html"):  # fmt: skip
        page.goto(index.replace("index.html", path))
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_reaches_the_content_first(browser: Browser, index: str) -> None:
    """The first stop skips the navigation, and scrolled tables can be scrolled."""
    page = browser.new_page()
    page.goto(index.replace("index.html", "primitives/stream/salsa20/index.html"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    expect(page.locator("div.scroll[tabindex='0']").first).to_be_visible()


def test_the_dark_scheme_is_followed(browser: Browser, index: str) -> None:
    """The paper is dark where the reader asked for it."""
    page = browser.new_page(color_scheme="dark")
    page.goto(index)
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 24, 28)")
