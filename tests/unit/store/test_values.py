# SPDX-License-Identifier: MIT
"""Every value in the records of a results file, replaced by what a stranger may write there."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.store.examples import LAUNCH
from tests.whole.fuzz.results import good, read_everything

from assay.errors import AssayError
from assay.store import FILE_NAME, Store
from assay.summary.cells import load_all

TEXT = "\x1b[31m<script>alert(1)</script>\u202e\\input{x}=cmd|'/C calc'!A0\r\n$(id)\x00\x9b"
Place = tuple[str | int, ...]


def places(value: object, above: Place = ()) -> Iterator[Place]:
    """Yield where a JSON value has values that are no lists or objects."""
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*above, key))
    else:
        yield above


def replaced(text: str, place: Place, new: object) -> str:
    """Write a record with another value in one place."""
    whole = json.loads(text)
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return json.dumps(whole)


def changes(file: sqlite3.Connection) -> Iterator[tuple[str, str, str, Place]]:
    """Yield table, column, record and place of all values in all records."""
    tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        found = file.execute(f"SELECT * FROM {table}")  # noqa: S608 - the schema's own names
        columns = [one[0] for one in found.description]
        for row in found.fetchall():
            for column, text in zip(columns, row, strict=True):
                if isinstance(text, str) and text.startswith("{"):
                    for place in places(json.loads(text)):
                        yield table, column, text, place


@pytest.mark.parametrize(
    "value",
    [TEXT, float("nan"), float("inf"), -1, 0, 10**400, [], None, True],
    ids=["text", "NaN", "infinite", "negative", "zero", "huge", "list", "null", "bool"],
)
def test_a_value_of_a_stranger_is_read_or_refused_with_a_cure(
    tmp_path: Path, value: object
) -> None:
    """Reading for a report or a campaign ends in nothing else."""
    whole = good(tmp_path / "good")
    folder = tmp_path / "results"
    folder.mkdir()
    path = folder / FILE_NAME
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as file:
        listed = list(changes(file))
    assert len(listed) > 100
    for table, column, text, place in listed:
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as file, file:
            new = replaced(text, place, value)
            file.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, text))  # noqa: S608
        with suppress(AssayError):
            read_everything(folder)
        with suppress(AssayError), Store.open(folder, read_only=True) as store:
            load_all(store)


@pytest.mark.parametrize("ratio", [0.0, -1.0])
def test_a_clock_without_cycles_is_damage(tmp_path: Path, ratio: float) -> None:
    """Ticks are scaled by it where beats were measured: a stranger's 0 ended `show` and `site`."""
    good(tmp_path)
    counter = replace(LAUNCH.counter, cycles_per_tick=ratio)
    with Store.open(tmp_path) as store:
        store.put_launch(replace(LAUNCH, counter=counter))
    with (
        Store.open(tmp_path, read_only=True) as store,
        pytest.raises(AssayError, match="cycles per tick"),
    ):
        load_all(store)
