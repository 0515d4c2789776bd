# SPDX-License-Identifier: MIT
"""Verdicts and launches that came with a folder, and those that were stored here."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.store.examples import BUILD, CELL, CHECKS, LAUNCH, O3, PACKAGE

from assay.machine import cache
from assay.model import CheckResult, Verdict
from assay.store import FILE_NAME, Store
from assay.summary.footnotes import footnotes

HARNESS = "harness-1"


def as_user(base: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on as a user with a cache, and so a key, of his own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / name))
    cache._own.cache_clear()
    cache._key.cache_clear()


@pytest.fixture
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with a cell that another user checked and launched."""
    as_user(tmp_path, "stranger", monkeypatch)
    with Store.create(tmp_path / "results") as store:
        store.put_build(BUILD, PACKAGE, O3, HARNESS)
        store.put_checks(CELL, CHECKS, "asker")
        store.put_launch(LAUNCH)
        assert store.checks(CELL) == CHECKS
        assert (len(store.efforts(CELL)), footnotes(store)) == (1, ())
    as_user(tmp_path, "user", monkeypatch)
    return tmp_path / "results"


def test_verdicts_of_a_stranger_are_shown_and_not_believed(sent: Path) -> None:
    """Whatever a campaign would go on from is as if it were not there; reports say whose it is."""
    with Store.open(sent) as store:
        assert store.verdicts(CELL) is None
        assert store.twin(CELL, "asker") is None
        assert store.checked_codes(PACKAGE, 1, "native", "asker") == ()
        (shown,) = store.cells()
        assert (shown.checks, shown.own) == (CHECKS, False)
        assert "another user or machine" in "".join(footnotes(store))
        store.add_check(CELL, CheckResult("measures/run", Verdict.FAIL, "died"))
        assert [one.check for one in store.checks(CELL) or ()] == ["measures/run"]
        assert footnotes(store) == ()


def test_launches_of_a_stranger_do_not_count_beside_ones_own(sent: Path) -> None:
    """They are shown only as long as the code was not launched here."""
    with Store.open(sent) as store:
        assert store.efforts(CELL) == ()
        assert [one.seed for one in store.launches(CELL)] == [LAUNCH.seed]
        store.put_checks(CELL, CHECKS, "asker")
        store.put_launch(LAUNCH)
        assert len(store.efforts(CELL)) == 1
        assert len(store.launches(CELL)) == 1
        assert len(store.launch_heads()) == 2


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE checked SET results = replace(results, '\"fail\"', '\"pass\"')",
        "UPDATE build SET object_hash = 'object-2'",
        "UPDATE build SET content_hash = 'new'; UPDATE package SET content_hash = 'new'",
        "UPDATE build SET record = replace(record, 'object-1', 'object-2')",
    ],
)
def test_a_verdict_holds_for_what_it_was_given_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """One's own verdict with another result, or moved to other code, is a stranger's."""
    as_user(tmp_path, "user", monkeypatch)
    with Store.create(tmp_path) as store:
        store.put_build(BUILD, PACKAGE, O3, HARNESS)
        store.put_checks(CELL, CHECKS, "asker")
        assert store.checks(CELL) == CHECKS
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.executescript(change)
    with Store.open(tmp_path) as store:
        assert store.checks(CELL) is None
        assert [one.own for one in store.cells()] == [False]


def test_a_launch_holds_for_what_was_launched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A campaign measures again what somebody put in its place."""
    as_user(tmp_path, "user", monkeypatch)
    with Store.create(tmp_path) as store:
        store.put_build(BUILD, PACKAGE, O3, HARNESS)
        store.put_launch(LAUNCH)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file, file:
        (record,) = file.execute("SELECT record FROM launch").fetchone()
        told = {**json.loads(record), "seed": 8}
        file.execute("UPDATE launch SET record = ?", (json.dumps(told),))
    with Store.open(tmp_path) as store:
        assert store.efforts(CELL) == ()


def test_a_stranger_s_marks_of_other_types_are_no_marks(sent: Path) -> None:
    """Nothing but an error with a cure comes of them."""
    with closing(sqlite3.connect(sent / FILE_NAME)) as file, file:
        file.execute("UPDATE launch SET record = '{\"mark\": [1]}', place = x'00ff'")
        file.execute('UPDATE checked SET results = \'{"checks": [], "mark": "\\u00e9"}\'')
    with Store.open(sent, read_only=True) as store:
        assert store.verdicts(CELL) is None
        assert store.efforts(CELL) == ()
