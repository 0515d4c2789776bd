# SPDX-License-Identifier: MIT
"""A fake campaign of every kind, a browser, and a cache that belongs to the test."""

from pathlib import Path

import pytest
from tests.unit.report.conftest import Campaigner, browser, campaigner, results, store

from assay.site.build import MadeSite, build_site
from assay.store import Store
from assay.summary.cells import Results

__all__ = ["Campaigner", "browser", "campaigner", "results", "store"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the index of a test among its own files."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def site(store: Store, results: Results, tmp_path: Path) -> Path:
    """Make the site of the fake campaign."""
    del results
    made([store.path.parent], tmp_path / "site")
    return tmp_path / "site"


def made(folders: list[Path], to: Path, *, lines: bool = True) -> MadeSite:
    """Make a site in one process."""
    return build_site(folders, to, processes=1, lines=lines)
