# SPDX-License-Identifier: MIT
"""A build is asked in several lanes: here, and by further processes where there are some."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn, cast

import pytest
from msgspec.structs import replace
from tests.unit.mock.agent import Program
from tests.unit.mock.standing import stand_in
from tests.unit.mock.target import mock_workshop

from assay.check.depth import IN_FULL, Extent
from assay.check.engine.ask import FIRST, WAITING, Answers, AskedBuild, Lanes, Questioner, ask_all
from assay.check.engine.build import Company
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import ReferencePackage, Wanted
from assay.check.kinds import kind_of
from assay.compile.recipe import Recipe
from assay.execute.patience import Patience
from assay.machine.helper import HelperLost, SecondProcess
from assay.model import (
    Build,
    CheckResult,
    Compiler,
    Configuration,
    Package,
    StreamSubject,
    Verdict,
)
from assay.model.compared import SIBLINGS
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.store import Store

TOY = Path(__file__).parents[3] / "whole/corpus" / "sync"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")
O2 = Configuration("gcc", "gcc", "", "-O2", "O2", "O2")


@dataclass
class Lane:
    """Answers questions, and remembers them; a helper is lost after some."""

    lost_after: int = 1000
    patience: Patience = field(default_factory=lambda: Patience(60.0))
    asked: list[str] = field(default_factory=list)

    @property
    def foundry(self) -> SimpleNamespace:
        """Stand for the foundry of a questioner."""
        return SimpleNamespace(stage=SimpleNamespace(patience=self.patience))

    def answers(self, name: str) -> tuple[CheckResult, ...]:
        """Answer as the code under test would."""
        self.asked.append(name)
        return (CheckResult(name, Verdict.PASS),)

    def call(
        self, method: str, asked: object = None, used: float = 0.0
    ) -> tuple[tuple[CheckResult, ...], float] | None:
        """Answer as a helper would, which used up a second."""
        if len(self.asked) >= self.lost_after:
            raise HelperLost
        if method != "answers":
            return None
        return self.answers(str(asked)), used + 1.0


@pytest.fixture
def package() -> Package:
    """Load a package; its sources are never compiled."""
    return load_estream(TOY, place="submissions/toy/ref")


@pytest.fixture
def recipe(package: Package) -> Recipe:
    """Return a recipe of the package."""
    return Recipe(package, 1, O2, GCC)


@pytest.fixture
def asked(recipe: Recipe) -> Callable[..., AskedBuild]:
    """Return what makes the questions to the package."""

    def make(reference: ReferencePackage | None = None, extent: Extent = IN_FULL) -> AskedBuild:
        return AskedBuild(recipe, stand_in(Build), stand_in(StreamSubject), extent, reference)

    return make


def ask(
    asked: AskedBuild, here: Lane, *helpers: Lane, first: frozenset[str] = frozenset()
) -> tuple[list[str], list[str]]:
    """Ask everything; return the names of the answers, and of what was heard at once."""
    heard: list[str] = []
    found = ask_all(
        asked,
        cast("Questioner", here),
        Company(
            cast("tuple[SecondProcess, ...]", helpers),
            lambda one: heard.append(one.check),
            first,
        ),
    )
    return [one.check for one in found], heard


def test_what_often_fails_is_asked_first_and_families_with_notes_stay_together(
    asked: Callable[..., AskedBuild], package: Package
) -> None:
    """Every question is asked once, and the comparison before the rare ones."""
    groups = asked(ReferencePackage(package)).groups()
    names = [name for group in groups for name in group]
    checks = [one.name for one in kind_of(package).checks]
    assert sorted(names) == sorted([*checks, "against/given"])
    assert names[:2] == ["object/calls", "vectors/verified"]
    assert names.index("buffers/guard") < names.index("calls/sparse") < names.index("abi/flags")
    assert names.index("against/given") < names.index("context/copied")
    for family in ("abi/", "secrets/"):  # but abi/modes, which looks at nothing else
        inside = [group for group in groups if group[0].startswith(family) and len(group) > 1]
        assert len(inside) == 1, family
    assert set(FIRST) & set(names)


@pytest.mark.parametrize("lost_after", [(), (0,), (5,), (1000,), (1000, 1000), (0, 3, 1000)])
def test_answers_are_in_their_order_whoever_asked(
    asked: Callable[..., AskedBuild], package: Package, lost_after: tuple[int, ...]
) -> None:
    """Alone, with helpers, and with some that somebody kills."""
    here, helpers = Lane(), [Lane(number) for number in lost_after]
    names, heard = ask(asked(), here, *helpers)
    assert names == [one.name for one in kind_of(package).checks]
    assert sorted(heard) == sorted(names)
    others = [name for one in helpers for name in one.asked]
    assert sorted([*here.asked, *others]) == sorted(names)
    assert all(len(one.asked) <= one.lost_after for one in helpers)


def test_what_failed_last_is_asked_before_what_often_fails(
    asked: Callable[..., AskedBuild], package: Package
) -> None:
    """The answers are shown in their order all the same."""
    here = Lane()
    names, heard = ask(asked(), here, first=frozenset({"context/copied"}))
    assert heard[0] == "context/copied"
    assert heard[1] == FIRST[0]
    assert names == [one.name for one in kind_of(package).checks]


@pytest.mark.parametrize("failing", ["vectors/verified", "context/copied", "nothing"])
def test_where_one_failure_is_enough_nothing_is_asked_behind_it(
    asked: Callable[..., AskedBuild], package: Package, failing: str
) -> None:
    """And what waits for compilers and for a second comes last."""

    class Failing(Lane):
        def answers(self, name: str) -> tuple[CheckResult, ...]:
            (passed,) = super().answers(name)
            return (replace(passed, verdict=Verdict.FAIL),) if name == failing else (passed,)

    here, question = Failing(), asked(extent=Extent(one_failure=True))
    names, _ = ask(question, here)
    order = [name for group in question.groups() for name in group]
    last = [name for name in WAITING if name in order]
    assert order[-len(last) :] == last
    assert set(order) == {one.name for one in kind_of(package).checks}
    assert here.asked == order[: order.index(failing) + 1 if failing in order else None]
    assert sorted(names) == sorted(here.asked)


def test_a_sibling_that_differs_does_not_end_what_known_answers_have_settled() -> None:
    """Where these are right, its difference is a finding, and another check may still fail."""
    right = CheckResult("vectors/verified", Verdict.PASS)
    differs = CheckResult(SIBLINGS, Verdict.FAIL)
    for given, failed in (((differs,), True), ((right, differs), False)):
        answers: Answers = {one.check: (one,) for one in given}
        assert Lanes(deque(), lambda _: None, True, answers).failed is failed


def test_all_lanes_use_up_one_patience(asked: Callable[..., AskedBuild]) -> None:
    """What the helpers' agents were waited for counts here, too."""
    here, helpers = Lane(), (Lane(), Lane())
    ask(asked(), here, *helpers)
    asked_there = sum(len(one.asked) for one in helpers)
    assert here.patience.used == pytest.approx(float(asked_there))


def test_errors_of_the_helper_are_raised_here(asked: Callable[..., AskedBuild]) -> None:
    """A mistake of the bench is no verdict."""

    class Wrong(Lane):
        def call(self, method: str, *_: object) -> NoReturn:
            raise ValueError(f"a mistake in {method}")

    with pytest.raises(ValueError, match="a mistake"):
        ask(asked(), Lane(), Wrong())


def test_an_examination_tells_each_verdict_at_once(
    tmp_path: Path, store: Store, recipe: Recipe
) -> None:
    """Before the examination has ended."""
    heard: list[str] = []
    program = Program(tampers=lambda data: data[:-1] + bytes(data[-1:] and 1))
    workshop = mock_workshop(tmp_path, lambda _: program)
    workshop.company = type(workshop.company)((), lambda one: heard.append(one.check))
    (one,) = Engine(workshop, store, 1, Silence()).examine([recipe], Wanted())
    checks = [c.check for c in one.checks if not c.check.startswith(("build/", "agent/"))]
    assert sorted(heard) == sorted(checks)
    assert "vectors/consistent" in heard
