# SPDX-License-Identifier: MIT
"""The HTML report, read as text."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.html import write_report
from assay.report.ranked import layout
from assay.summary.cells import Results


@pytest.fixture
def folder(tmp_path: Path, results: Results) -> Path:
    """Write the report of the fake results."""
    return write_report(tmp_path / "html", results).parent


def rows(page: str, heading: str) -> list[str]:
    """Give the body rows of the table below a heading."""
    section = page.partition(heading)[2].partition("</section>")[0]
    return section.partition("<tbody>")[2].split("<tr")[1:]


def test_the_first_page_ranks_by_stream(folder: Path) -> None:
    """Each package stands once, with its fastest sound configuration."""
    ranking = rows((folder / "index.html").read_text(), "<h2>Ranking")
    names = [re.search(r'class="name"><a[^>]*>([^<]*)', row) for row in ranking]
    assert [match[1] for match in names if match] == ["HC-128", "SALSA20", "AES-CTR"]
    assert "gcc_default_O3" in ranking[1]


def test_the_columns_are_the_howtos(folder: Path) -> None:
    """The headings come in the original's order, a place before and checks and n behind them."""
    page = (folder / "index.html").read_text()
    head = page.partition("<thead>")[2].partition("</thead>")[0]
    headings = re.findall(r"<th[^>]*>(?:<abbr[^>]*>)?([^<]*)", head)
    assert headings == [
        "Place",
        *("Primitive", "Verdict", "Key", "IV", "MAC", "Stream", "40 bytes", "576 bytes"),
        *("1500 bytes", "Imix", "Agility", "Key setup", "IV setup", "Variant", "Compiler"),
        *("n", "Profile"),
    ]


def test_benchmarks_are_marked(folder: Path) -> None:
    """The row of a benchmark has the original's class."""
    ranking = rows((folder / "index.html").read_text(), "<h2>Ranking")
    assert [row.startswith(' class="benchmark"') for row in ranking] == [False, False, True]


def test_a_wrong_package_is_not_ranked_but_shown_with_the_reason(folder: Path) -> None:
    """The fastest package of all fails a check: it stands below, with reason and cure."""
    page = (folder / "index.html").read_text()
    assert "alert" not in "".join(rows(page, "<h2>Ranking"))
    below = rows(page, 'id="not-ranked"')
    assert "context/interleaved: calls with another context" in below[0]
    assert "Move static variables" in below[0]
    assert "there is no ecrypt-sync.h" in below[1]


def test_names_chosen_by_packages_are_escaped_everywhere(folder: Path) -> None:
    """No page contains the markup that a hostile package is named."""
    pages = list(folder.rglob("*.html"))
    assert len(pages) == 6
    for page in pages:
        assert "<script>alert" not in page.read_text()


def test_skipped_checks_are_counted_apart_from_those_that_passed(folder: Path) -> None:
    """The package passed; on its page no skipped check has the passing colour."""
    row = rows((folder / "index.html").read_text(), "<h2>Ranking")[1]
    assert '<span class="badge pass">2 passed, 1 skipped</span>' in row
    page = (folder / "submissions/salsa20/ref/index.html").read_text()
    assert '<span class="badge unknown">skipped</span>' in page


def test_the_page_of_a_package_shows_all_that_is_known(folder: Path) -> None:
    """Quartiles, launches, bars, quirks, failed builds with cures, messages, the report."""
    page = (folder / "submissions/salsa20/ref/index.html").read_text()
    for expected in (
        "[8.54..8.57]",
        '<svg class="bar"',
        "quirk/no-profile",
        "gcc-12 knows no -O9",
        "Write `std = -std=c99` in the Makefile.",
        "warning: x",
        "Testing key agility:",
        "the API has no associated data",
    ):
        assert expected in page


def test_unit_and_direction_stand_at_every_ranking(folder: Path) -> None:
    """Each page with figures says what they are in, and that lower is better."""
    for name in ("index.html", "submissions/salsa20/ref/index.html"):
        page = (folder / name).read_text()
        assert "<strong>cycles/byte, setups cycles/setup.</strong>" in page
        assert "<strong>Lower is better.</strong>" in page


def test_the_machine_page_tells_what_is_unknown(folder: Path) -> None:
    """What the system does not tell is unknown, and never 0."""
    page = (folder / "machine.html").read_text()
    assert '<dt>Governor</dt><dd><span class="none">unknown</span></dd>' in page
    assert "1 of 31 launches were disturbed" in page
    assert "1.250 ± 0.20 %" in page


def test_a_weak_jail_is_named_on_every_page(tmp_path: Path, results: Results) -> None:
    """Results obtained without bubblewrap say so; the others do not mention it."""
    launches = (*results.launches, replace(results.launches[0], jail="limits only"))
    weak = write_report(tmp_path / "weak", replace(results, launches=launches)).parent
    for page in weak.rglob("*.html"):
        assert "<strong>Weak jail.</strong>" in page.read_text()
        assert "limits only" in page.read_text()


class Tags(HTMLParser):
    """Checks that what is opened is closed."""

    VOID = ("meta", "link", "line", "rect", "polyline")

    def __init__(self) -> None:
        """Start with nothing open."""
        super().__init__()
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an opened element."""
        del attrs
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Expect the innermost open element to be closed."""
        if tag not in self.VOID:
            assert self.stack.pop() == tag


def test_every_element_is_closed(folder: Path) -> None:
    """All pages are well nested."""
    for page in folder.rglob("*.html"):
        parser = Tags()
        parser.feed(page.read_text())
        assert parser.stack == []


def test_links_lead_to_files_that_exist(folder: Path) -> None:
    """Nothing points outside the folder or to a missing page."""
    for page in folder.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#]+)', page.read_text()):
            assert (page.parent / unquote(link)).resolve().is_file(), link


def test_the_report_opens_with_a_bar_for_each_primitive(folder: Path) -> None:
    """In the order of the ranking, with links to the pages of packages."""
    page = (folder / "index.html").read_text()
    picture = page.partition('<figure class="ranked">')[2].partition("</figure>")[0]
    assert page.index("<figure") < page.index("<table")
    blocks = [re.findall(r"<a [^>]*>([^<]*)", one) for one in picture.split("<ol")[1:]]
    assert [name for block in blocks for name in block] == ["HC-128", "SALSA20", "AES-CTR"]
    assert 'href="submissions/salsa20/ref/index.html"' in picture


def test_bars_that_share_a_place_are_one_block() -> None:
    """And a row without a place is a block of its own."""
    series = tuple(
        ChartSeries(name, (ChartPoint(value, None, value, value),), f"{name}.html", place)
        for name, value, place in (
            ("a", 1.0, "1-2"), ("b", 1.1, "1-2"), ("c", 10.0, "3"), ("d", 20.0, ""),
            ("e", 30.0, ""),
        )
    )  # fmt: skip
    found = layout(Chart(Form.RANKED, "", Axis(logarithmic=True), Axis(), series))
    assert [[bar.name for bar in one] for one in found.blocks] == [["a", "b"], ["c"], ["d"], ["e"]]
    one, ten = found.blocks[0][0], found.blocks[1][0]
    assert all(0 < bar.median < 100 for block in found.blocks for bar in block)
    ticks = {tick.label: tick.at for tick in found.ticks}
    assert (ticks["1"], ticks["10"]) == (one.median, ten.median)
    (twenty,) = (bar.median for bar in found.blocks[2])
    assert twenty - ten.median == pytest.approx(0.301 * (ten.median - one.median), abs=0.2)
