# SPDX-License-Identifier: MIT
"""What `assay run` does before all else where somebody waits at a terminal."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.unit.report.conftest import MACHINE, Campaigner

from assay.campaign.planning import LAUNCHES, RunOptions
from assay.campaign.roots import packages_root
from assay.cli import run
from assay.model import Configuration
from assay.package.resolve import resolve
from assay.plan.plan import Plan
from assay.store import Store

GCC = Configuration("gcc", "gcc", "", "-O2", "gcc_default_O2", "gcc_default_O2")
TWO, SIX = ("salsa20",), ("salsa20", "chacha20", "rabbit")
Looked = Callable[[Sequence[str], float], list[int]]


@pytest.fixture
def looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looked:
    """Give a function that looks at packages of so many seconds each; it returns the launches."""
    with Store.create(tmp_path) as store:
        store.put_machine(MACHINE)
        fake = Campaigner(store)
        for name, speed in (("salsa20/ref", 6.5), ("salsa20/simd", 2.0)):
            cell = fake.cell(fake.package(name), speed=speed, launches=0)
            for number in range(LAUNCHES):
                fake.launch(cell, speed * (1 + 0.001 * number))
    made: list[int] = []

    def look(names: Sequence[str], seconds: float) -> list[int]:
        found = resolve(tuple(names), packages_root())
        plans = [Plan((), (GCC,), {}, launches=1)]
        monkeypatch.setattr(run, "_plans", lambda *_: plans)
        monkeypatch.setattr(run, "_run", lambda plan, *_: made.append(plan.launches))
        monkeypatch.setattr(run, "_seconds", lambda _: seconds * len(found))
        run._look(RunOptions(results=tmp_path), found)
        return made

    return look


def test_of_a_few_packages_the_fastest_is_named(
    looked: Looked, capsys: pytest.CaptureFixture[str]
) -> None:
    """One launch each for first figures, and as many as a place needs for who is first."""
    assert looked(TWO, 0.4) == [1, LAUNCHES]
    said = capsys.readouterr().err
    assert "so far, with gcc_default_O2: Stream ciphers: salsa20/simd is the fastest: " in said


@pytest.mark.parametrize(("names", "seconds"), [(SIX, 0.1), (TWO, 3.0)], ids=["many", "slow"])
def test_of_many_or_slow_packages_there_are_first_figures_alone(
    looked: Looked, names: Sequence[str], seconds: float
) -> None:
    """The campaign begins soon, which measures them in full."""
    assert looked(names, seconds) == [1]
