# SPDX-License-Identifier: MIT
"""Results of the version before open and keep everything; those before it are refused."""

import json
import sqlite3
import struct
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.store.examples import BUILD, CELL, CHECKS, LAUNCH, O3, PACKAGE

from assay.errors import AssayError
from assay.model import Linked
from assay.store import FILE_NAME, Store

OLD_NOTES = [
    "league timingleaks",
    "subroutine crypto_hash/low/ref (timingleaks)",
    "linked with -x",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a results folder whose file has the forms of version 3."""
    with Store.create(tmp_path) as store:
        store.put_build(BUILD, PACKAGE, O3, "harness-1")
        store.put_checks(CELL, CHECKS)
        store.put_launch(LAUNCH)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        for launch, position, ticks in [
            (1, position, sample.ticks) for position, sample in enumerate(LAUNCH.samples)
        ]:
            blob = zlib.compress(struct.pack(f"<{len(ticks)}Q", *ticks))
            where = "launch = ? AND position = ?"
            connection.execute(
                f"UPDATE sample SET ticks = ? WHERE {where}",  # noqa: S608 - a constant
                (blob, launch, position),
            )
        (record,) = connection.execute("SELECT record FROM build").fetchone()
        old = json.loads(record) | {"notes": OLD_NOTES}
        for new in ("league", "subroutines", "passed_over"):
            del old[new]
        connection.execute("UPDATE build SET record = ?", (json.dumps(old),))
        connection.execute("UPDATE meta SET value = '3' WHERE key = 'version'")
    return tmp_path


def _version(folder: Path) -> str:
    """Return the version that the file states."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return str(connection.execute("SELECT value FROM meta").fetchone()[0])


@pytest.mark.parametrize("read_only", [True, False])
def test_an_older_file_keeps_everything(folder: Path, read_only: bool) -> None:
    """Opening for writing brings it up to date; reading changes nothing and sees the same."""
    low = Linked("crypto_hash/low/ref", "timingleaks", "")
    wanted = replace(BUILD, league="timingleaks", subroutines=(low,), notes=("linked with -x",))
    with Store.open(folder, read_only=read_only) as store:
        (cell,) = store.cells()
        assert cell.build == wanted
        assert cell.checks == CHECKS
        assert store.launches(CELL) == (LAUNCH,)
    assert _version(folder) == ("3" if read_only else "4")


def test_an_older_file_goes_on_being_written(folder: Path) -> None:
    """A further launch stands beside those of before."""
    with Store.open(folder) as store:
        store.put_launch(LAUNCH)
        assert store.launches(CELL) == (LAUNCH, LAUNCH)


def test_a_migration_that_fails_changes_nothing(folder: Path) -> None:
    """It is one transaction."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE sample SET ticks = x'00' WHERE position = 1")
        before = connection.execute("SELECT * FROM sample").fetchall()
    with pytest.raises(AssayError):
        Store.open(folder)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        assert connection.execute("SELECT * FROM sample").fetchall() == before
    assert _version(folder) == "3"


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("read_only", [True, False])
def test_still_older_files_are_refused_with_a_cure(
    folder: Path, version: str, read_only: bool
) -> None:
    """Moving the file away and measuring again works, and the file is left alone."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE meta SET value = ?", (version,))
    with pytest.raises(AssayError, match=f"version {version}, this Assay reads 3 and 4") as caught:
        Store.open(folder, read_only=read_only)
    assert "Move the file away" in caught.value.cure
    (folder / FILE_NAME).rename(folder / "old.sqlite")
    with Store.create(folder) as store:
        assert store.cells() == ()
