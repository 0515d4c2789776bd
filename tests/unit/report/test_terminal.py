# SPDX-License-Identifier: MIT
"""The table in the terminal."""

import io
import json

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.report.conftest import Campaigner, load

from assay.model import SizeChoice
from assay.report.cells import cell_report
from assay.report.formats.data_files import csv_text, json_text
from assay.report.formats.terminal import render
from assay.report.printable import printable
from assay.report.verdicts import standing
from assay.store import Store
from assay.summary.cells import Results
from assay.summary.rows import Detail, chosen_rows
from assay.summary.series import CellResult


def shown(results: Results, width: int, detail: Detail = Detail.PRIMITIVES) -> list[str]:
    """Return the lines that a terminal of this width shows."""
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(render(cell_report(results, detail), console))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 132, 170])
def test_the_table_fits_the_terminal_and_keeps_the_verdict(results: Results, width: int) -> None:
    """Whole words at any width: columns are left out instead, and named below."""
    lines = shown(results, width)
    row = next(line for line in lines if "HC-128" in line)
    assert row.split()[:3] == ["1", "HC-128", "pass"]
    assert "2.76" in row
    assert any("A wider terminal also shows" in line for line in lines) is (width < 170)


def test_the_first_table_has_one_row_per_primitive(store: Store, campaigner: Campaigner) -> None:
    """The fastest sound implementation; the others, and other sizes, are one option away."""
    for name, speed in (("salsa20/ref", 8.0), ("salsa20/fast", 4.0), ("hc-128/ref", 5.0)):
        campaigner.cell(campaigner.package(name), speed=speed)
    lines = shown(load(store), 220)
    named = [line.split()[1] for line in lines[2:4]]
    assert named == ["SALSA20", "HC-128"]
    assert "fast/1" in next(line for line in lines if "SALSA20" in line)
    assert any("--packages" in line for line in lines)
    every = shown(load(store), 220, Detail.PACKAGES)
    assert sum("SALSA20" in line for line in every) == 2


def test_the_row_of_a_primitive_is_at_its_largest_sizes(results: Results) -> None:
    """A small key never makes a cipher look faster than one whose keys are longer."""
    for row in chosen_rows(results.cells, Detail.PRIMITIVES):
        subject = row.result.subject
        assert subject is not None
        assert row.sizes == max(
            (SizeChoice(figure.sizes.key_bits, figure.sizes.iv_bits, figure.sizes.mac_bits)
             for figure in row.result.figures),
            key=lambda sizes: (sizes.key_bits, sizes.iv_bits),
        )  # fmt: skip


def test_a_pass_measured_under_disturbance_is_shown_as_a_pass(
    store: Store, campaigner: Campaigner
) -> None:
    """What disturbed the figures is a remark, and says nothing about the code."""
    cell = campaigner.cell(campaigner.package("salsa20/ref"), launches=0)
    for _ in range(3):
        campaigner.launch(cell, 4.0, disturbed="a neighbour")
    results = load(store)
    row = next(line for line in shown(results, 220) if "SALSA20" in line)
    assert row.split()[2] == "pass"
    assert "measured under disturbance" in row
    assert ",measured under disturbance," in csv_text(cell_report(results, form="csv"))
    document = json.loads(json_text(cell_report(results, form="json")))
    assert [cell["state"] for cell in document["cells"]] == ["pass"]
    assert document["tables"][0]["rows"][0]["remarks"] == "measured under disturbance"


def test_setups_that_leave_work_to_the_first_block_are_remarked_on(snow: CellResult) -> None:
    """Beside the verdict: the figure has what was left."""
    left = tuple(replace(one, deferred=one.measure == "setup/iv") for one in snow.figures)
    assert "IV setup left to the first block" in standing(replace(snow, figures=left)).remarks
    assert "IV setup left to the first block" not in standing(snow).remarks


def test_names_cannot_steer_the_terminal() -> None:
    """Escape sequences of a package's name are shown as question marks."""
    assert printable("a\x1b[31m\nb") == "a?[31m?b"
