# SPDX-License-Identifier: MIT
"""Imported results in the store: what goes in comes out, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.unit.store.examples import ATTEMPT, FILE, RECORDS, SIZED, SOURCE

from assay.errors import AssayError
from assay.model.supercop import Run
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.store.records import pack, unpack


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty store."""
    with Store.create(tmp_path) as opened:
        yield opened


@pytest.fixture
def published(store: Store) -> ImportedRecords:
    """Give the imported part of a store that has one file with one run."""
    found = ImportedRecords(store)
    assert found.put(FILE, [Run(RECORDS, "run-1")]).records == len(RECORDS)
    return found


def test_records_come_back_in_the_order_of_their_lines(published: ImportedRecords) -> None:
    """Of all kinds, also where one run is about several subjects."""
    assert tuple(published.records()) == RECORDS
    assert published.files() == (FILE,)
    assert published.sources() == (replace(SOURCE, machine="other"), SOURCE)


def test_tries_are_found_by_what_they_are(published: ImportedRecords) -> None:
    """By operation and primitive."""
    assert list(published.attempts("crypto_hash", "sha256")) == [ATTEMPT]
    assert list(published.attempts("crypto_hash", "md5")) == []


def test_what_reports_show_of_a_primitive_is_found(published: ImportedRecords) -> None:
    """Of every kind but what a compiler said, and nothing of the others."""
    found = list(published.about("crypto_hash", "sha256"))
    assert len(found) == 4
    assert set(found) == set(RECORDS[1:5])
    assert list(published.about("crypto_hash", "md5")) == [RECORDS[5]]


def test_a_file_is_known_by_its_lines(published: ImportedRecords) -> None:
    """Whatever it is called."""
    assert published.knows("digest") == FILE
    assert published.knows("another") is None
    published.count(replace(FILE, lines=9, bad=2))
    assert published.files() == (replace(FILE, lines=9, bad=2),)


def test_a_run_that_came_with_another_file_is_left_out(published: ImportedRecords) -> None:
    """SUPERCOP collects its files in one; repetitions within a file are measurements."""
    again, new = Run(RECORDS[:1], "run-1"), Run(RECORDS[1:2], "run-2")
    put = published.put(replace(FILE, digest="collected"), [again, new, new])
    assert (put.records, put.known_runs) == (2, 1)
    assert list(published.records()).count(SIZED) == 3


def test_an_import_that_is_cut_short_leaves_nothing(published: ImportedRecords) -> None:
    """A file is added as a whole, or not at all."""

    def runs() -> Iterator[Run]:
        yield Run(RECORDS, "run-9")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        published.put(replace(FILE, digest="cut"), runs())
    assert published.knows("cut") is None
    assert tuple(published.records()) == RECORDS


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_timings_survive_being_packed(values: list[int]) -> None:
    """All numbers of 64 bits, in their order."""
    assert unpack(pack(values)) == tuple(values)


def test_sixteen_timings_that_are_close_take_few_bytes() -> None:
    """A byte each, and nine for all of them."""
    assert len(pack([10**12 + number for number in range(16)])) == 16 + 9


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE published_measurement SET median = 'fast'",
        "UPDATE published_measurement SET position = 'first' WHERE position = 1",
        "UPDATE published_measurement SET timings = x'03'",
        "UPDATE published_measurement SET timings = 'text'",
        "UPDATE published_record SET record = '[]'",
        "UPDATE published_record SET record = '{'",
        "UPDATE published_source SET machine = x'00' WHERE id = 1",
    ],
)
def test_damaged_records_are_told(store: Store, published: ImportedRecords, change: str) -> None:
    """Every column is looked at before anything is computed from it."""
    with store.transaction() as file:
        assert file.execute(change).rowcount > 0
    with pytest.raises(AssayError, match=r"a stored .* (is damaged|lacks)"):
        list(published.records())
