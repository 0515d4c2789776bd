# SPDX-License-Identifier: MIT
"""The store: what goes in comes out, and nothing that went in is lost."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.unit.store.examples import (
    BUILD,
    CELL,
    CHECKS,
    LAUNCH,
    MACHINE,
    O2,
    O3,
    PACKAGE,
    SUBJECT,
)

from assay.errors import AssayError, MachineError, PackageError, UsageError
from assay.model import BrokenPackage, BuildStage, Campaign, CheckResult, Verdict
from assay.store import FILE_NAME, Store
from assay.store.records import load, pack, unpack


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give an empty store."""
    with Store.create(tmp_path / "reports") as opened:
        yield opened


@pytest.fixture
def built(store: Store) -> Store:
    """Give a store with one package and its build."""
    store.put_package(PACKAGE)
    store.put_build(BUILD, PACKAGE, O3, "harness-1")
    return store


def test_what_was_put_comes_back(built: Store, tmp_path: Path) -> None:
    """Every kind of record survives closing and opening, unknowns included."""
    built.put_machine(MACHINE)
    built.put_subject(CELL, SUBJECT)
    built.put_checks(CELL, CHECKS)
    built.put_launch(LAUNCH)
    number = built.start_campaign(Campaign(("run", "salsa20"), "t0"))
    built.finish_campaign(number, "t1")
    built.close()
    with Store.open(tmp_path / "reports") as store:
        assert store.machine() == MACHINE
        assert store.packages() == (PACKAGE,)
        assert store.configurations() == (O3,)
        assert store.subject(CELL) == SUBJECT
        assert store.checks(CELL) == CHECKS
        assert store.launches(CELL) == (LAUNCH,)
        assert store.launch_heads() == (replace(LAUNCH, samples=()),)
        assert store.campaigns() == (Campaign(("run", "salsa20"), "t0", "t1"),)
        (cell,) = store.cells()
        assert (cell.build, cell.package, cell.configuration) == (BUILD, PACKAGE, O3)
        assert (cell.subject, cell.checks) == (SUBJECT, CHECKS)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_raw_ticks_survive_packing(ticks: list[int]) -> None:
    """All 64 bits of every tick count are kept."""
    assert unpack(pack(ticks)) == tuple(ticks)


def test_records_of_other_versions_are_read_if_nothing_is_missing() -> None:
    """Unknown fields are ignored, new ones have their defaults, a missing one is named."""
    text = '{"check": "api/x", "verdict": "pass", "colour": "red"}'
    assert load(CheckResult, text) == CheckResult("api/x", Verdict.PASS)
    with pytest.raises(AssayError, match=r"CheckResult is damaged: .*missing .*`verdict`"):
        load(CheckResult, '{"check": "api/x"}')


def test_a_build_is_valid_for_exactly_its_contents(built: Store) -> None:
    """Another package, other options, another harness or variant: there is no build."""
    assert built.build_for(PACKAGE, O3, "harness-1", 1, "native") == BUILD
    changed = replace(PACKAGE, content_hash="contents-2")
    assert built.build_for(changed, O3, "harness-1", 1, "native") is None
    assert built.build_for(PACKAGE, replace(O3, opt="-O3 -g"), "harness-1", 1, "native") is None
    assert built.build_for(PACKAGE, O3, "harness-2", 1, "native") is None
    assert built.build_for(PACKAGE, O3, "harness-1", 2, "native") is None
    assert built.build_for(PACKAGE, O3, "harness-1", 1, "qemu-mips") is None


def test_verdicts_do_not_outlive_the_outputs_that_they_were_judged_by(built: Store) -> None:
    """Other vectors or checksums ask for verdicts again; launches of the code stay."""
    built.put_checks(CELL, CHECKS)
    built.put_launch(LAUNCH)
    changed = replace(PACKAGE, judged_by="other vectors")
    assert built.build_for(changed, O3, "harness-1", 1, "native") is None
    built.put_build(BUILD, changed, O3, "harness-1")
    assert built.checks(CELL) is None
    assert built.twin(CELL) is None
    assert len(built.launches(CELL)) == 1


def test_a_failed_build_is_a_record(store: Store) -> None:
    """It has a reason and a cure and no object code."""
    failed = replace(
        BUILD, stage=BuildStage.COMPILE, object_hash=None, agent=None, reason="r", cure="c"
    )
    store.put_build(failed, PACKAGE, O3, "harness-1")
    (cell,) = store.cells()
    assert (cell.build, cell.key, cell.checks) == (failed, None, ())
    assert store.launches(CELL) == ()


def test_putting_the_same_build_again_keeps_its_verdicts(built: Store) -> None:
    """A resumed campaign does not check twice; changed object code is checked anew."""
    built.put_checks(CELL, CHECKS)
    built.put_build(BUILD, PACKAGE, O3, "harness-1")
    assert built.checks(CELL) == CHECKS
    built.put_build(replace(BUILD, object_hash="object-2"), PACKAGE, O3, "harness-1")
    assert built.checks(CELL) is None
    assert built.launches(CELL) == ()


