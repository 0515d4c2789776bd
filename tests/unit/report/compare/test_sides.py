# SPDX-License-Identifier: MIT
"""What the sides of a comparison may be, besides what a store of stream ciphers has."""

import json
import shutil
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from tests.objects import Json
from tests.unit.report.conftest import FAILED, MACHINE, Campaigner
from tests.unit.report.operations.conftest import measured, subject

from assay.campaign.planning import RunOptions
from assay.cli import revisions, run
from assay.cli.compare import command
from assay.cli.revisions import ENOUGH_SECONDS
from assay.errors import UsageError
from assay.model.supercop import Run, Source
from assay.package.discover import Found
from assay.plan.plan import InTurn
from assay.report.compare.sides import load_side, parse_side
from assay.store import Store
from assay.store.published import ImportedRecords, PublishedFile

ROOT = Path(__file__).parents[4]
HYDRA = Source("hydra8", "amd64", "20261120", "20260330")
TITAN = replace(HYDRA, machine="titan0")


def imported(folder: Path, source: Source, medians: Sequence[float]) -> None:
    """Import a file of one machine: as many processes as there are medians."""
    whose = subject("crypto_hash", "sha256/ref")
    runs = []
    for number, median in enumerate(medians):
        one = measured(whose, "cycles", 576, median, source)
        counted = measured(whose, "keypair_randombytes", None, 32, source, "bytes")
        runs.append(Run((replace(one, launches=1), counted), f"{source.machine} {number}"))
    with Store.create(folder) as store:
        name = source.machine
        ImportedRecords(store).put(PublishedFile(name, name, "2026-11-21T10:00:00+00:00"), runs)


def compared(capsys: pytest.CaptureFixture[str], *words: str) -> Json:
    """Call the command and read its JSON."""
    assert command.main([*words, "--json"], standalone_mode=False) == 0
    document: Json = json.loads(capsys.readouterr().out)
    return document


def test_imported_machines_are_compared_process_by_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six processes each; what is counted and not timed is left out."""
    imported(tmp_path, HYDRA, [1000, 1001, 1002, 1003, 1004, 1005])
    imported(tmp_path, TITAN, [1100, 1101, 1102, 1103, 1104, 1105])
    document = compared(capsys, "hydra8", "titan0", "--results", str(tmp_path))
    (row,) = document["tables"][0]["rows"]
    assert (row["measure"], row["answer"], row["launches"]) == ("cycles/576", "slower", [6, 6])
    assert row["change_percent"] == pytest.approx(10.0, abs=0.1)
    assert row["in_turn"] is None
    assert any("different machines, hydra8 and titan0" in doubt for doubt in document["doubts"])


def test_three_passes_of_supercop_are_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However different the machines are."""
    imported(tmp_path, HYDRA, [1000, 1001, 1002])
    imported(tmp_path, TITAN, [2000, 2001, 2002])
    (row,) = compared(capsys, "hydra8", "titan0", "--results", str(tmp_path))["tables"][0]["rows"]
    assert row["text"] == "cannot be said: needs 4 launches each, has 3 and 3"


def test_two_folders_are_compared_cell_by_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The configuration is the one that is the best in both together; what is alone is told."""
    for folder, factor in (("before", 1.0), ("after", 0.9)):
        with Store.create(tmp_path / folder) as store:
            store.put_machine(MACHINE)
            campaigner = Campaigner(store)
            package = campaigner.package("x/ref")
            campaigner.cell(package, "-O3", speed=10.0 * factor, launches=6)
            campaigner.cell(package, "-O2", speed=12.0 * factor, launches=6)
            if folder == "after":
                campaigner.cell(campaigner.package("x/new"), speed=5.0)
    sides = str(tmp_path / "before"), str(tmp_path / "after")
    document = compared(capsys, *sides, "--by", "stream/long")
    (row,) = document["tables"][0]["rows"]
    assert row["answer"] == "faster"
    assert row["a_configuration"] == row["b_configuration"] == "gcc-12_default_O3"
    assert any("1 of" in doubt and "no counterpart" in doubt for doubt in document["doubts"])
    assert not any("luckiest" in doubt for doubt in document["doubts"])
    named = compared(capsys, f"{sides[0]}:x/ref", f"{sides[1]}:x/new", "--by", "stream/long")
    assert named["tables"][0]["rows"][0]["b_implementation"] == "x/new"
    assert len(compared(capsys, *sides, "--all", "--by", "stream/long")["tables"][0]["rows"]) == 2


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a clone with the packages x/ref and x/opt, and work beside it."""
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "clone/submissions/x/ref")
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "clone/submissions/x/opt")
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "clone"


