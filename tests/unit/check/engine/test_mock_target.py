# SPDX-License-Identifier: MIT
"""Cells of a machine without compilers: builds by word, agents in Python, a clock of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.mock.agent import Program
from tests.unit.mock.target import mock_workshop

from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.model import Compiler, Configuration, Package, Verdict
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.store import Store

TOY = Path(__file__).parents[3] / "whole/corpus" / "sync"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """Load a package; its sources are never compiled."""
    del tmp_path
    return load_estream(TOY, place="submissions/toy/ref")


@pytest.fixture
def recipes(package: Package) -> Callable[[str], list[Recipe]]:
    """Return the function that makes the recipes of the package under levels."""

    def make(levels: str) -> list[Recipe]:
        named = (Configuration("gcc", "gcc", "", f"-{one}", one, one) for one in levels.split())
        return [Recipe(package, 1, one, GCC) for one in named]

    return make


def test_an_honest_program_fails_no_check(
    tmp_path: Path, store: Store, recipes: Callable[[str], list[Recipe]]
) -> None:
    """All checks of the kind that need no object code are asked of it."""
    workshop = mock_workshop(tmp_path, lambda _: Program())
    (one,) = Engine(workshop, store, 1, Silence()).examine(recipes("O2"), Wanted())
    failed = [(c.check, c.reason) for c in one.checks if c.verdict is Verdict.FAIL]
    assert failed == []


@pytest.mark.parametrize(
    ("program", "check"),
    [
        (Program(tampers=lambda data: data[:-1] + bytes(data[-1:] and 1)), "vectors/consistent"),
        (Program(stops=True), "agent/answers"),
    ],
)
def test_a_program_that_misbehaves_fails_by_name(
    tmp_path: Path,
    store: Store,
    recipes: Callable[[str], list[Recipe]],
    program: Program,
    check: str,
) -> None:
    """A wrong last byte of every call, and an agent that ends before it answers."""
    workshop = mock_workshop(tmp_path, lambda _: program)
    (one,) = Engine(workshop, store, 1, Silence()).examine(recipes("O2"), Wanted())
    assert check in [c.check for c in one.checks if c.verdict is Verdict.FAIL]
    assert not one.passed


def test_programs_of_one_name_are_one_code(
    tmp_path: Path, store: Store, recipes: Callable[[str], list[Recipe]]
) -> None:
    """The second configuration is not examined; what does not build has the builder's reason."""
    made: dict[str, Program | str] = {
        "O3": Program("a"),
        "O2": Program("a"),
        "O1": "it does not compile",
    }
    workshop = mock_workshop(tmp_path, lambda recipe: made[recipe.configuration.name])
    engine = Engine(workshop, store, 1, Silence())
    first, second, third = engine.examine(recipes("O3 O2 O1"), Wanted())
    assert first.build.object_hash == second.build.object_hash
    assert first.checks == second.checks
    assert [(c.check, c.reason) for c in third.checks] == [
        ("build/compiles", "it does not compile")
    ]