@pytest.mark.parametrize(
    "changed", [{"sources": ("other.c",)}, {"std": ("-std=gnu17",)}, {"header": "other.h"}]
)
def test_verdicts_of_another_reading_of_the_same_files_are_not_taken(
    built: Store, changed: dict[str, object]
) -> None:
    """A later version of Assay may compile other files of a package that nobody touched."""
    built.put_checks(CELL, CHECKS)
    other = replace(PACKAGE, **changed)
    assert other.content_hash == PACKAGE.content_hash
    built.put_build(BUILD, other, O3, "harness-1")
    assert built.checks(CELL) is None


def test_reports_see_the_package_as_last_seen(built: Store) -> None:
    """A changed package hides its old builds, and shows them again when changed back."""
    built.put_checks(CELL, CHECKS)
    built.put_package(replace(PACKAGE, content_hash="contents-2"))
    assert built.cells() == ()
    built.put_package(PACKAGE)
    assert [cell.build for cell in built.cells()] == [BUILD]
    assert built.checks(CELL) == CHECKS
    built.put_broken_package(BrokenPackage("salsa20/ref", PACKAGE.place, Path("/x"), "r", "c"))
    assert built.cells() == ()
    built.put_package(PACKAGE)
    assert (len(built.cells()), built.broken_packages()) == (1, ())


def test_disturbed_launches_are_kept_with_their_reason(built: Store) -> None:
    """Whoever summarises decides what counts; nothing that was measured is thrown away."""
    built.put_launch(LAUNCH)
    built.put_launch(replace(LAUNCH, seed=8, disturbed="canary"))
    assert [launch.disturbed for launch in built.launches(CELL)] == ["", "canary"]


def test_cells_with_the_same_object_code_share_launches(built: Store) -> None:
    """Same place, variant and harness: measured once, seen by both."""
    other = replace(CELL, configuration=O2.name)
    built.put_build(replace(BUILD, cell=other), PACKAGE, O2, "harness-1")
    built.put_launch(LAUNCH)
    assert built.launches(other) == (LAUNCH,)


def test_launches_of_an_older_harness_do_not_count(built: Store) -> None:
    """A changed timing loop makes old figures incomparable."""
    built.put_launch(LAUNCH)
    built.put_build(BUILD, PACKAGE, O3, "harness-2")
    assert built.launches(CELL) == ()


def test_a_cell_that_was_not_built_is_an_error(store: Store) -> None:
    """Checks and launches belong to a build."""
    with pytest.raises(AssayError, match="has no build"):
        store.put_checks(CELL, CHECKS)


def test_a_name_that_is_no_text_is_the_packages_fault(store: Store) -> None:
    """A folder named with stray bytes is told, and the store goes on."""
    with pytest.raises(PackageError, match="not valid UTF-8"):
        store.put_package(replace(PACKAGE, place="submissions/\udcff"))
    store.put_package(PACKAGE)
    assert store.packages() == (PACKAGE,)


def test_results_of_a_newer_version_are_refused(store: Store, tmp_path: Path) -> None:
    """The message names both versions, and the file is left alone."""
    with store.transaction() as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
    for read_only in (True, False):
        with pytest.raises(AssayError, match="has version 99, this Assay knows up to 4"):
            Store.open(tmp_path / "reports", read_only=read_only)


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    """Opening never makes a file."""
    with pytest.raises(UsageError, match="no results in"):
        Store.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_archive_in_place_of_a_folder_names_the_command_that_reads_it(tmp_path: Path) -> None:
    """Results from elsewhere are taken in first."""
    archive = tmp_path / "sent.tar.gz"
    archive.write_bytes(b"")
    with pytest.raises(UsageError) as told:
        Store.open(archive, read_only=True)
    assert f"`assay import {archive} --results FOLDER`" in told.value.cure


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_database_is_told_and_kept(tmp_path: Path, read_only: bool) -> None:
    """Nothing is written over it."""
    path = tmp_path / FILE_NAME
    path.write_bytes(b"not a database at all " * 100)
    with pytest.raises(MachineError, match="it is no results file") as caught:
        Store.open(tmp_path, read_only=read_only)
    assert "Move it away" in caught.value.cure
    assert path.read_bytes() == b"not a database at all " * 100


def test_a_damaged_file_is_told(built: Store, tmp_path: Path) -> None:
    """Pages overwritten by a broken disk are reported as such."""
    built.put_launch(LAUNCH)
    built.close()
    path = tmp_path / "reports" / FILE_NAME
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    with pytest.raises(MachineError, match="damaged"), Store.open(path.parent) as store:
        store.cells()


