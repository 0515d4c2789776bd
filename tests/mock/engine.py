# SPDX-License-Identifier: MIT
"""The engine as campaigns call it, for tests."""

from collections.abc import Iterable
from typing import Any

from assay.check.engine.cells import Made, passed
from assay.check.engine.examining import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.store import Store


def codes_that_pass(
    workshop: Any,
    store: Store,
    recipes: Iterable[Recipe],
    workers: int,
    heard: Any,
    *,
    keep: bool = True,
) -> list[tuple[Made, ...]]:
    """Examine cells; return those that passed, grouped by their code."""
    engine = Engine(workshop, store, workers, heard)
    return passed(engine.examine(recipes, Wanted(keep=keep)))
