# SPDX-License-Identifier: MIT
"""Results of earlier versions, which no released Assay wrote, are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.store.examples import BUILD, O3, PACKAGE

from assay.errors import AssayError
from assay.store import FILE_NAME, Store


@pytest.mark.parametrize("version", ["1", "2", "3"])
@pytest.mark.parametrize("read_only", [True, False])
def test_older_files_are_refused_with_a_cure(
    tmp_path: Path, version: str, read_only: bool
) -> None:
    """Moving the file away and measuring again works, and the file is left alone."""
    with Store.create(tmp_path) as store:
        store.put_build(BUILD, PACKAGE, O3, "harness-1")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE meta SET value = ?", (version,))
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(AssayError, match=f"version {version}, this Assay reads 4") as caught:
        Store.open(tmp_path, read_only=read_only)
    assert "Move the file away" in caught.value.cure
    assert (tmp_path / FILE_NAME).read_bytes() == before
    (tmp_path / FILE_NAME).rename(tmp_path / "old.sqlite")
    with Store.create(tmp_path) as store:
        assert store.cells() == ()
