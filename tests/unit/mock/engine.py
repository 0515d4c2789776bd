# SPDX-License-Identifier: MIT
"""The engine as campaigns call it, for tests."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.unit.mock.cells import FakeWorkshop, Heard

from assay.check.engine.cells import BuiltCell, passed
from assay.check.engine.examine import Engine, open_engine
from assay.check.engine.verdict import TargetStanding, judged
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.execute.jail import Jail
from assay.model import Package, Target
from assay.model.progress import Silence
from assay.plan.spread import ConfigurationChoice, Spread
from assay.store import Store


def codes_that_pass(
    workshop: FakeWorkshop,
    store: Store,
    recipes: Iterable[Recipe],
    workers: int,
    heard: Heard,
    *,
    keep: bool = True,
) -> list[tuple[BuiltCell, ...]]:
    """Examine cells; return those that passed, grouped by their code."""
    engine = Engine(workshop, store, workers, heard)
    return passed(engine.examine(recipes, Wanted(keep=keep)))


def stand(package: Package, target: Target, jail: Jail) -> TargetStanding:
    """Examine a package on a target, as `check --target` does."""
    places = Spread([target], ConfigurationChoice(Path("nowhere"))).places(package)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_engine(jail, Path(folder), Silence()) as engine,
    ):
        (found,) = judged(engine, [(package, places)], Wanted(portability=True))
    return found.standings[0]
