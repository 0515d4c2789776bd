# SPDX-License-Identifier: MIT
"""Hashes that a campaign measured: their pages, and their lines beside those of other kinds."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.report.conftest import FAILED, MACHINE, Campaigner

from assay.cli import show
from assay.store import Store


@pytest.fixture
def folder(store: Store, campaigner: Campaigner) -> Path:
    """Give a results folder with a cipher, two sound hashes and one that fails a check."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"), speed=4.0)
    sha = campaigner.hash("sha256/portable")
    campaigner.cell(sha, speed=8.0)
    campaigner.cell(sha, "-O2", speed=9.0)
    campaigner.cell(campaigner.hash("blake2s/portable"), speed=6.0)
    campaigner.cell(campaigner.hash("wrong/portable"), speed=1.0, checks=(FAILED,))
    store.close()
    return store.path.parent


def test_one_csv_has_the_figures_of_every_kind(folder: Path) -> None:
    """`kind` tells them apart, and each line has its units: one file has both."""
    text = CliRunner().invoke(show.command, [str(folder), "--csv", "--all"]).stdout
    lines = list(csv.DictReader(io.StringIO(text)))
    assert {line["kind"] for line in lines} == {"stream", "hash"}
    hashes = [line for line in lines if line["kind"] == "hash"]
    assert {line["unit"] for line in hashes} == {"long: cycles/byte; 32 bytes: cycles/hash"}
    assert all(line["long"] and line["short"] and not line["stream/long"] for line in hashes)
    assert {line["key_bits"] for line in lines if line["kind"] == "hash"} == {""}


def test_json_describes_the_cells_of_every_kind(folder: Path) -> None:
    """Each cell once, and a table for each kind."""
    text = CliRunner().invoke(show.command, [str(folder), "--json"]).stdout
    document = json.loads(text)
    packages = [cell["package"] for cell in document["cells"]]
    assert sorted(packages) == [
        "blake2s/portable", "salsa20/ref", "sha256/portable", "sha256/portable", "wrong/portable",
    ]  # fmt: skip
    assert [table["kind"] for table in document["tables"]] == ["stream", "hash"]


def test_a_table_is_not_headed_by_the_words_that_there_is_none(
    store: Store, campaigner: Campaigner
) -> None:
    """The cipher of the folder does not build; its hash was measured."""
    campaigner.broken_build(campaigner.package("salsa20/ref"), "gcc-12 knows no -O9")
    campaigner.cell(campaigner.hash("sha256/portable"), speed=8.0)
    store.close()
    text = CliRunner().invoke(show.command, [str(store.path.parent)]).stdout
    assert "sha256" in text
    assert "gcc-12 knows no -O9" in text
    assert "Nothing has been measured yet." not in text
