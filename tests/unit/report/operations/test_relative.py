# SPDX-License-Identifier: MIT
"""Ratios to a primitive of one's choice, beside the figures of an operation."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.export import import_command
from assay.cli.show import command

NIST = """submission,variant,primary,implementation,config,flash,enc(0:8),enc(0:64)
_reference_,aes-gcm,yes,felicsv01,o2,3156,16000,40000
ascon,ascon128v12,yes,opt8,os,2004,4000,30000
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Import a table of two AEADs on a board that counts cycles."""
    table = tmp_path / "nano33ble-aead-summary.csv"
    table.write_text(NIST)
    folder = tmp_path / "results"
    CliRunner().invoke(import_command, [str(table), "--results", str(folder)])
    return folder


def shown(results: Path, *more: str) -> list[list[str]]:
    """Return the words of the lines of the table of AEADs."""
    done = CliRunner().invoke(command, ["crypto_aead", str(results), *more])
    return [line.split() for line in done.output.splitlines()]


def test_each_length_has_a_ratio_to_the_chosen_primitive(results: Path) -> None:
    """A quarter for 8 bytes and three quarters for 64; the primitive itself has 1."""
    rows = {
        line[-3]: line for line in shown(results, "--relative", "aes128gcmv1") if len(line) > 5
    }
    assert rows["T:ascon128v12"][3:5] == ["0.25", "0.75"]
    assert rows["T:aes128gcmv1"][3:5] == ["1.00", "1.00"]


def test_a_primitive_without_figures_is_said_to_have_none(results: Path) -> None:
    """No column is added, and a note says why."""
    lines = [" ".join(line) for line in shown(results, "--relative", "rot13")]
    assert "There are no ratios to rot13: it has no figure here." in lines
    assert not any(" x " in line for line in lines)
