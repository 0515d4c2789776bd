# SPDX-License-Identifier: MIT
"""The words of a small site, page by page, as somebody has read and approved them.

`python -m tests.unit.site.test_golden` prints them; look at the difference before you keep it.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unit.report.conftest import MACHINE, Campaigner
from tests.unit.site.conftest import made

from assay.store import Store

EXPECTED = Path(__file__).parent / "expected" / "small-site.txt"
PAGES = ("index.html", "machines/index.html", "operations/stream/index.html",
         "primitives/stream/salsa20/index.html", "primitives/stream/salsa20/compare.html",
         "primitives/stream/salsa20/data.csv")  # fmt: skip
BREAKS = {"p", "li", "tr", "h1", "h2", "dt", "dd", "figcaption", "summary", "title", "option"}


class Words(HTMLParser):
    """Reads what a reader sees, a line for each row, heading and paragraph."""

    def __init__(self) -> None:
        """Start with nothing."""
        super().__init__()
        self.parts: list[str] = []
        self.silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin lines, and part cells."""
        del attrs
        self.silent = tag == "script"
        self.parts.append("\n" if tag in BREAKS else " | " if tag in {"td", "th"} else " ")

    def handle_endtag(self, tag: str) -> None:
        """Hear again."""
        del tag
        self.silent = False
        self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if not self.silent:
            self.parts.append(data)


def words(text: str) -> str:
    """Return the words of a page."""
    reader = Words()
    reader.feed(text)
    found = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in found if line.strip(" |"))


def small_site(folder: Path) -> str:
    """Make a site of two ciphers on one machine, and return the words of its pages."""
    with Store.create(folder / "results") as store:
        store.put_machine(MACHINE)
        campaigner = Campaigner(store)
        campaigner.cell(campaigner.package("hc-128/fast"), speed=2.0, launches=8)
        campaigner.cell(campaigner.package("salsa20/ref"), speed=8.0, launches=8)
        campaigner.cell(campaigner.package("salsa20/simd"), speed=4.0, launches=8)
    to = folder / "site"
    made([folder / "results"], to)
    texts = ((path, (to / path).read_text("utf-8")) for path in PAGES)
    return (
        "\n".join(
            f"=== {path}\n{words(text) if path.endswith('html') else text.strip()}"
            for path, text in texts
        )
        + "\n"
    )


def test_the_words_of_a_small_site_are_those_that_were_approved(tmp_path: Path) -> None:
    """Figures, places, units and headings: a change of any of them is seen."""
    assert small_site(tmp_path) == EXPECTED.read_text("utf-8")


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        sys.stdout.write(small_site(Path(place)))
