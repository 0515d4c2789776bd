# SPDX-License-Identifier: MIT
"""Pages of every sort, examined by axe-core in a real browser: nothing at all is found."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page
from tests.unit.report.browsing import in_browser
from tests.unit.report.conftest import Campaigner
from tests.unit.site.conftest import made
from tests.unit.site.generated import store_of

from assay.store import Store

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = [*in_browser, pytest.mark.slow]
PACKAGES = 12  # two hashes, with a scatter plot each
PAGES = ("index.html", "about.html", "machines/*.html", "operations/*/index.html",
         "primitives/*/*/*.html", "versions/*/index.html")  # fmt: skip


def findings(page: Page) -> list[str]:
    """Return what axe-core finds on a page, rule by rule with the first place."""
    return [
        f"{page.url}: {one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
        for one in axe.Axe().run(page).response["violations"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    browser: Browser,
    store: Store,
    campaigner: Campaigner,
    tmp_path: Path,
    scheme: Literal["light", "dark"],
) -> None:
    """Contrast, names of controls and pictures, headings and landmarks, on each sort of page."""
    campaigner.cell(campaigner.package("salsa20/ref"), speed=8.0, launches=8)
    campaigner.cell(campaigner.package("salsa20/simd"), speed=4.0, launches=8)
    store_of(tmp_path / "operations", PACKAGES)
    site = tmp_path / "site"
    made([store.path.parent, tmp_path / "operations"], site)
    page = browser.new_page(color_scheme=scheme)
    found: list[str] = []
    for pattern in PAGES:
        pages = sorted(site.glob(pattern))
        assert pages, pattern
        for one in pages[:3]:
            page.goto(one.as_uri())
            found += findings(page)
    assert found == []


def test_axe_finds_what_is_planted(browser: Browser) -> None:
    """A picture without words, and grey on white."""
    page = browser.new_page()
    page.set_content("<img src='data:,'><p style='color: #ccc; background: #fff'>Faint</p>")
    found = " ".join(findings(page))
    assert "image-alt (critical)" in found
    assert "color-contrast (serious)" in found
