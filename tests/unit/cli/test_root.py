# SPDX-License-Identifier: MIT
"""Which folder is taken for a clone."""

from pathlib import Path

import pytest

from assay.campaign.roots import packages_root, repository_root
from assay.package.places import shipped
from assay.store import FILE_NAME


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with results, outside of every clone, and go there."""
    monkeypatch.delenv("ASSAY_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath(FILE_NAME).touch()
    return tmp_path


def test_reports_of_packages_do_not_make_a_clone(results: Path) -> None:
    """Without a clone, the second run in a results folder finds the same packages."""
    folder = results / "submissions/trivium/ref"
    folder.mkdir(parents=True)
    folder.joinpath("errors_1_gcc_native_O3-ofp").touch()
    assert repository_root() is None
    assert packages_root() == shipped()


def test_a_clone_in_which_results_were_written_is_still_one(results: Path) -> None:
    """Its packages are there beside the reports."""
    folder = results / "submissions/trivium/ref"
    folder.mkdir(parents=True)
    folder.joinpath("trivium.c").touch()
    folder.joinpath("errors_1_gcc_native_O3-ofp").touch()
    assert repository_root() == results
