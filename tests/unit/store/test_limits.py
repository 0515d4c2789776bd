# SPDX-License-Identifier: MIT
# ruff: noqa: S608 - all of it is constant
"""Results files with our own tables that hold more than anybody measured."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assay.errors import AssayError, MachineError
from assay.store import FILE_NAME, Store, limits

COUNTED = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
BUILDS = (
    "INSERT INTO build (place, content_hash, contents, harness, selector, variant,"
    " configuration, target, object_hash, record, written) "
)
ABOVE = (
    "INSERT INTO package VALUES (1, 'p', 'p', 'h', '{package}', 1);"
    "INSERT INTO configuration VALUES ('c', 'c', '{{}}');"
)
# A package's text of 1 MiB is repeated for each of its 600 builds.
REPEATED = (
    ABOVE.format(package="x" * (1 << 20))
    + BUILDS
    + COUNTED.format(600)
    + "SELECT 'p', 'h', 'c', 'h', 'p', i, 'c', 't', NULL, '{}', 1 FROM n"
)
# For each of the builds of one cell, SQLite looks for the newest among all of them.
SQUARED = (
    ABOVE.format(package="{}")
    + BUILDS
    + COUNTED.format(20_000)
    + "SELECT 'p', 'h', 'c', 'h' || i, 'p', 1, 'c', 't', NULL, '{}', 1 FROM n"
)


def prepared(folder: Path, script: str) -> Path:
    """Fill the tables of a results file as a stranger may."""
    Store.create(folder).close()
    with closing(sqlite3.connect(folder / FILE_NAME)) as file:
        file.executescript(script)
    return folder


@pytest.mark.parametrize(
    ("script", "read", "words"),
    [
        (
            "INSERT INTO machine VALUES (1, CAST(zeroblob(9000000) AS TEXT))",
            Store.machine,
            "longer",
        ),
        pytest.param(REPEATED, Store.cells, "more than", marks=pytest.mark.slow),
        (
            f"INSERT INTO broken {COUNTED.format(2_000_100)} SELECT i, '' FROM n",
            Store.broken_packages,
            "more than",
        ),
    ],
    ids=["a long text", "a text that a join repeats", "many rows"],
)
@pytest.mark.parametrize("read_only", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_what_is_too_much_to_read_is_refused(
    tmp_path: Path, script: str, read: Callable[[Store], object], words: str, *, read_only: bool
) -> None:
    """It ended in gigabytes of memory, whatever the command."""
    folder = prepared(tmp_path, script)
    with (
        Store.open(folder, read_only=read_only) as store,
        pytest.raises(MachineError, match=words),
    ):
        read(store)


def test_a_question_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is that of the processor, so that a busy machine changes nothing."""
    folder = prepared(tmp_path, SQUARED)
    monkeypatch.setattr(limits, "MOST_SECONDS", 0.01)
    with (
        Store.open(folder, read_only=True) as store,
        pytest.raises(MachineError, match="processor time"),
    ):
        store.cells()


def test_what_is_written_may_take_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import of millions of lines is one transaction."""
    monkeypatch.setattr(limits, "MOST_SECONDS", 0.0)
    with Store.create(tmp_path) as store, store.transaction() as connection:
        connection.execute(f"INSERT INTO broken {COUNTED.format(100_000)} SELECT i, '' FROM n")


@pytest.mark.parametrize("page", [1, 2, 10, 30])
def test_a_page_of_rubbish_is_damage(tmp_path: Path, page: int) -> None:
    """Reading ends in an error with a cure, whichever page it is."""
    rows = f"INSERT INTO machine {COUNTED.format(2000)} SELECT i, 'some text ' || i FROM n"
    folder = prepared(tmp_path, rows)
    with (folder / FILE_NAME).open("r+b") as file:
        file.seek(4096 * page)
        file.write(b"\xff" * 4096)
    with suppress(AssayError), Store.open(folder, read_only=True) as store:
        for read in (store.machine, store.packages, store.broken_packages, store.cells):
            with suppress(AssayError):
                read()
