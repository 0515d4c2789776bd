# SPDX-License-Identifier: MIT
"""Results of a package over time: steps and what they are not taken for, and cures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.objects import Json
from tests.unit.cli.calling import Assay, calling
from tests.unit.report.conftest import MACHINE, Campaigner, make_package

from assay.model.notes import CodeOrigin
from assay.store import Store
from assay.store.rows import Notes

Measured = Callable[..., Path]


@pytest.fixture
def assay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Give a function that calls the command line in an empty folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)


@pytest.fixture
def measured(tmp_path: Path) -> Measured:
    """Give a function that stores a campaign: day, speed, and what differs of the machine."""

    def make(day: int, speed: float, launches: int = 6, **machine: object) -> Path:
        folder = tmp_path / f"day-{day}-{speed}"
        with Store.create(folder) as store:
            store.put_machine(replace(MACHINE, **machine))
            campaigner = Campaigner(store)
            campaigner.seed = 100 * day
            campaigner.cell(campaigner.package("salsa20/ref"), speed=speed, launches=launches)
        dated = "UPDATE launch SET record = replace(record, '2026-11-21', ?)"
        with Store.create(folder) as store, store.transaction() as connection:
            connection.execute(dated, (f"2026-11-{day:02d}",))
        return folder

    return make


def found(assay: Assay, *arguments: object) -> tuple[list[Json], Json]:
    """Return the rows and the facts of a history, read as a program reads them."""
    done = assay("history", *map(str, arguments), "--format", "json")
    assert done.code == 0, done.err
    said = json.loads(done.out)
    return said["tables"][0]["rows"], said


def test_a_step_is_named_where_it_is_with_its_size_and_p(assay: Assay, measured: Measured) -> None:
    """Of two times before and two behind a step of 20 %, it begins at the third."""
    folders = [measured(day, speed) for day, speed in ((1, 4.0), (2, 4.0), (3, 4.8), (4, 4.8))]
    rows, _ = found(assay, "salsa20/ref", *folders)
    steps = [row["step_percent"] for row in rows]
    assert steps[:2] == [None, None]
    assert steps[3] is None
    assert steps[2] == pytest.approx(20, abs=1.5)
    assert rows[2]["step_low"] < steps[2] < rows[2]["step_high"]
    assert rows[2]["step_p"] < 0.01
    assert rows[2]["measured"].startswith("2026-11-03")
    assert not rows[2]["outside"]


def test_a_step_beside_which_the_kernel_changed_is_not_said_to_be_the_codes(
    assay: Assay, measured: Measured
) -> None:
    """The change stands on the line and in the sentence."""
    folders = [measured(1, 4.0), measured(2, 4.8, kernel="6.9.0")]
    done = assay("history", "salsa20/ref", *map(str, folders))
    assert done.code == 0, done.err
    assert "possibly of the environment" in done.out
    assert "kernel: 6.1.0 to 6.9.0" in done.out
    assert "-----" in done.out


def test_a_benchmark_that_scatters_has_a_higher_threshold(
    assay: Assay, measured: Measured
) -> None:
    """What changes by a few per cent from day to day has no step of as many per cent."""
    speeds = (4.0, 4.1, 4.0, 4.12, 4.02, 4.11)
    folders = [measured(day, speed) for day, speed in enumerate(speeds, 1)]
    rows, said = found(assay, "salsa20", *folders)
    assert [row["step_percent"] for row in rows] == [None] * len(speeds)
    assert said["histories"][0]["scatter_percent"] > 3
    assert said["histories"][0]["smallest_percent"] >= said["histories"][0]["scatter_percent"]


def test_machines_have_histories_of_their_own(assay: Assay, measured: Measured) -> None:
    """A faster machine is no step, and what was measured once there is named."""
    folders = [measured(1, 4.0), measured(2, 4.0), measured(3, 2.0, host="other")]
    done = assay("history", "salsa20/ref", *map(str, folders))
    assert done.code == 0, done.err
    assert "No step was found." in done.out
    assert "on other: measured once" in done.out


def test_a_folder_has_the_contents_that_a_package_had_before(assay: Assay, tmp_path: Path) -> None:
    """Each with its commit, and with the kernel that it was measured on."""
    folder = tmp_path / "results"
    with Store.create(folder) as store:
        campaigner = Campaigner(store)
        for number, (speed, kernel) in enumerate(((4.0, "6.1"), (4.0, "6.1"), (5.0, "6.9"))):
            store.put_machine(replace(MACHINE, kernel=kernel))
            package = replace(make_package("salsa20/ref"), content_hash=f"contents {number}")
            store.put_package(package)
            cell = campaigner.cell(package, speed=speed, launches=6, object_hash=f"{number}")
            key = store.key(cell)
            assert key is not None
            Notes(store).put(key, CodeOrigin(f"{number}" * 40, {"kernel": kernel}))
    rows, _ = found(assay, "salsa20/ref", folder)
    assert [row["commit"] for row in rows] == ["0" * 10, "1" * 10, "2" * 10]
    assert rows[2]["step_percent"] == pytest.approx(25, abs=2)
    assert rows[2]["changed"] == "the package's contents; kernel: 6.1 to 6.9"


def test_results_from_the_future_are_said(assay: Assay, measured: Measured) -> None:
    """A clock that is wrong puts times in the wrong order."""
    later = measured(9, 4.0)
    with Store.create(later) as store, store.transaction() as connection:
        connection.execute("UPDATE launch SET record = replace(record, '2026-', '2999-')")
    done = assay("history", "salsa20/ref", str(measured(1, 4.0)), str(later))
    assert done.code == 0, done.err
    assert "dated 2999-11-09, in the future" in done.out


@pytest.mark.parametrize(
    ("package", "days", "reason", "cure"),
    [
        ("salsa20/ref", (), "there are no results of salsa20/ref here", "assay run"),
        ("salsa20/ref", (1,), "was measured once", "assay compare"),
        ("salsa20/other", (1, 2), "salsa20/other is not in", "There are salsa20/ref."),
    ],
)
def test_what_has_no_history_is_refused_with_a_cure(
    assay: Assay,
    measured: Measured,
    package: str,
    days: tuple[int, ...],
    reason: str,
    cure: str,
) -> None:
    """With exit code 2."""
    done = assay("history", package, *(str(measured(day, 4.0)) for day in days))
    assert (done.code, reason in done.err, cure in done.err) == (2, True, True), done.err


def test_a_folder_without_results_is_refused(assay: Assay, tmp_path: Path) -> None:
    """It is named."""
    done = assay("history", "salsa20/ref", str(tmp_path))
    assert done.code == 2
    assert "is no results folder" in done.err
