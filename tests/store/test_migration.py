# SPDX-License-Identifier: MIT
"""A file of version 1 opens, keeps everything, and gets the tables for imported results."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay.model import Cell
from assay.model.ebacs import Fact, Run, Source, Subject
from assay.store import FILE_NAME, Store
from assay.store.published import Published, PublishedFile

# The statements of version 1, as a results folder of that time has them.
VERSION_1 = """
CREATE TABLE machine (id INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE);
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY, arguments TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT);
CREATE TABLE package (
    id INTEGER PRIMARY KEY, place TEXT NOT NULL, selector TEXT NOT NULL,
    content_hash TEXT NOT NULL, record TEXT NOT NULL, seen INTEGER NOT NULL,
    UNIQUE (place, content_hash));
CREATE INDEX package_selector ON package (selector, seen);
CREATE TABLE broken (place TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE configuration (
    contents TEXT PRIMARY KEY, name TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL, content_hash TEXT NOT NULL, contents TEXT NOT NULL, harness TEXT NOT NULL,
    selector TEXT NOT NULL, variant INTEGER NOT NULL, configuration TEXT NOT NULL,
    target TEXT NOT NULL, object_hash TEXT, record TEXT NOT NULL, written INTEGER NOT NULL,
    UNIQUE (place, content_hash, contents, harness, variant, configuration, target));
CREATE INDEX build_cell ON build (selector, variant, configuration, target, written);
CREATE INDEX build_object ON build (object_hash, place, variant, target);
CREATE TABLE subject (
    build INTEGER PRIMARY KEY REFERENCES build (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE checked (
    build INTEGER PRIMARY KEY REFERENCES build (id) ON DELETE CASCADE,
    results TEXT NOT NULL);
CREATE TABLE launch (
    id INTEGER PRIMARY KEY,
    place TEXT NOT NULL, selector TEXT NOT NULL, variant INTEGER NOT NULL,
    configuration TEXT NOT NULL, target TEXT NOT NULL, object_hash TEXT NOT NULL,
    harness TEXT NOT NULL, disturbed TEXT NOT NULL, record TEXT NOT NULL);
CREATE INDEX launch_object ON launch (object_hash, place, variant, target, harness);
CREATE TABLE sample (
    launch INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, record TEXT NOT NULL, ticks BLOB NOT NULL,
    PRIMARY KEY (launch, position)) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta VALUES ('version', '1');
"""
PACKAGE = {
    "selector": "rc4/ref",
    "primitive": "rc4",
    "implementation": "ref",
    "kind": "stream",
    "place": "benchmarks/rc4/ref",
    "role": "submission",
    "api": "ecrypt-sync",
    "root": "/src",
    "header": "ecrypt-sync.h",
    "sources": ["rc4.c"],
    "files": ["rc4.c"],
    "std": [],
    "variants": 1,
    "vectors": None,
    "quirks": [],
    "content_hash": "c",
}
BUILD = {
    "cell": {"selector": "rc4/ref", "variant": 1, "configuration": "gcc_O2", "target": "native"},
    "stage": "done",
    "object_hash": "o",
    "agent": "/a",
    "messages": "",
    "compiler": "gcc",
    "jail": "bubblewrap",
    "seconds": 0.5,
}
COUNTED = ("package", "campaign", "build", "checked", "launch", "sample")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a results folder whose file has version 1, and a row in every table that counts."""
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.executescript(VERSION_1)
        put = connection.execute
        package = ("benchmarks/rc4/ref", "rc4/ref", "c", json.dumps(PACKAGE), 1)
        put("INSERT INTO package VALUES (1, ?, ?, ?, ?, ?)", package)
        put("INSERT INTO campaign VALUES (1, '[\"run\"]', 't0', 't1')")
        build = ("benchmarks/rc4/ref", "c", "x", "h", "rc4/ref", 1, "gcc_O2", "native", "o")
        put(
            "INSERT INTO build VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
            (*build, json.dumps(BUILD)),
        )
        put("INSERT INTO checked VALUES (1, '{\"checks\": []}')")
        launch = ("benchmarks/rc4/ref", "rc4/ref", 1, "gcc_O2", "native", "o", "h", "", "{}")
        put("INSERT INTO launch VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)", launch)
        put("INSERT INTO sample VALUES (1, 0, '{}', x'00')")
    return tmp_path


def _rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give all rows of the tables of version 1."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in COUNTED}  # noqa: S608


def _version(folder: Path) -> str:
    """Give the version that the file states."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return str(connection.execute("SELECT value FROM meta").fetchone()[0])


def test_an_older_file_keeps_everything(folder: Path) -> None:
    """Opening for writing brings it up to date; every old row stays as it was."""
    before = _rows(folder)
    with Store.open(folder) as store:
        assert [package.selector for package in store.packages()] == ["rc4/ref"]
        assert store.checks(Cell("rc4/ref", 1, "gcc_O2")) == ()
        assert [one.arguments for one in store.campaigns()] == [("run",)]
    assert _rows(folder) == before
    assert all(before.values())
    assert _version(folder) == "3"


def test_an_older_file_takes_imported_results(folder: Path) -> None:
    """It has the new tables once it was opened for writing."""
    fact = Fact(
        Source("vm", "amd64", "20261120", "20260330"),
        Subject("crypto_hash", "sha256", "", "crypto_hash/sha256/ref", "gcc"),
        *("outputbytes", ("32",)),
    )
    with Store.open(folder) as store:
        Published(store).put(PublishedFile("d", "data", "t"), [Run((fact,), "r")])
    with Store.open(folder, read_only=True) as store:
        assert list(Published(store).records()) == [fact]


def test_an_older_file_can_be_read_as_it_is(folder: Path) -> None:
    """Without being changed: it has no imported results, and says so."""
    with Store.open(folder, read_only=True) as store:
        assert [package.selector for package in store.packages()] == ["rc4/ref"]
        assert Published(store).files() == ()
        assert list(Published(store).records()) == []
    assert _version(folder) == "1"


def test_a_migration_that_fails_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All steps are one transaction."""
    monkeypatch.setattr("assay.store.schema.PUBLISHED_TABLES", "CREATE TABLE t (a); nonsense")
    with pytest.raises(Exception, match="nonsense"):
        Store.open(folder)
    before = _rows(folder)
    assert _version(folder) == "1"
    monkeypatch.undo()
    with Store.open(folder) as store:
        assert Published(store).sources() == ()
    assert _rows(folder) == before
