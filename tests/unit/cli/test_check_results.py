# SPDX-License-Identifier: MIT
"""`assay check --results`: verdicts that stay, as those of a campaign do."""

import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

from assay.fleet.verdict import verdict_of
from assay.model import Verdict
from assay.store import Store

ROOT = Path(__file__).parents[3]
HASH = ROOT / "submissions" / "supercop" / "crypto_hash" / "sha256" / "ref"


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Give a package of the SUPERCOP API that does not compile."""
    place = tmp_path / "tree" / "crypto_hash" / "sha256" / "wrong"
    shutil.copytree(HASH, place)
    (place / "hash.c").write_text("int crypto_hash(;\n")
    return place


def test_verdicts_are_kept_with_the_machine_and_the_command(assay: Assay, broken: Path) -> None:
    """A judged package has a folder that can be packed, imported and shown like a measured one."""
    assert assay("check", str(broken), "--results", "kept").code == 1
    with Store.open(Path("kept"), read_only=True) as store:
        machine, (campaign,) = store.machine(), store.campaigns()
        (cell,) = store.cells()
    assert machine is not None
    assert machine.compilers
    assert campaign.finished_at is not None
    assert campaign.arguments == ("check", str(broken), "--results", "kept")
    assert any(one.verdict is Verdict.FAIL for one in cell.checks)
    packed = assay("collect", "kept", "--archive", "-o", "kept.tar.gz")
    assert packed.code == 0, packed.err


def test_the_verdict_of_a_folder_names_what_failed(assay: Assay, broken: Path) -> None:
    """The worker tells a submitter in one line what `assay check` shows."""
    assay("check", str(broken), "--results", "kept")
    found = verdict_of(Path("kept"))
    assert found.verdict is Verdict.FAIL
    assert "build/compiles" in found.reason
    assert str(found).startswith("fail: ")


def test_a_package_that_passes_has_passed_in_its_folder(assay: Assay) -> None:
    """Nothing but `pass` is told of a package that passes."""
    assert assay("check", str(HASH), "--results", "kept").code == 0
    assert str(verdict_of(Path("kept"))) == "pass"