@pytest.mark.usefixtures("clone")
def test_measuring_first_is_one_campaign_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both packages, their configurations, and as many launches as were asked for."""
    asked: list[tuple[RunOptions, tuple[str, ...]]] = []

    def campaign(wanted: RunOptions, found: tuple[Found, ...]) -> int:
        """Take down what was asked for, and store what such a campaign would."""
        asked.append((wanted, tuple(one.selector for one in found)))
        print("1 cell")  # noqa: T201 - what a campaign prints must not end up in the JSON
        with Store.create(wanted.results) as store:
            store.put_machine(MACHINE)
            campaigner = Campaigner(store)
            for name, speed in (("x/ref", 10.0), ("x/opt", 9.0)):
                campaigner.cell(campaigner.package(name), speed=speed, launches=6)
        return 0

    monkeypatch.setattr(run, "measure", campaign)
    words = ["x/ref", "x/opt", "--measure", "--launches", "6", "--results", str(tmp_path)]
    words += ["--witness", "qemu-amd64"]
    assert len(compared(capsys, *words)["tables"][0]["rows"]) == 7
    conf = ["x/ref@gcc_default_O3", "x/opt@gcc_default_O3", *words[2:]]
    compared(capsys, *conf)
    timed, counted, chosen, _ = [wanted for wanted, _ in asked]
    assert {names for _, names in asked} == {("x/ref", "x/opt")}
    assert (timed.results, timed.names, timed.best, timed.launches) == (tmp_path, (), 1, 6)
    assert timed.in_turn == InTurn(6)
    assert counted.target_names == ("qemu-amd64",)
    assert (chosen.names, chosen.best) == (("gcc_default_O3",), None)


def going_on(
    asked: list[int | None], second: Callable[[int], float], quiet: int
) -> Callable[[RunOptions, object], int]:
    """Make a campaign that adds the launches that are missing; one in `quiet` counts."""

    def campaign(wanted: RunOptions, _: object) -> int:
        known, more = (asked[-1] or 0) if asked else 0, wanted.launches or 0
        asked.append(wanted.launches)
        with Store.create(wanted.results) as store:
            store.put_machine(MACHINE)
            campaigner = Campaigner(store)
            campaigner.seed = known
            packages = [campaigner.package(name) for name in ("x/ref", "x/opt")]
            cells = [campaigner.cell(one, launches=0) for one in packages]
            for number in range(known, more):
                for cell, speed in zip(cells, (10.0 + number / 999, second(number)), strict=True):
                    why = "" if number % quiet == quiet - 1 else "a neighbour"
                    campaigner.launch(cell, speed, disturbed=why)
        return 0

    return campaign


SCATTER = (0.95, 1.05, 0.96, 1.04, 1.0, 0.97, 1.03, 0.98, 1.02, 1.01)


@pytest.mark.parametrize(
    ("second", "options", "quiet", "launches"),
    [
        (lambda number: 9.8 + number / 1000, [], 1, [5]),
        (lambda number: 9.8 * SCATTER[number], [], 1, [5, 10]),
        (lambda number: 10.0 + number / 1000, [], 1, [5, 10]),
        (lambda number: 10.0 + number / 1000, [], 2, [5, 10, 15]),
        (lambda number: 9.8 + number / 1000, [], 9, [5, 10, 15, 20]),
        (lambda number: 9.8 + number / 1000, [], 99, [5, 10]),
        (lambda number: 2.0 + number / 1000, [], 99, [5]),
        (lambda number: 9.8 + number / 1000, ["--threshold", "5"], 1, [10]),
        (lambda number: 9.8 + number / 1000, ["--threshold", "5"], 3, [10, 15]),
        (lambda number: 9.8 + number / 1000, ["--launches", "7"], 99, [7]),
    ],
    ids=[
        *("2 % apart", "scattered", "equal", "every other one is quiet", "few are quiet"),
        "never quiet",
        *("far apart and never quiet", "with a threshold"),
        *("with a threshold, one in three is quiet", "as many as were asked for"),
    ],
)
@pytest.mark.usefixtures("clone")
def test_launches_end_where_the_sides_are_told_apart(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    second: Callable[[int], float],
    options: list[str],
    quiet: int,
    launches: list[int],
) -> None:
    """After five of each, if these are enough for an answer; else after ten that count, or none.

    One launch in `quiet` counts. What they say is looked at twice, however many are made.
    """
    asked: list[int | None] = []
    campaign = going_on(asked, second, quiet)
    monkeypatch.setattr(run, "measure", campaign)
    words = ["x/ref", "x/opt", "--measure", "--results", str(tmp_path), *options]
    compared(capsys, *words)
    assert asked == launches
    command.main(words, standalone_mode=False)
    shared = "shared by 2 looks" in capsys.readouterr().out
    assert shared is (not options)


@pytest.mark.usefixtures("clone")
def test_only_a_look_that_another_follows_is_hurried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not far apart needs quiet launches: groups that were disturbed are timed again."""
    looks: list[InTurn | None] = []
    campaign = going_on([], lambda number: 10.0 + number / 1000, 1)

    def noting(wanted: RunOptions, found: object) -> int:
        looks.append(wanted.in_turn)
        return campaign(wanted, found)

    monkeypatch.setattr(run, "measure", noting)
    command.main(
        ["x/ref", "x/opt", "--measure", "--results", str(tmp_path)], standalone_mode=False
    )
    assert looks == [InTurn(5, hurried=True), InTurn(5)]
    assert capsys.readouterr().err == " * so far: B against A: cannot be said.\n"