@pytest.mark.parametrize("value", ["x", "", "-1", None])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_does_not_say_its_version_is_told(
    built: Store, tmp_path: Path, value: str | None, read_only: bool
) -> None:
    """A line of the first table that is damaged or gone is no traceback."""
    with built.transaction() as file:
        if value is None:
            file.execute("DELETE FROM meta")
        else:
            file.execute("UPDATE meta SET value = ?", (value,))
    built.close()
    with pytest.raises(AssayError, match="does not say the version") as caught:
        Store.open(tmp_path / "reports", read_only=read_only)
    assert "restore a copy" in caught.value.cure


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE launch SET record = json_replace(record, '$.timed_seconds', 'long')",
        "UPDATE launch SET record = json_replace(record, '$.seed', 0.5)",
        "UPDATE launch SET disturbed = x'00'",
        "UPDATE sample SET record = json_replace(record, '$.sizes.key_bits', '128')",
        "UPDATE build SET record = json_replace(record, '$.reason', 1)",
        "UPDATE sample SET record = json_replace(record, '$.tests', 0)",
        "UPDATE sample SET record = json_replace(record, '$.block_bytes', -1)",
        "UPDATE sample SET ticks = x'789c030000000001'",  # of no timings
        "UPDATE launch SET record = replace(record, '2400000000.0', 'NaN')",
        "UPDATE launch SET record = replace(record, '2400000000.0', '1e400')",
        "UPDATE launch SET record = replace(record, '2400000000.0', '1e300')",
        "UPDATE launch SET record = replace(record, 'bubblewrap', '\\ud800')",
        "UPDATE build SET variant = 'two'",
    ],
)
def test_values_that_no_campaign_stores_are_told(built: Store, change: str) -> None:
    """Whoever computes with what was read need not look whether it is a number, or text."""
    built.put_launch(LAUNCH)
    with built.transaction() as file:
        assert file.execute(change).rowcount > 0
    with pytest.raises(AssayError, match=r"a stored .* is damaged") as caught:
        built.launches_of([cell.key for cell in built.cells() if cell.key is not None])
    assert "Restore a copy" in caught.value.cure


def test_a_full_disk_is_told_and_loses_nothing(built: Store) -> None:
    """The launch that did not fit is absent as a whole; the next one that fits goes in."""
    built.put_launch(LAUNCH)
    (pages,) = built.row("PRAGMA page_count")
    built.rows(f"PRAGMA max_page_count = {pages}")
    noise = tuple(int.from_bytes(os.urandom(8)) for _ in range(10_000))
    large = replace(LAUNCH, seed=9, samples=(replace(LAUNCH.samples[0], ticks=noise),))
    with pytest.raises(MachineError, match="the disk is full"):
        built.put_launch(large)
    assert built.launches(CELL) == (LAUNCH,)
    built.rows("PRAGMA max_page_count = 100000")
    built.put_launch(large)
    assert built.launches(CELL) == (LAUNCH, large)


def test_a_locked_file_is_told(built: Store, tmp_path: Path) -> None:
    """Another writer is waited for, then named as the cause."""
    other = sqlite3.connect(tmp_path / "reports" / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(MachineError, match="another process is writing"):
        Store.open(tmp_path / "reports", lock_seconds=0.05)
    other.execute("ROLLBACK")
    other.close()
    assert len(built.cells()) == 1


def test_a_read_only_store_can_be_read_and_not_written(built: Store, tmp_path: Path) -> None:
    """Writing names the cause."""
    built.close()
    with Store.open(tmp_path / "reports", read_only=True) as store:
        assert len(store.cells()) == 1
        with pytest.raises(MachineError, match="read-only"):
            store.put_machine(MACHINE)


def test_reading_works_while_a_campaign_writes(built: Store, tmp_path: Path) -> None:
    """A reader sees what was committed, from the log too."""
    built.put_launch(LAUNCH)
    with Store.open(tmp_path / "reports", read_only=True) as reader:
        assert reader.launches(CELL) == (LAUNCH,)


WRITER = """
import sys
from pathlib import Path
from pickle import load

from msgspec.structs import replace
launch = load(sys.stdin.buffer)
from assay.store import Store
with Store.open(Path(sys.argv[1])) as store:
    for seed in range(100000):
        store.put_launch(replace(launch, seed=seed))
        print(seed, flush=True)
"""


def test_a_killed_writer_loses_at_most_the_launch_in_flight(built: Store, tmp_path: Path) -> None:
    """SIGKILL between any two instructions: whatever was acknowledged is there, whole."""
    import pickle  # noqa: PLC0415 - our own bytes, to our own child

    built.close()
    command = [sys.executable, "-c", WRITER, str(tmp_path / "reports")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(pickle.dumps(LAUNCH))
        child.stdin.close()
        for _ in range(20):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        acknowledged = 20 + len(child.stdout.read().split())
    with Store.open(tmp_path / "reports") as store:
        found = store.launches(CELL)
        assert len(found) in (acknowledged, acknowledged + 1)
        assert found == tuple(replace(LAUNCH, seed=seed) for seed in range(len(found)))
        assert store.row("PRAGMA integrity_check")[0] == "ok"
