# SPDX-License-Identifier: MIT
"""docs/reference/sizes.md has the sizes of the code that is shipped.

`assay size HASHES --target all --csv > sizes.csv` and
`python tests/docs/test_sizes_page.py sizes.csv` write its tables anew.
"""

import csv
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from assay.compile.sizes import LEFT_OUT, code_size
from assay.model import Package
from assay.package.compact import compact_header, load_compact
from assay.package.published import published_figures
from assay.targets.catalogue import catalogue
from assay.targets.installed import look_for

CLONE = Path(__file__).resolve().parents[2]
COMPACT = CLONE / "submissions"
PAGE = CLONE / "docs" / "reference" / "sizes.md"
PACKAGES = tuple(
    one
    for folder in sorted(COMPACT.glob("*/*/"))
    if compact_header(folder)
    for one in load_compact(
        folder, tree_root=CLONE, place=folder.relative_to(CLONE).as_posix().rstrip("/")
    )
)
ASSEMBLY = tuple(one for one in PACKAGES if one.architecture)
PORTABLE = tuple(one for one in PACKAGES if not one.architecture)
TARGETS = {one.architecture: one for one in reversed(catalogue()) if not one.is_native}
MEMORY_ON = ("qemu-thumb", "simavr-atmega1281")
Row = dict[str, str]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; the first column is text, the others are numbers."""
    lines = [headings, ["---", *["--:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shabal(rows: Sequence[Row]) -> str:
    """Compare the assembly with what was published, in the order of the catalogue."""
    headings = ("package", "bytes", "paper", "saved", "unit", "per byte", "paper, cycles",
                "32 bytes", "paper, cycles", "10^6/(c s)", "context", "stack")  # fmt: skip
    found = [row for row in rows if row["package"].removeprefix("shabal/") == row["architecture"]]
    lines = []
    for row in (one for one in found if one["target"] != "native"):
        paper = row["published_bytes"]
        saved = f"{100 - 100 * int(row['bytes']) / int(paper):.0f} %" if paper else "-"
        lines.append(
            (f"`{row['package']}`", row["bytes"], paper or "-", saved, row["unit"],
             f"{float(row['long_per_byte']):.2f}", row["published_long_cycles"] or "-",
             row["short"], row["published_short_cycles"] or "-",
             f"{float(row['ratio']):.1f}", row["context"], row["stack"])
        )  # fmt: skip
    return table(headings, lines)


def grid(rows: Sequence[Row], field: str) -> str:
    """Show one figure of all portable packages on all targets but this machine."""
    by_place = {(row["package"], row["target"]): row for row in rows}
    lines = []
    for target in (one.name for one in catalogue() if not one.is_native):
        cells = [_cell(by_place.get((one.selector, target)), field) for one in PORTABLE]
        lines.append((f"`{target}`", *cells))
    return table(("target", *(f"`{one.selector}`" for one in PORTABLE)), lines)


def _cell(row: Row | None, field: str) -> str:
    if row is None or not row[field]:
        return "-"
    value = row[field] if field == "bytes" else f"{float(row[field]):.1f}"
    return f"{value} !" if row["problems"] and field == "bytes" else value


def memory(rows: Sequence[Row]) -> str:
    """Show context and stack of all portable packages on two targets."""
    by_place = {(row["package"], row["target"]): row for row in rows}
    headings = [f"`{name}`, {what}" for name in MEMORY_ON for what in ("context", "stack")]
    lines = []
    for one in PORTABLE:
        found = [by_place[one.selector, name] for name in MEMORY_ON]
        figures = [row[what] for row in found for what in ("context", "stack")]
        lines.append((f"`{one.selector}`", *figures))
    return table(("package", *headings), lines)


def written(page: str, rows: Sequence[Row]) -> str:
    """Replace the tables of the page."""
    parts = {"shabal": shabal(rows), "bytes": grid(rows, "bytes"),
             "steps": grid(rows, "long_per_byte"), "memory": memory(rows)}  # fmt: skip
    for name, text in parts.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        before, _, rest = page.partition(begin)
        _, _, behind = rest.partition(end)
        page = f"{before}{begin}{text}\n{end}{behind}"
    return page


def section(name: str) -> list[list[str]]:
    """Read a table of the page, without its two lines of headings."""
    text = PAGE.read_text(encoding="utf-8")
    inside = text.partition(f"<!-- begin {name} -->\n")[2].partition(f"<!-- end {name} -->")[0]
    return [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in inside.splitlines()[2:]
    ]


@pytest.mark.parametrize("one", ASSEMBLY, ids=lambda one: one.selector)
def test_the_bytes_of_assembly_are_those_of_its_source(one: Package, tmp_path: Path) -> None:
    """Assembled here and now, for the architecture's own target."""
    target = TARGETS[one.architecture or ""]
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    pic = ("-fpic",) if target.pic else ()
    out = tmp_path / "object.o"
    command = (target.compiler, *target.options, *pic, "-c", one.sources[0], "-o", str(out))
    subprocess.run(command, cwd=one.root, check=True, timeout=60)
    stated = {row[0]: int(row[1]) for row in section("shabal")}
    assert stated.get(one.selector) == code_size(out).total_bytes, "write the tables anew"


def test_the_papers_figures_are_those_of_published_toml() -> None:
    """Bytes, cycles per byte, cycles for 32 bytes."""
    stated = {row[0].partition("/")[2]: (row[2], row[6], row[8]) for row in section("shabal")}
    for one in published_figures(COMPACT / "shabal"):
        figures = (one.size_bytes, one.long_cycles, one.short_cycles)
        assert stated[one.architecture] == tuple("-" if f is None else str(f) for f in figures)


def test_every_portable_hash_is_on_the_page_and_every_target() -> None:
    """In the order of the catalogue."""
    text = PAGE.read_text(encoding="utf-8")
    assert [one.selector for one in PORTABLE if f"`{one.selector}`" not in text] == []
    names = [one.name for one in catalogue() if not one.is_native]
    for name in ("bytes", "steps"):
        assert [row[0] for row in section(name)] == names


def test_the_first_page_counts_the_targets() -> None:
    """Those of the catalogue but this machine."""
    text = (CLONE / "README.md").read_text(encoding="utf-8")
    assert f"on {len(catalogue()) - 1} emulated machines" in text


def test_every_section_that_is_left_out_is_named() -> None:
    """With a reason, in the table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    rows = "".join(re.findall(r"^\| `\..*$", text, re.MULTILINE))
    assert [name for name in LEFT_OUT if f"`{name}" not in rows] == []


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as stream:
        figures = list(csv.DictReader(stream))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")
