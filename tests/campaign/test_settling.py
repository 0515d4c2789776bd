# SPDX-License-Identifier: MIT
"""More launches where places of the first table are not settled."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.report.conftest import Campaigner

from assay.measure.candidate import Candidate
from assay.measure.launcher import Launcher
from assay.measure.policies import settling
from assay.measure.policies.turns import Turns
from assay.plan.plan import Plan
from assay.report.views import ranked_tables
from assay.store import Store
from assay.summary.cells import load
from assay.summary.rows import leading_rows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open an empty store."""
    with Store.create(tmp_path / "results") as opened:
        yield opened


@pytest.fixture
def campaigner(store: Store) -> Campaigner:
    """Fill the store as campaigns do."""
    return Campaigner(store)


@pytest.fixture
def settle(
    store: Store, campaigner: Campaigner, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, int]]:
    """Settle with launches of these speeds; return how many each package got."""
    launched: dict[str, int] = {}
    speeds: dict[str, float] = {}

    class Launched(Turns):
        """Launches at once, without an agent."""

        def take(self, queue: Sequence[Candidate]) -> None:
            for one in queue:
                name = one.code.cell.selector
                count = launched[name] = launched.get(name, 0) + 1
                campaigner.launch(one.code.cell, speeds[name] * (1 + 0.0001 * (count % 7)))

    def run(given: dict[str, float], launches: int = 5) -> dict[str, int]:
        speeds.update(given)
        groups = [
            (SimpleNamespace(build=cell.build, recipe=SimpleNamespace(package=cell.package)),)
            for cell in store.cells()
        ]
        plan = Plan((), (), {}, launches=launches)
        settling.settle(Launcher(None), store, groups, plan, _Silent())  # type: ignore[arg-type]
        return launched

    monkeypatch.setattr(settling, "Turns", Launched)
    monkeypatch.setattr(settling, "make_ready", lambda *_: ())
    return run


class _Silent:
    """Hears nothing."""

    def begin(self, stage: str, steps: int) -> None:
        """Ignore a stage."""

    def advance(self, note: str = "") -> None:
        """Ignore a step."""

    def warn(self, text: str) -> None:
        """Ignore a warning."""


def test_a_row_without_a_place_gets_launches_until_it_has_one(
    store: Store, campaigner: Campaigner, settle: Callable[..., dict[str, int]]
) -> None:
    """Two quiet launches beside five give no place; a third does, and nobody else is launched."""
    speeds = {"a/ref": 4.0, "b/ref": 6.0, "c/ref": 8.0}
    for name, speed in speeds.items():
        campaigner.cell(
            campaigner.package(name), speed=speed, launches=2 if name == "b/ref" else 5
        )
    launched = settle(speeds)
    assert set(launched) == {"b/ref"}
    (table,) = ranked_tables(leading_rows(load(store).cells))
    assert [str(table.place(row)) for row in table.rows] == ["1", "2", "3"]


def test_rows_that_share_a_place_for_good_are_not_launched_for_ever(
    campaigner: Campaigner, settle: Callable[..., dict[str, int]]
) -> None:
    """Three equal speeds never separate: each code has three times its launches at most."""
    speeds = {"a/ref": 4.0, "b/ref": 4.0, "c/ref": 4.0}
    for name, speed in speeds.items():
        campaigner.cell(campaigner.package(name), speed=speed)
    assert settle(speeds) == {"a/ref": 10, "b/ref": 10, "c/ref": 10}


def test_whoever_asks_for_one_launch_gets_one(
    campaigner: Campaigner, settle: Callable[..., dict[str, int]]
) -> None:
    """Fewer launches than a place needs are a choice, and nothing is added to them."""
    speeds = {"a/ref": 4.0, "b/ref": 6.0}
    for name, speed in speeds.items():
        campaigner.cell(campaigner.package(name), speed=speed, launches=1)
    assert settle(speeds, launches=1) == {}
