# SPDX-License-Identifier: MIT
"""More launches where places of the first table are not settled."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, cast

import pytest
from tests.unit.mock.standing import stand_in
from tests.unit.report.conftest import Campaigner, load

from assay.check.engine.cells import BuiltCell
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.stage import Stage
from assay.measure.candidate import Candidate
from assay.measure.policies.settling import settle
from assay.measure.task import LaunchTask
from assay.model import Launch
from assay.model.progress import Silence
from assay.plan.plan import Plan
from assay.report.kinds import tables
from assay.store import Store
from assay.summary.rows import Detail, chosen_rows

if TYPE_CHECKING:
    from assay.measure.launcher import Launcher


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open an empty store."""
    with Store.create(tmp_path / "results") as opened:
        yield opened


@pytest.fixture
def campaigner(store: Store) -> Campaigner:
    """Fill the store as campaigns do."""
    return Campaigner(store)


@dataclass
class MockLauncher:
    """Launches at once, without an agent, and counts what it launched."""

    campaigner: Campaigner
    speeds: dict[str, float]
    launched: dict[str, int] = field(default_factory=dict)
    random: Random = field(default_factory=lambda: Random(1))
    stays_busy: bool = False

    @property
    def workshop(self) -> Workshop:
        """Return a workshop whose agents are there, in one layout."""
        return stand_in(
            Workshop,
            stage=stand_in(Stage, cpu=None),
            admit=lambda build: build.agent,
            layouts=lambda *_: (),
        )

    def one_after_another(self) -> AbstractContextManager[None]:
        """Keep nothing: there is no machine."""
        return nullcontext()

    def take(self, one: Candidate, task: LaunchTask, purpose: str = "") -> Launch:
        """Store a launch, and return it."""
        del task, purpose
        cell = one.code.cell
        count = self.launched[cell.selector] = self.launched.get(cell.selector, 0) + 1
        speed = self.speeds[cell.selector] * (1 + 0.0001 * (count % 7))
        self.campaigner.launch(cell, speed)
        return self.campaigner.store.launches(cell)[-1]


@pytest.fixture
def settled(
    store: Store, campaigner: Campaigner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, int]]:
    """Settle with launches of these speeds; return how many each package got."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # of the machine's lock

    def run(
        speeds: dict[str, float], launches: int = 5, *, stays_busy: bool = False
    ) -> dict[str, int]:
        launcher = MockLauncher(campaigner, speeds, stays_busy=stays_busy)
        groups = [
            (stand_in(BuiltCell, build=cell.build, recipe=stand_in(Recipe, package=cell.package)),)
            for cell in store.cells()
        ]
        plan = Plan((), (), {}, launches=launches)
        done = settle(cast("Launcher", launcher), store, groups, plan, Silence())
        assert done is not stays_busy
        return dict(launcher.launched)

    return run


def test_a_row_without_a_place_gets_launches_until_it_has_one(
    store: Store, campaigner: Campaigner, settled: Callable[..., dict[str, int]]
) -> None:
    """Two quiet launches beside five give no place; a third does, and nobody else is launched."""
    speeds = {"a/ref": 4.0, "b/ref": 6.0, "c/ref": 8.0}
    for name, speed in speeds.items():
        campaigner.cell(
            campaigner.package(name), speed=speed, launches=2 if name == "b/ref" else 5
        )
    launched = settled(speeds)
    assert set(launched) == {"b/ref"}
    rows = chosen_rows(load(store).cells, Detail.PRIMITIVES)
    (table,) = tables(row for row in rows if not row.result.failed)
    assert [str(place) for place in table.ranking.places] == ["1", "2", "3"]


def test_a_configuration_that_may_only_be_lucky_gets_launches_too(
    campaigner: Campaigner, settled: Callable[..., dict[str, int]]
) -> None:
    """Tables prefer one of enough launches; without further ones the best might never be shown."""
    for name, speed in (("a/ref", 4.0), ("b/ref", 6.0)):
        campaigner.cell(campaigner.package(name), speed=speed)
    campaigner.cell(campaigner.package("a/ref"), "-O1", speed=3.0, launches=2)
    assert set(settled({"a/ref": 3.0, "b/ref": 6.0})) == {"a/ref"}


def test_rows_that_share_a_place_for_good_are_not_launched_for_ever(
    campaigner: Campaigner, settled: Callable[..., dict[str, int]]
) -> None:
    """Three equal speeds never separate: each code has three times its launches at most."""
    speeds = {"a/ref": 4.0, "b/ref": 4.0, "c/ref": 4.0}
    for name, speed in speeds.items():
        campaigner.cell(campaigner.package(name), speed=speed)
    assert settled(speeds) == {"a/ref": 10, "b/ref": 10, "c/ref": 10}


def test_places_stay_open_on_a_machine_that_is_busy_all_along(
    campaigner: Campaigner, settled: Callable[..., dict[str, int]]
) -> None:
    """Launches that would be disturbed as those before them settle nothing, and take minutes."""
    speeds = {"a/ref": 4.0, "b/ref": 4.0, "c/ref": 4.0}
    for name, speed in speeds.items():
        campaigner.cell(campaigner.package(name), speed=speed)
    assert settled(speeds, stays_busy=True) == {}


def test_whoever_asks_for_one_launch_gets_one(
    campaigner: Campaigner, settled: Callable[..., dict[str, int]]
) -> None:
    """Fewer launches than a place needs are a choice, and nothing is added to them."""
    speeds = {"a/ref": 4.0, "b/ref": 6.0}
    for name, speed in speeds.items():
        campaigner.cell(campaigner.package(name), speed=speed, launches=1)
    assert settled(speeds, launches=1) == {}
