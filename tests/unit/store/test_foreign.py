# SPDX-License-Identifier: MIT
"""Results files that a stranger has prepared."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay.errors import AssayError, UsageError
from assay.store import FILE_NAME, Store

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@pytest.mark.parametrize(
    "planted",
    [
        f"DROP TABLE launch; CREATE VIEW launch AS {ENDLESS}",
        f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS}",
        "CREATE TRIGGER t AFTER INSERT ON sample BEGIN UPDATE sample SET ticks = 1; END",
        "CREATE INDEX extra ON launch (record)",
        "ALTER TABLE launch ADD COLUMN more TEXT CHECK (length(more) > 1)",
        "CREATE VIRTUAL TABLE found USING fts5(a)",
    ],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_is_opened_only_with_our_own_tables(
    tmp_path: Path, planted: str, *, read_only: bool
) -> None:
    """A view kept `show` busy for ever, and a trigger rewrote the user's later figures."""
    Store.create(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.executescript(planted)
    with pytest.raises(AssayError, match="not Assay's"):
        Store.open(tmp_path, read_only=read_only)


@pytest.mark.parametrize("end", ["", "-wal", "-journal", "-shm"])
def test_a_link_or_a_fifo_is_no_results_file(tmp_path: Path, end: str) -> None:
    """SQLite would write to whatever a link names."""
    outside, folder = tmp_path / "outside", tmp_path / "results"
    Store.create(outside).close()
    folder.mkdir()
    (folder / f"{FILE_NAME}{end}").symlink_to(outside / FILE_NAME)
    with pytest.raises(UsageError, match="link"):
        Store.create(folder)
    (folder / f"{FILE_NAME}{end}").unlink()
    os.mkfifo(folder / f"{FILE_NAME}{end}")
    with pytest.raises(UsageError, match="no file"):
        Store.create(folder)
