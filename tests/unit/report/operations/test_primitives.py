# SPDX-License-Identifier: MIT
"""A row for each implementation, of all primitives of an operation or of one alone."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.export import import_command
from assay.cli.main import main
from assay.cli.show import command

NIST = """submission,variant,primary,implementation,config,flash,enc(0:8),enc(0:64)
ascon,ascon128v12,yes,opt8,os,2004,4000,30000
ascon,ascon128v12,yes,opt8,o2,2404,3000,20000
ascon,ascon128v12,yes,opt32,os,2004,8000,60000
elephant,elephant160v2,yes,ref,os,2004,9000,70000
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Import a table of two AEADs, one with two implementations."""
    table = tmp_path / "nano33ble-aead-summary.csv"
    table.write_text(NIST)
    folder = tmp_path / "results"
    CliRunner().invoke(import_command, [str(table), "--results", str(folder)])
    return folder


def implementations(*words: str) -> list[str]:
    """Return the implementations that a table shows, best first."""
    done = CliRunner().invoke(command, list(words))
    assert not done.exception, done.output
    return [word for line in done.output.splitlines() for word in line.split()
            if word in ("opt8", "opt32", "ref")]  # fmt: skip


def test_a_primitive_shows_the_best_configuration_of_each_implementation(results: Path) -> None:
    """The operation shows its best implementation alone, unless packages are asked for."""
    assert implementations("crypto_aead", str(results)) == ["opt8", "ref"]
    assert implementations("crypto_aead/ascon128v12", str(results)) == ["opt8", "opt32"]
    assert implementations("crypto_aead", str(results), "--packages") == ["opt8", "opt32", "ref"]
    assert implementations("--packages", str(results)) == ["opt8", "opt32", "ref"]


def test_a_primitive_without_results_is_refused_with_those_that_have_some(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slip of the keys is seen at once."""
    monkeypatch.setattr("sys.argv", ["assay", "show", "crypto_aead/ascon128", str(results)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert "nothing of crypto_aead/ascon128 was measured" in said
    assert "crypto_aead/ascon128v12, crypto_aead/elephant160v2" in said
