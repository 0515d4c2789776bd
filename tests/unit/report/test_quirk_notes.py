# SPDX-License-Identifier: MIT
"""Options of a package's own that are not in its figures: every table names them."""

import io

from rich.console import Console
from tests.unit.report.conftest import Campaigner, load

from assay.model import Quirk
from assay.package.quirks import known_quirks
from assay.report.cells import cell_report
from assay.report.formats.terminal import render
from assay.report.kinds import NAMED_QUIRKS
from assay.store import Store
from assay.summary.rows import Detail

SAYS = "The std line has options that are not passed to the compiler: -mavx2."


def test_the_quirks_that_tables_name_exist() -> None:
    """They are called as the loaders call them."""
    assert {one.name for one in known_quirks().values()} >= NAMED_QUIRKS


def test_tables_name_the_options_that_were_left_out(store: Store, campaigner: Campaigner) -> None:
    """In the terminal; other quirks stand on the page of the package."""
    quirks = (
        Quirk("quirk/std-option", SAYS, "Keep the dialect."),
        Quirk("quirk/no-profile", "the header has no profile", "Define it."),
    )
    fast = campaigner.package("salsa20/fast", quirks=quirks)
    campaigner.cell(fast, speed=2.0)
    campaigner.cell(fast, "-O2", speed=3.0)
    results = load(store)
    console = Console(width=200, file=io.StringIO())
    console.print(render(cell_report(results, Detail.EVERYTHING), console))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count(f"salsa20/fast: {SAYS}") == 1
    assert "no profile" not in text