@pytest.mark.usefixtures("clone")
def test_nobody_waits_for_ever_until_enough_launches_are_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of launches of which every other one is quiet 15 each would follow, but time is over."""
    asked: list[int | None] = []
    clock = count(0.0, ENOUGH_SECONDS + 1.0)
    campaign = going_on(asked, lambda number: 10.0 + number / 1000, 2)
    monkeypatch.setattr(run, "measure", campaign)
    monkeypatch.setattr(revisions, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    compared(capsys, "x/ref", "x/opt", "--measure", "--results", str(tmp_path))
    assert asked == [5, 10]


def test_folders_are_measured_and_then_found_by_the_names_they_have_in_results(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --measure and without it; a configuration may follow."""
    places = clone / "submissions/x/ref", clone / "submissions/x/opt"
    for folder, name in zip(places, ("before", "after"), strict=True):
        folder.rename(clone.parent / name)

    def campaign(wanted: RunOptions, _: object) -> int:
        with Store.create(wanted.results) as store:
            store.put_machine(MACHINE)
            campaigner = Campaigner(store)
            for name, speed in (("before", 10.0), ("after", 9.0)):
                campaigner.cell(campaigner.package(name), speed=speed, launches=6)
        return 0

    monkeypatch.setattr(run, "measure", campaign)
    words = ["before", "./after", "--results", str(clone.parent / "r")]
    (first, *_) = compared(capsys, *words, "--measure")["tables"][0]["rows"]
    assert first["b_implementation"] == "after"
    assert len(compared(capsys, *words)["tables"][0]["rows"]) == 7
    assert command.main(words, standalone_mode=False) == 0
    assert capsys.readouterr().out.startswith("B against A: faster by 10.0 %.")


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        (("x/ref", "crypto_hash/sha256/ref"), "no measure in common"),
        (("x/ref", "x"), "one package is needed"),
        (("x/ref", "x/nothing"), "unknown package"),
    ],
)
def test_what_cannot_be_compared_afterwards_is_not_measured(
    clone: Path, monkeypatch: pytest.MonkeyPatch, sides: tuple[str, str], reason: str
) -> None:
    """A cipher and a hash, several implementations, and what there is not."""
    monkeypatch.setattr(run, "measure", None)
    options = ["--measure"]
    if "crypto" in sides[1]:
        shutil.copytree(
            ROOT / "submissions/supercop/crypto_hash/sha256", clone.parent / "t/crypto_hash/sha256"
        )
        options += ["--tree", str(clone.parent / "t")]
        sides = (sides[0], f"crypto_hash/sha256/{_only(clone.parent / 't/crypto_hash/sha256')}")
    with pytest.raises(UsageError, match=reason):
        command.main([*sides, *options], standalone_mode=False)


