# SPDX-License-Identifier: MIT
"""docs/reference/sizes.md has the sizes of the code that is shipped.

`assay size HASHES --target all --csv > sizes.csv` and `./scripts/docs --sizes sizes.csv`
write its tables again.
"""

import re
import subprocess
from pathlib import Path

import pytest
from tests.whole.docs.make.sizes import ASSEMBLY, CLONE, PORTABLE, SUBMISSIONS

from assay.compile.sizes import LEFT_OUT, code_size
from assay.model import Package
from assay.package.known import published_figures
from assay.targets.catalogue import catalogue, look_for

PAGE = CLONE / "docs" / "reference" / "sizes.md"
TARGETS = {one.architecture: one for one in reversed(catalogue()) if not one.is_native}


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
    for one in published_figures(SUBMISSIONS / "shabal"):
        figures = (one.size_bytes, one.long_cycles, one.short_cycles)
        assert stated[one.architecture] == tuple("-" if f is None else str(f) for f in figures)


def test_every_portable_hash_is_on_the_page_and_every_target_that_counts() -> None:
    """In the order of the catalogue."""
    text = PAGE.read_text(encoding="utf-8")
    assert [one.selector for one in PORTABLE if f"`{one.selector}`" not in text] == []
    names = [one.name for one in catalogue() if one.counts]
    for name in ("bytes", "steps"):
        assert [row[0] for row in section(name)] == names


def test_the_first_page_counts_the_targets() -> None:
    """Those of the catalogue whose processor is emulated: they are the ones that count."""
    text = (CLONE / "README.md").read_text(encoding="utf-8")
    assert f"on {sum(bool(one.counts) for one in catalogue())} emulated machines" in text


def test_every_section_that_is_left_out_is_named() -> None:
    """With a reason, in the table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    rows = "".join(re.findall(r"^\| `\..*$", text, re.MULTILINE))
    assert [name for name in LEFT_OUT if f"`{name}" not in rows] == []
