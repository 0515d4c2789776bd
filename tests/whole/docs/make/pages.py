# SPDX-License-Identifier: MIT
"""Every page of the documentation as it should be."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.whole.corpus import soundness
from tests.whole.docs.make import apis, checks, commands, defects, numbers, sizes

CLONE = Path(__file__).resolve().parents[4]
DOCS = CLONE / "docs"
REFERENCE = DOCS / "reference"
APIS = REFERENCE / "apis.md"
COMMANDS = REFERENCE / "commands.md"
CHECKS = REFERENCE / "checks.md"
SOUNDNESS = REFERENCE / "soundness.md"
SIZES = REFERENCE / "sizes.md"
DEFECTS = CLONE / "src" / "assay" / "check" / "defects.json"


def pages() -> tuple[Path, ...]:
    """Return the files of all pages."""
    return (*sorted(CLONE.glob("*.md")), *sorted(DOCS.rglob("*.md")), DEFECTS)


def written(page: Path, figures: Sequence[sizes.Row] = ()) -> str:
    """Return the text that a page should have now.

    `figures` are the rows of `assay size`, without which the tables of sizes stay.
    """
    if page == APIS:
        return apis.page()
    if page == COMMANDS:
        return commands.page()
    if page == DEFECTS:
        return defects.text()
    if page == CHECKS:
        return checks.page()
    text = numbers.written(page.read_text(encoding="utf-8"))
    if page == SOUNDNESS:
        return soundness.page(text)
    return sizes.written(text, figures) if page == SIZES and figures else text


def stale() -> Iterator[Path]:
    """Yield the pages that differ from what they should be.

    Versions of click break lines at different places, so white space does not count.
    """
    for page in pages():
        if page.read_text(encoding="utf-8").split() != written(page).split():
            yield page


def rows(file: Path) -> list[sizes.Row]:
    """Read the figures that `assay size --csv` printed."""
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