@pytest.mark.parametrize("broken", [True, False])
def test_a_side_that_failed_is_named_with_the_check_its_reason_and_the_cure(
    store: Store, campaigner: Campaigner, *, broken: bool
) -> None:
    """Not only that it was not measured."""
    package = campaigner.package("salsa20/wrong")
    if broken:
        campaigner.broken_build(package, "u64 is unknown")
        expected = "build (compile) failed with gcc-12_O9: u64 is unknown", "Write `std"
    else:
        campaigner.cell(package, checks=(FAILED,), launches=0)
        expected = f"{FAILED.check} failed with gcc-12_default_O3: {FAILED.reason}", FAILED.cure
    store.close()
    with pytest.raises(UsageError) as raised:
        load_side(parse_side("salsa20/wrong", store.path.parent))
    assert expected[0] in str(raised.value)
    assert expected[1] in raised.value.cure


def _only(folder: Path) -> str:
    """Name the first implementation of a primitive."""
    return next(one.parent.name for one in sorted(folder.glob("*/api.h")))


@pytest.mark.parametrize("words", [("x/ref@O3", "x/opt"), ("@O3", "@O2")])
@pytest.mark.usefixtures("clone")
def test_measuring_needs_to_know_what(words: tuple[str, str]) -> None:
    """An implementation on each side, and a configuration for both or for none."""
    with pytest.raises(UsageError) as raised:
        command.main([*words, "--measure"], standalone_mode=False)
    assert raised.value.cure


def test_what_else_differs_between_two_folders_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kernel, microcode and C library of two campaigns on one machine; what is equal is not."""
    machines = {
        "old": replace(MACHINE, microcode="0x1"),
        "new": replace(MACHINE, kernel="6.9.0", microcode="0x2", libc="glibc 2.41"),
    }
    for name, machine in machines.items():
        with Store.create(tmp_path / name) as store:
            store.put_machine(machine)
            campaigner = Campaigner(store)
            campaigner.cell(campaigner.package("salsa20/ref"), launches=6)
    document = compared(capsys, str(tmp_path / "old"), str(tmp_path / "new"))
    said = next(one for one in document["doubts"] if "besides the sides" in one)
    assert f"kernel ({MACHINE.kernel}; 6.9.0)" in said
    assert "microcode (0x1; 0x2)" in said
    assert "C library (unknown; glibc 2.41)" in said
    assert "processor" not in said


def test_a_name_where_nothing_was_measured_says_how_to_measure_it(tmp_path: Path) -> None:
    """Who types a revision and a package learns how two revisions are compared."""
    with pytest.raises(UsageError, match="no results of HEAD in") as raised:
        parse_side("HEAD", tmp_path)
    assert "--measure" in raised.value.cure
    assert "REV1..REV2 PACKAGE" in raised.value.cure
