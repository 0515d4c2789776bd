# SPDX-License-Identifier: MIT
"""`python -m tests.whole.docs.make.screens [FOLDER...]`: renew the pictures of a site's pages.

The site is that of docs/measured.tar.gz and of further results folders.
Chromium opens every page of it at both widths, from file://: a message of the script or the
policy, a request to anywhere else, a page that is wider than its window and, with
`--axe axe.min.js` (npm's axe-core), a grave finding on accessibility are errors.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, ViewportSize, sync_playwright
from tests.unit.report.browsing import CHROMIUM, FLAGS, Watched
from tests.whole.docs.make.pages import DOCS
from tests.whole.docs.make.pictures import MEASURED

from assay.fleet.archived import folders as with_machines
from assay.fleet.taken import take
from assay.site.build import build_site

SIZES = {"site-phone": (400, 800), "site-wide": (1400, 900)}
SHOWN = "operations/stream/index.html"
GRAVE = {"serious", "critical"}
AXE = """async () => (await axe.run()).violations.map(
    one => [one.impact, one.id, one.nodes.map(node => node.target.join(' ')).slice(0, 3)])"""


def complaints(
    browser: Browser, site: Path, width: int, height: int, axe: Path | None
) -> Iterator[str]:
    """Yield what is wrong with the pages of a site in a window."""
    # The policy of the pages lets no script in: axe is put into them in spite of it.
    size: ViewportSize = {"width": width, "height": height}
    watched = Watched(browser.new_context(viewport=size, bypass_csp=axe is not None).new_page())
    for path in sorted(site.rglob("*.html")):
        watched.messages.clear()
        watched.requests.clear()
        watched.page.goto(path.as_uri(), wait_until="load")
        outside = [one for one in watched.requests if not one.startswith("file:")]
        wide = watched.page.evaluate("document.documentElement.scrollWidth")
        found = [*watched.messages, *(f"asks {one}" for one in outside)]
        found += [f"is {wide} pixels wide"] if wide > width else []
        if axe is not None:
            watched.page.add_script_tag(path=axe)
            found += [f"{impact}: {name}: {', '.join(where)}"
                      for impact, name, where in watched.page.evaluate(AXE)
                      if impact in GRAVE]  # fmt: skip
        yield from (f"{path.relative_to(site)} at {width}: {text}" for text in found)


def main() -> int:
    """Make the site, look at its pages, and take the pictures; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--axe", type=Path)
    wanted = parser.parse_args()
    with TemporaryDirectory() as scratch, sync_playwright() as playwright:
        own, _ = take(MEASURED, Path(scratch) / "measured")
        site = Path(scratch) / "site"
        every = [each for one in (own, *wanted.folders) for each in with_machines(one)]
        made = build_site(every, site)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        wrong = list(made.errors)
        for name, (width, height) in SIZES.items():
            for one in complaints(browser, site, width, height, wanted.axe):
                sys.stderr.write(f"{one}\n")
                wrong.append(one)
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto((site / SHOWN).as_uri())
            page.screenshot(path=DOCS / "pictures" / f"{name}.png")
        count = len(list(site.rglob("*.html")))
    sys.stderr.write(f"{count} pages at two widths, {len(wrong)} faults\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
