# SPDX-License-Identifier: MIT
"""The store: what goes in comes out, and nothing that went in is lost."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, MachineError, PackageError, UsageError
from assay.model import (
    BrokenPackage,
    Build,
    BuildStage,
    Campaign,
    Cell,
    CheckResult,
    Configuration,
    Counter,
    Launch,
    Machine,
    Package,
    Quirk,
    Role,
    Sample,
    SizeChoice,
    StreamSubject,
    Verdict,
)
from assay.store import FILE_NAME, Store
from assay.store.records import load, pack, unpack

PACKAGE = Package(
    selector="salsa20/ref",
    primitive="salsa20",
    implementation="ref",
    place="submissions/salsa20/ref",
    role=Role.SUBMISSION,
    api="ecrypt-sync",
    kind="stream",
    root=Path("/src/salsa20/ref"),
    header="ecrypt-sync.h",
    sources=("salsa20.c",),
    files=("salsa20.c", "ecrypt-sync.h"),
    std=("-std=c99",),
    variants=2,
    vectors=Path("/src/salsa20/verified.test-vectors"),
    quirks=(Quirk("quirk/no-profile", "seen", "cure"),),
    content_hash="contents-1",
)
O3 = Configuration("gcc", "gcc-12", "", "-O3", "gcc_default_O3", "gcc-12_default_O3")
O2 = Configuration("gcc", "gcc-12", "", "-O2", "gcc_default_O2", "gcc-12_default_O2")
CELL = Cell("salsa20/ref", 1, O3.name)
BUILD = Build(CELL, BuildStage.DONE, "object-1", Path("/a"), "warning", "gcc", "bubblewrap", 0.5)
CHECKS = (
    CheckResult("api/sizes", Verdict.PASS),
    CheckResult("api/aad", Verdict.SKIPPED, "no AAD"),
    CheckResult("context/clone", Verdict.FAIL, "differs", "mend", "00\n01"),
)
SUBJECT = StreamSubject(
    *("ecrypt-sync", "Salsa20", None, (128, 256), (64,), (), 256, 64, 0, 64, 64, 4096),
    flags=frozenset({"ECRYPT_GENERATES_KEYSTREAM"}),
    functions=frozenset({"keysetup", "ivsetup"}),
)
MACHINE = Machine(
    *("bench", "CPU", "x86_64", 2, 1 << 33, "6.1", "Debian", None, None, True, None, "kvm"),
    notes=("a note",),
)
LAUNCH = Launch(
    cell=CELL,
    object_hash="object-1",
    seed=7,
    started_at="2026-11-21T10:00:00+00:00",
    counter=Counter("RDTSC instruction", 2, 2.4e9, None, None),
    latency_canary=(1.0, 1.01),
    throughput_canary=(0.25, 0.26),
    timed_seconds=0.2,
    total_seconds=0.4,
    jail="bubblewrap",
    samples=(
        Sample("stream/long", SizeChoice(128, 64), 1, 22, 4096, (10, 2**63, 0)),
        Sample("setup/iv", SizeChoice(128, 64, 32), 10, 500, 0, (5, 6)),
    ),
)


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
    with pytest.raises(AssayError, match="a stored CheckResult lacks `verdict`"):
        load(CheckResult, '{"check": "api/x"}')


def test_a_build_is_valid_for_exactly_its_contents(built: Store) -> None:
    """Another package, other options, another harness or variant: there is no build."""
    assert built.build_for(PACKAGE, O3, "harness-1") == BUILD
    changed = replace(PACKAGE, content_hash="contents-2")
    assert built.build_for(changed, O3, "harness-1") is None
    assert built.build_for(PACKAGE, replace(O3, opt="-O3 -g"), "harness-1") is None
    assert built.build_for(PACKAGE, O3, "harness-2") is None
    assert built.build_for(PACKAGE, O3, "harness-1", variant=2) is None
    assert built.build_for(PACKAGE, O3, "harness-1", target="qemu-mips") is None


def test_a_failed_build_is_a_record(store: Store) -> None:
    """It has a reason and a cure and no object code."""
    failed = replace(
        BUILD, stage=BuildStage.COMPILE, object_hash=None, agent=None, reason="r", cure="c"
    )
    store.put_build(failed, PACKAGE, O3, "harness-1")
    (cell,) = store.cells()
    assert (cell.build, cell.key, cell.checks) == (failed, None, None)
    assert store.launches(CELL) == ()


def test_putting_the_same_build_again_keeps_its_verdicts(built: Store) -> None:
    """A resumed campaign does not check twice; changed object code is checked anew."""
    built.put_checks(CELL, CHECKS)
    built.put_build(BUILD, PACKAGE, O3, "harness-1")
    assert built.checks(CELL) == CHECKS
    built.put_build(replace(BUILD, object_hash="object-2"), PACKAGE, O3, "harness-1")
    assert built.checks(CELL) is None
    assert built.launches(CELL) == ()


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
        with pytest.raises(AssayError, match="has version 99, this Assay knows up to 3"):
            Store.open(tmp_path / "reports", read_only=read_only)


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    """Opening never makes a file."""
    with pytest.raises(UsageError, match="no results in"):
        Store.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


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
from dataclasses import replace
from pathlib import Path
from pickle import load
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
