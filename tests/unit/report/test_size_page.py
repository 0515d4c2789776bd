# SPDX-License-Identifier: MIT
"""The size table in the terminal, as CSV and JSON, and as a page; labels of charts."""

import csv
import io
import json
import re
from itertools import combinations

import pytest
from msgspec.structs import replace
from rich.console import Console

from assay.model import Configuration
from assay.model.footprint import CodeSize, Footprint, Published, Section, Steps
from assay.report.code_sizes import FIELDS, SizeRow, size_report, size_rows
from assay.report.drawing import Word
from assay.report.formats.data_files import csv_text, json_text
from assay.report.formats.html import html_text
from assay.report.formats.terminal import render
from assay.report.plots import Box, place
from assay.targets.catalogue import catalogue

FRAME = Box(0, 0, 400, 200)
TARGETS = {target.name: target for target in catalogue()}
PUBLISHED = Published("mips-be", 952, None, None, "", "somebody, 2010")
TABLE = """\
Target             Package          Verdict         Bytes  Published    Long  Short  10^6/(c s)\
  Context  Stack  Unit          Compiled with
native             shabal/portable  vectors equal     574          -   14.50   3855       120.1\
      256    296  cycles        gcc -Os
qemu-mips          shabal/mips-be   vectors equal     460        952   37.50  12892        58.0\
      736      0  instructions  gcc -Os
qemu-mips          sha256/portable  wrong            1408          -  118.25   8015         6.0\
      736    384  instructions  gcc -Os
simavr-atmega1281  sha256/portable  needs __mulsi3   2642          -  815.50  60455         0.5\
      736    336  cycles        gcc -Os
"""
HEADINGS = re.split(r"\s{2,}", TABLE.splitlines()[0])


def made(
    selector: str, target: str, size: int, long: float, short: int, **others: object
) -> Footprint:
    """Make a row; the code has one section that counts and one that does not."""
    where = TARGETS[target]
    unit = {"native": "cycles", "simavr-atmega1281": "cycles"}.get(target, "instructions")
    functions = (("xxx", size - 60), ("<s>", 60))
    sections = (
        Section(".text", size, True, "text"),
        Section(".note", 16, False, "note for the linker"),
    )
    made = Footprint(
        selector,
        where,
        Configuration("gcc", "gcc", "-m32", "-Os", "gcc -Os", "gcc -Os"),
        CodeSize(size, 0, 0, 0, size + 16, sections, functions, ("memcpy",)),
        context_bytes=736,
        stack_bytes=0,
        passed=True,
        steps=(
            Steps("long", "xxx()", long * 8192, unit, 8192, exact=True),
            Steps("short", "a message", short, unit, 32, exact=True),
        ),
    )
    return replace(made, **others)


@pytest.fixture
def rows() -> tuple[SizeRow, ...]:
    """Give rows on three machines, one wrong, one against the size rule, one skipped."""
    footprints = (
        made("shabal/portable", "native", 574, 14.5, 3855, context_bytes=256, stack_bytes=296),
        made("shabal/mips-be", "qemu-mips", 460, 37.5, 12892),
        made("sha256/portable", "qemu-mips", 1408, 118.25, 8015, stack_bytes=384, passed=False),
        made("sha256/portable", "simavr-atmega1281", 2642, 815.5, 60455, stack_bytes=336,
             problems=("needs __mulsi3",)),
        Footprint("shabal/mips-be", TARGETS["native"], skipped="it is assembly for mips-be"),
    )  # fmt: skip
    return size_rows(footprints, {"shabal/mips-be": (PUBLISHED,)})


def test_the_terminal_has_a_row_for_each_figure(rows: tuple[SizeRow, ...]) -> None:
    """Published figures stand beside their own primitive and architecture only."""
    console = Console(width=190, file=io.StringIO(), highlight=False)
    console.print(render(size_report(rows), console))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    table, _, below = text.partition("Bytes: all that is loaded")
    assert [line.rstrip() for line in table.splitlines()] == TABLE.splitlines()
    assert "skipped native: it is assembly for mips-be (shabal/mips-be)" in below


def test_csv_and_json_have_every_row_and_the_same_figures(rows: tuple[SizeRow, ...]) -> None:
    """What was skipped has its reason; what is unknown is empty or null."""
    written = list(csv.DictReader(io.StringIO(csv_text(size_report(rows, "csv")))))
    read = json.loads(json_text(size_report(rows, "json")))["packages"]
    assert len(written) == len(read) == len(rows)
    for line, record in zip(written, read, strict=True):
        assert set(FIELDS) <= set(record)
        for field in FIELDS:
            assert line[field] == ("" if record[field] is None else str(record[field]))
    mips = read[1]
    assert (mips["bytes"], mips["dec"], mips["long_per_byte"]) == (460, 476, 37.5)
    assert (mips["published_bytes"], mips["published_long_cycles"]) == (952, None)
    assert mips["functions"] == {"xxx": 400, "<s>": 60}
    assert read[-1]["skipped"] == "it is assembly for mips-be"


def test_the_ratio_is_that_of_the_paper(rows: tuple[SizeRow, ...]) -> None:
    """10^6 divided by steps per byte and by bytes."""
    ratio = rows[1].footprint.ratio
    assert ratio == pytest.approx(1e6 / 37.5 / 460)


@pytest.mark.parametrize("count", [2, 7, 30])
def test_labels_overlap_nothing(count: int) -> None:
    """Neither each other nor a mark; the smallest is labelled."""
    marks = [(10.0 + (137 * i) % 381, 5.0 + (59 * i) % 189) for i in range(count)]
    labels = place([(x, y, f"mark {i}") for i, (x, y) in enumerate(marks)], marks, FRAME)
    boxes = [box(label) for label in labels]
    assert boxes
    assert labels[0].text == "mark 0"
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert all(one.within(FRAME) for one in boxes)
    dots = [Box(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    assert not [(b, dot) for b in boxes for dot in dots if b.meets(dot)]


def box(label: Word) -> Box:
    """Give the space of a label, at 6 pixels a character."""
    width = 6.0 * len(label.text)
    left = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    return Box(left, label.y - 9, left + width, label.y + 3)


def test_the_page_says_what_counts_and_names_cannot_break_it(rows: tuple[SizeRow, ...]) -> None:
    """Sections with their reasons, functions, externals, what was skipped."""
    page = html_text(size_report(rows, "html"))
    table = page.partition("<table")[2].partition("</table>")[0]
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)', table) == HEADINGS
    assert table.count("<tr") == 1 + 4
    assert table.count('<tr class="failed">') == 2
    assert '<span class="badge fail">needs __mulsi3</span>' in table
    assert "shabal/mips-be on qemu-mips: 460 bytes" in page
    assert "no: note for the linker" in page
    assert "GNU size would say 476." in page
    assert "Needed from elsewhere: memcpy." in page
    assert "<s>" not in page
    assert "&lt;s&gt;" in page
    assert "skipped native: it is assembly for mips-be (shabal/mips-be)" in page
