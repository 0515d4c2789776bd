# SPDX-License-Identifier: MIT
"""Slow code is asked fewer questions, and one that used up its time is not examined again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest
from tests.unit.mock.agent import Program
from tests.unit.mock.standing import stand_in
from tests.unit.mock.target import mock_workshop

from assay.check.depth import Extent
from assay.check.engine.cells import Examination
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop, examined
from assay.compile.recipe import Recipe
from assay.model import Build, CheckResult, Compiler, Configuration, Verdict
from assay.model.progress import Silence
from assay.package.estream import load_estream
from assay.store import Store

CORPUS = Path(__file__).parents[3] / "whole/corpus"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")


@pytest.fixture
def recipe() -> Recipe:
    """Return a recipe; its sources are never compiled."""
    package = load_estream(CORPUS / "sync", place="submissions/toy/ref")
    return Recipe(package, 1, Configuration("gcc", "gcc", "", "-O2", "O2", "O2"), GCC)


def verdict(folder: Path, recipe: Recipe, program: Program, check: str) -> CheckResult:
    """Examine a program on a mock target; return one verdict."""
    (folder / "results").mkdir()
    with Store.create(folder / "results") as store:
        workshop = mock_workshop(folder, lambda _: program)
        (one,) = Engine(workshop, store, 1, Silence()).examine([recipe], Wanted())
    return next(found for found in one.checks if found.check == check)


@pytest.mark.parametrize(
    ("program", "remark"),
    [
        (Program(), ""),
        # A long vector is 131072 bytes, six times: at 4 us a byte 3.1 s, so six fit into 20 s.
        (Program(byte_ticks=4_000), "the code is slow: 7 of 89 vectors left out"),
    ],
)
def test_slow_code_gets_fewer_long_vectors_and_the_verdict_says_so(
    tmp_path: Path, recipe: Recipe, program: Program, remark: str
) -> None:
    """It passes with a remark; code that is fast enough gets all vectors."""
    found = verdict(tmp_path, recipe, program, "vectors/consistent")
    assert (found.verdict, found.reason) == (Verdict.PASS, remark)


def test_slow_code_that_is_wrong_in_long_streams_alone_fails(
    tmp_path: Path, recipe: Recipe
) -> None:
    """What is left out comes last, and some of the long vectors are asked."""
    calls: list[int] = []

    def tampers(data: bytes) -> bytes:
        calls.append(len(data))
        return data[:-1] + bytes([data[-1] ^ len(calls) & 1]) if len(data) > 65536 else data

    slow = Program(byte_ticks=4_000, tampers=tampers)
    found = verdict(tmp_path, recipe, slow, "vectors/consistent")
    assert found.verdict is Verdict.FAIL


@dataclass
class Failing(Workshop):
    """A workshop that fails every examination for the same reason."""

    reason: str
    examined: int = 0

    def patient(self, *_: object, **__: object) -> Self:
        """Return itself."""
        return self

    def examine(self, *_: object, **__: object) -> Examination:
        """Fail a check."""
        self.examined += 1
        return Examination(None, (CheckResult("vectors/consistent", Verdict.FAIL, self.reason),))


@pytest.mark.parametrize(
    ("account", "times"),
    [
        ("it used up its 120 seconds of processor time and was stopped (SIGXCPU)", 1),
        ("it died of SIGKILL", 5),
    ],
)
def test_code_that_used_up_its_processor_time_is_not_examined_again(
    recipe: Recipe, account: str, times: int
) -> None:
    """Only what anybody may have killed is: then it was perhaps not the code's fault."""
    workshop = Failing(f"the agent ended while asked: {account}")
    found = examined(workshop, recipe, stand_in(Build), Wanted(), Extent())
    assert (found.verdict, workshop.examined) == (Verdict.FAIL, times)
