# SPDX-License-Identifier: MIT
"""The shipped implementation of a package's primitive, while folders are moved."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.model import Package
from assay.package import shipped as module
from assay.package.discover import load_all
from assay.package.places import shipped
from assay.package.shipped import counterpart


@pytest.fixture
def copied(tmp_path: Path) -> Package:
    """Give a copy of the shipped ChaCha20, with its vectors beside it."""
    shutil.copytree(shipped() / "submissions/chacha20/ref", tmp_path / "chacha20/mine")
    vectors = shipped() / "submissions/chacha20/verified.test-vectors"
    shutil.copy(vectors, tmp_path / "chacha20/mine")
    found = load_all(tmp_path / "chacha20/mine", tmp_path, "chacha20/mine")[0]
    assert isinstance(found, Package)
    return found


def test_vectors_that_vanished_have_no_counterpart(copied: Package) -> None:
    """Nobody can say whether they were the same; the package's own check says that they went."""
    assert counterpart(copied) is not None
    assert copied.vectors is not None
    copied.vectors.unlink()
    assert counterpart(copied) is None


def test_a_package_whose_header_vanished_has_no_counterpart(copied: Package) -> None:
    """Its ECRYPT_NAME cannot be read any more."""
    (copied.root / copied.header).unlink()
    assert counterpart(copied) is None


def test_a_shipped_folder_that_vanished_is_none(
    copied: Package, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A tree is checked all the same."""
    monkeypatch.setattr(module, "shipped_folders", lambda _: [tmp_path / "chacha20/ref"])
    monkeypatch.setattr(module, "shipped", lambda: tmp_path)
    assert counterpart(replace(copied)) is None
