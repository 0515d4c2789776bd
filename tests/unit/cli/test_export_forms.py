# SPDX-License-Identifier: MIT
"""`assay export`: every result with all its columns, as CSV and JSON."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling
from tests.unit.report.conftest import MACHINE, Campaigner

from assay.model import Campaign
from assay.store import Store

LINES = [
    f"20260330 vm amd64 20261120 crypto_hash sha256/timingleaks {rest}"
    for rest in (
        "implementation crypto_hash/sha256/ref -",
        "compiler gcc_-O3 12.2.0",
        "cycles 576 936 -26+0+0+26",
        "cycles 1536 2427 -1+0+1",
    )
]


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line beside a folder of results."""
    monkeypatch.chdir(tmp_path)
    with Store.create(Path("r")) as store:
        store.put_machine(MACHINE)
        store.start_campaign(Campaign(("run",), "2026-11-21T10:00:00+00:00"))
        fake = Campaigner(store)
        fake.cell(fake.package("salsa20/ref"), speed=4.0)
        fake.cell(fake.package("=cmd/ref"), speed=2.0)
    Path("data").write_text("".join(f"{line}\n" for line in LINES))
    return calling(monkeypatch, capsys)


def test_csv_and_json_have_the_same_results_with_the_same_columns(assay: Assay) -> None:
    """A line for each measure of each build; a program may take either."""
    rows = list(csv.DictReader(io.StringIO(assay("export", "r", "--format", "csv").out)))
    results = json.loads(assay("export", "r", "--format", "json").out)["results"]
    assert len(rows) == len(results) > 10
    for row, result in zip(rows, results, strict=True):
        assert list(row) == list(result)
        assert float(row["median"]) == result["median"]
        assert row["per_launch"].split() == [str(value) for value in result["per_launch"]]


def test_a_figure_is_that_of_the_table(assay: Assay) -> None:
    """4096 bytes and 200 at 4 ticks each, 1.25 cycles a tick, is the long stream's test."""
    results = json.loads(assay("export", "r", "--format", "json").out)["results"]
    (stream,) = (
        one
        for one in results
        if (one["implementation"], one["measure"]) == ("salsa20/ref", "stream/long")
    )
    assert stream["unit"] == "cycles"
    assert stream["rate"] == pytest.approx(4.0 * 1.25 * 4296 / 4096, rel=0.01)
    assert stream["launches"] == len(stream["per_launch"]) == len(stream["started_at"]) == 5
    assert stream["configuration"] == "gcc-12_default_O3"
    shown = json.loads(assay("show", "r", "--format", "json").out)["tables"][0]["rows"]
    (row,) = (one for one in shown if one["package"] == "salsa20/ref")
    assert row["stream/long"] == pytest.approx(stream["rate"])


def test_names_are_no_formulas_in_csv(assay: Assay) -> None:
    """Strangers chose them."""
    assert '"=cmd' not in assay("export", "r", "--format", "csv").out
    assert ",=cmd" not in assay("export", "r", "--format", "csv").out
    assert "'=cmd/ref" in assay("export", "r", "--format", "csv").out


def test_imported_results_have_these_forms_too(assay: Assay) -> None:
    """By length, with what is known of them."""
    assert assay("import", "data", "--results", "r").code == 0
    results = json.loads(assay("export", "r", "--imported", "--format", "json").out)["results"]
    assert [(one["measure"], one["size"], one["median"]) for one in results] == [
        ("cycles/576", 576, 936.0),
        ("cycles/1536", 1536, 2427.0),
    ]
    assert {one["machine"] for one in results} == {"vm"}


def test_a_folder_without_results_gives_no_file(assay: Assay) -> None:
    """An empty document would pass for a measurement of nothing."""
    Store.create(Path("empty")).close()
    done = assay("export", "empty", "--format", "json", "-o", "out.json")
    assert done.code == 2
    assert "no own results in empty" in done.err
    assert not Path("out.json").exists()


def test_the_form_must_be_named_and_the_older_spelling_works(assay: Assay) -> None:
    """`--supercop` was the only one."""
    assert assay("import", "data", "--results", "r").code == 0
    assert "--format supercop, csv, json" in assay("export", "r").err
    old = assay("export", "r", "--supercop", "--imported").out
    assert old.splitlines() == LINES
    assert assay("export", "r", "--format", "supercop", "--imported").out == old
    refused = assay("export", "r", "--format", "csv", "--version-word", "20260330")
    assert refused.code == 2
    assert "--version-word applies to --format supercop only" in refused.err
