# SPDX-License-Identifier: MIT
"""The one record of results: what is read of each kind, and what must not get lost."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace
from tests.unit.report.conftest import FAILED, MACHINE, PASSED, Campaigner, series_of
from tests.unit.report.operations.conftest import PUBLISHED, measured, subject

from assay.model import CheckResult, Launch, Verdict
from assay.model.series import Series
from assay.model.supercop import Attempt, ObjectSize, Record, Run
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile
from assay.store.rows import ObjectKey

SHA256 = subject("crypto_hash", "sha256/ref")


def found(store: Store) -> dict[tuple[str, str], Series]:
    """Read all series by implementation and measure."""
    return {(one.implementation, one.measure): one for one in series_of(store)}


def put(store: Store, *records: Record) -> None:
    """Import records, each as a run of its own."""
    runs = [Run((one,), f"run {number}") for number, one in enumerate(records)]
    file = PublishedFile("digest", "data", "2026-11-21T10:00:00+00:00")
    ImportedRecords(store).put(file, runs)


def test_ciphers_hashes_and_imported_lines_are_records_of_one_form(
    store: Store, campaigner: Campaigner
) -> None:
    """Each says whose it is, of what machine and day, and in which unit it is per what."""
    store.put_machine(MACHINE)
    campaigner.cell(campaigner.package("salsa20/ref"))
    campaigner.cell(campaigner.hash("sha256/ref"))
    put(store, measured(SHA256, "cycles", 576, 975.0))
    known = found(store)
    cipher = known["salsa20/ref", "packet/40"]
    assert (cipher.subject.operation, cipher.sizes_text, cipher.size) == ("stream", "128/64", 40)
    assert (cipher.unit, cipher.work, cipher.work_unit, cipher.launches) == (
        "cycles",
        40,
        "byte",
        5,
    )
    assert (cipher.machine, cipher.source.abi, cipher.source.date) == (
        "bench",
        "amd64",
        "20261121",
    )
    assert known["sha256/ref", "short/256"].work_unit == "hash"
    line = known["crypto_hash/sha256/ref", "cycles/576"]
    assert (line.subject.operation, line.machine, line.median) == ("crypto_hash", "vm", 975.0)
    assert (line.imported, line.size, line.work_unit) == (True, 576, "call")


def test_the_size_of_a_context_is_a_measure_with_unit_bytes(
    store: Store, campaigner: Campaigner
) -> None:
    """The subject of the campaigner's ciphers says 108."""
    campaigner.cell(campaigner.package("salsa20/ref"))
    context = found(store)["salsa20/ref", "memory/context"]
    assert (context.median, context.unit, context.exact, context.points) == (
        108,
        "bytes",
        True,
        (),
    )


def test_imported_object_files_of_a_build_are_added_up_and_programs_are_not(store: Store) -> None:
    """SUPERCOP also sizes the linked test program."""
    put(store, *(ObjectSize(PUBLISHED, SHA256, text, 16, 8, name)
                 for name, text in (("a.o", 2000), ("b.o", 500), ("try", 90000))))  # fmt: skip
    known = found(store)
    sizes = [known["crypto_hash/sha256/ref", f"code/{part}"] for part in ("text", "data", "bss")]
    assert [one.median for one in sizes] == [2500, 32, 16]


@pytest.mark.parametrize(
    ("outcome", "failed", "compared"),
    [("ok", False, True), ("unknown", False, False), ("fails", True, True)],
)
def test_what_came_of_an_imported_build_is_known_of_its_measurements(
    store: Store, outcome: str, failed: bool, compared: bool
) -> None:
    """The line about the try stands apart from those of what was measured."""
    put(
        store,
        Attempt(replace(PUBLISHED, date="20261119"), SHA256, outcome),
        measured(SHA256, "cycles", 576, 975.0),
    )
    (one,) = series_of(store)
    assert (one.failed, one.compared) == (failed, compared)


def test_the_newest_day_of_an_imported_machine_counts_with_all_its_values(store: Store) -> None:
    """Stabilised quartiles of 1, 2, 3, 4 and 5 are the means of two thirds around each."""
    old = replace(PUBLISHED, date="20250101")
    one = replace(measured(SHA256, "cycles", 576, 2.0), values=(1, 2, 3), launches=1)
    other = replace(measured(SHA256, "cycles", 576, 4.5), values=(4, 5), launches=1)
    put(store, measured(SHA256, "cycles", 576, 9.0, old), one, other)
    (series,) = series_of(store)
    assert series.median == 3.0
    assert (series.launches, series.values("cycles")) == (2, [2.0, 4.5])


def test_codes_that_are_equal_are_launched_once_and_the_others_say_so(
    store: Store, campaigner: Campaigner
) -> None:
    """A reader must not count one measurement twice."""
    package = campaigner.package("hc-128/fast")
    campaigner.cell(package)
    campaigner.cell(package, "-O2", launches=0, object_hash="object hc-128/fast O3")
    shared = {
        one.configuration.name: one.shared for one in series_of(store) if one.measure == "agility"
    }
    assert shared == {"gcc-12_default_O3": "", "gcc-12_default_O2": "gcc-12_default_O3"}


@pytest.mark.parametrize(
    ("checks", "failed", "compared"),
    [
        (PASSED, False, True),
        ((FAILED,), True, True),
        ((CheckResult("vectors/verified", Verdict.OPEN),), False, False),
    ],
)
def test_verdicts_go_with_the_series(
    store: Store,
    campaigner: Campaigner,
    checks: tuple[CheckResult, ...],
    failed: bool,
    compared: bool,
) -> None:
    """What is fast and wrong must not win in any view."""
    campaigner.cell(campaigner.package("salsa20/ref"), checks=checks)
    assert {(one.failed, one.compared) for one in series_of(store)} == {(failed, compared)}


def test_launches_are_read_of_the_cells_that_are_meant_alone(
    store: Store, campaigner: Campaigner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep's launches for two of its packages would take minutes."""
    for name in ("salsa20/ref", "hc-128/fast"):
        campaigner.cell(campaigner.package(name))
    read: list[str] = []
    real = store.launches_of

    def watched(keys: Iterable[ObjectKey]) -> dict[ObjectKey, tuple[Launch, ...]]:
        found = real(keys)
        read.extend(key.place for key in found)
        return found

    monkeypatch.setattr(store, "launches_of", watched)
    assert all(series_of(store, lambda cell: cell.package.primitive == "salsa20"))
    assert read == ["submissions/salsa20/ref"]
