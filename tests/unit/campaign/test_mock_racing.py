# SPDX-License-Identifier: MIT
"""Races of a primitive's implementations, without compilers: what calls cost decides them."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.mock.agent import Program
from tests.unit.mock.target import MockBuilder, mock_workshop

from assay.campaign.run import Outcome, run_campaign
from assay.check.kinds import kind_of
from assay.compile.recipe import Recipe
from assay.model import Compiler, Configuration, Unused, Verdict
from assay.model.compared import glanced
from assay.package.estream import load_estream
from assay.plan.plan import Effort, Plan
from assay.store import Store
from assay.summary.cells import cell_results
from assay.summary.footnotes import footnotes
from assay.summary.series import CellResult
from assay.toolchain.archs import ArchFit

TOY = Path(__file__).parents[2] / "whole/corpus" / "sync"
GCC = Compiler("gcc", "gcc", Path("/usr/bin/gcc"), "gcc 1", "", "0123456789abcdef")
LEVELS = ("O1", "O2", "O3", "Os", "Og")
PLAN = Plan(
    packages=tuple(load_estream(TOY, place=f"submissions/toy/{one}") for one in ("ref", "fast")),
    configurations=tuple(Configuration("gcc", "gcc", "", f"-{x}", x, x) for x in LEVELS),
    compilers={"gcc": GCC},
    launches=2,
    effort=Effort(samples=3),
    workers=1,
    race=True,
)
TICKS = {"O1": 6, "O2": 5, "O3": 3, "Os": 9, "Og": 12}  # a byte of toy/fast; toy/ref takes 40


def program(recipe: Recipe) -> Program:
    """Make each cell another code."""
    name = f"{recipe.package.selector}-{recipe.configuration.name}".replace("/", "-")
    slow = recipe.package.selector.endswith("ref")
    return Program(name, 300, 40 if slow else TICKS[recipe.configuration.name])


def wrong_at_o3(recipe: Recipe) -> Program:
    """Encrypt short messages wrongly in the fastest code: known answers are longer."""
    made = program(recipe)
    if recipe.configuration.name != "O3":
        return made
    return dataclasses.replace(
        made, tampers=lambda data: data if len(data) % 32 == 0 else bytes(len(data))
    )


class Told:
    """Hears of a campaign, and keeps its warnings."""

    def __init__(self) -> None:
        """Have heard nothing."""
        self.warnings: list[str] = []

    def begin(self, phase: str, total: int) -> None:
        """Do nothing."""

    def advance(self, what: str = "") -> None:
        """Do nothing."""

    def warn(self, text: str) -> None:
        """Keep it."""
        self.warnings.append(text)


Raced = Callable[..., tuple[Outcome, list[str], Told]]


@pytest.fixture
def raced(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> Raced:
    """Run campaigns; return what came of one, which cells it built, and what was said.

    Few checks are run, since agents in Python are slow, and this machine is quiet.
    """
    kind = kind_of(PLAN.packages[0])
    few = tuple(one for one in kind.checks if one.name in {"vectors/verified", "lengths/splits"})
    monkeypatch.setattr("assay.check.engine.ask.kind_of", lambda _: replace(kind, checks=few))
    monkeypatch.setattr("assay.measure.launch.quiet.within", lambda *_: "")
    monkeypatch.setattr("assay.measure.disturbance.Quiet.judged", lambda _, launched: launched)
    monkeypatch.setattr("assay.measure.gauge.differs", lambda *_: False)
    makers: list[Callable[[Recipe], Program]] = []

    def making(recipe: Recipe) -> Program:
        return makers[-1](recipe)

    workshop = mock_workshop(tmp_path, making)
    builder = workshop._builder
    assert isinstance(builder, MockBuilder)

    def run(
        makes: Callable[[Recipe], Program], plan: Plan = PLAN
    ) -> tuple[Outcome, list[str], Told]:
        makers.append(makes)
        builder.built.clear()
        told = Told()
        outcome = run_campaign(workshop, store, plan, (), ("run",), told)
        cells = [f"{one.package.selector} {one.configuration.name}" for one in builder.built]
        return outcome, cells, told

    return run


def said(store: Store, begins: str) -> list[str]:
    """Return the lines below tables that begin with some words."""
    return [line for line in footnotes(store) if line.startswith(begins)]


def by_name(store: Store) -> dict[str, CellResult]:
    """Give the results of cells."""
    return {f"{one.cell.selector} {one.cell.configuration}": one for one in cell_results(store)}


def full_launches(store: Store) -> set[str]:
    """Name the configurations of toy/fast that were measured in full."""
    heads = [one for one in store.launch_heads() if not one.purpose]
    return {one.cell.configuration for one in heads if one.cell.selector == "toy/fast"}


def test_an_implementation_far_behind_is_not_tried_with_other_options(
    store: Store, raced: Raced
) -> None:
    """It is built, examined and launched with the first; the table says that it dropped out."""
    _, built, told = raced(program)
    assert built == ["toy/ref O1", *(f"toy/fast {level}" for level in LEVELS)]
    assert any("toy/ref" in text and "--exhaustive" in text for text in told.warnings)
    dropped = by_name(store)["toy/ref O1"].dropped
    assert dropped is not None
    assert dropped.percent > 25.0


def test_code_that_no_configuration_uses_keeps_a_package_from_being_left_out(
    store: Store, raced: Raced, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is far behind with each, and tried with all; its rows and a line below say why."""

    def left_out(configuration: Configuration, *_: object) -> tuple[str, ...]:
        return ("__AES__",) if configuration.name != "none" else ()

    monkeypatch.setattr("assay.measure.policies.slow.unused", left_out)
    monkeypatch.setattr("assay.measure.policies.slow.richest", lambda _: ArchFit("", "-maes"))
    _, built, told = raced(program)
    assert built.count("toy/ref O3") == 1
    assert not told.warnings
    unused = by_name(store)["toy/ref O1"].unused
    assert unused == Unused(("__AES__",), "-maes")
    (line,) = said(store, "Might be faster")
    assert "toy/fast, toy/ref" in line
    assert "__AES__" in line
    assert "-maes" in line


def test_the_richest_configuration_is_tried_before_a_package_is_left_out(
    store: Store, raced: Raced
) -> None:
    """It is the last of the list here, and the package is faster with it by far."""

    def made(recipe: Recipe) -> Program:
        fast = recipe.package.selector.endswith("ref") and recipe.configuration.name == "Og"
        return dataclasses.replace(program(recipe), byte_ticks=2) if fast else program(recipe)

    richest = next(one for one in PLAN.configurations if one.name == "Og")
    _, built, _ = raced(made, replace(PLAN, richest=richest))
    assert {"toy/ref O1", "toy/ref Og", "toy/ref O3"} <= set(built)
    assert by_name(store)["toy/ref Og"].dropped is None


def test_ciphers_slower_than_a_rate_are_skipped(store: Store, raced: Raced) -> None:
    """Each code is launched once for that; tables name what was skipped, with its rate."""
    plan = replace(PLAN, slower_than=20.0, race=False, configurations=PLAN.configurations[:2])
    raced(program, plan)
    found = by_name(store)
    assert {one.cell.selector for one in store.launch_heads() if not one.purpose} == {"toy/fast"}
    skipped = found["toy/ref O1"].slower
    assert skipped is not None
    assert (skipped.limit_cycles, skipped.rate_cycles > 20.0) == (20.0, True)
    (line,) = said(store, "Skipped")
    assert "slower than 20 cycles/byte: toy/ref (" in line
    raced(program, replace(plan, slower_than=None))
    assert not said(store, "Skipped")


def test_what_is_left_out_stands_below_the_tables(store: Store, raced: Raced) -> None:
    """Of ciphers too, with the option that tries all."""
    raced(program)
    (line,) = said(store, "Not tried")
    assert "toy/ref" in line
    assert "--exhaustive" in line
    assert not said(store, "Might be faster")


def test_only_the_fastest_codes_are_examined_and_measured_in_full(
    store: Store, raced: Raced
) -> None:
    """Of the others outputs were compared, which the outcome counts and the cells say."""
    outcome, _, _ = raced(program)
    found = by_name(store)
    seen = {name for name, one in found.items() if glanced(one.checks)}
    assert full_launches(store) <= {"O2", "O3"}
    assert "O3" in full_launches(store)
    assert not seen & {"toy/fast O1", "toy/fast O3", "toy/ref O1"}
    assert {"toy/fast Os", "toy/fast Og"} <= seen
    assert outcome.glanced == len(seen)
    assert found["toy/fast O3"].dropped is None


def test_who_lost_against_code_that_fails_wins(store: Store, raced: Raced) -> None:
    """The fastest code is examined only after its race, and is wrong."""
    outcome, _, _ = raced(wrong_at_o3)
    found = by_name(store)
    wrong = found["toy/fast O3"]
    assert any(one.verdict is Verdict.FAIL for one in wrong.checks)
    assert outcome.failed == 1
    assert "O2" in full_launches(store)
    assert found["toy/fast O2"].dropped is None


def test_a_race_that_is_done_is_not_run_again_and_all_can_be_measured(
    store: Store, raced: Raced
) -> None:
    """The same plan builds and launches nothing more; an exhaustive one examines the rest."""
    raced(program)
    launches = len(store.launch_heads())
    _, built, _ = raced(program)
    assert (built, len(store.launch_heads())) == ([], launches)
    outcome, _, _ = raced(program, replace(PLAN, race=False))
    assert outcome.glanced == 0
    assert not any(one.dropped for one in by_name(store).values())


def test_a_glance_launches_once_and_examines_nothing_else(store: Store, raced: Raced) -> None:
    """A campaign after it examines everything, and takes the launch for one of its own."""
    glance = replace(PLAN, configurations=PLAN.configurations[:1], launches=1, glance=True)
    outcome, _, _ = raced(program, replace(glance, race=False))
    assert (outcome.cells, outcome.glanced, len(store.launch_heads())) == (2, 2, 2)
    assert outcome.verdict is Verdict.OPEN
    outcome, _, _ = raced(program, replace(glance, race=False, glance=False))
    assert (outcome.glanced, len(store.launch_heads())) == (0, 2)


def test_a_neighbour_who_stays_does_not_keep_a_race_from_ending(
    store: Store, raced: Raced, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Launches that are disturbed alike are compared, and not repeated without end."""
    beside = "a neighbour used the core all along"
    monkeypatch.setattr(
        "assay.measure.disturbance.Quiet.judged",
        lambda _, launched: replace(launched, disturbed=beside),
    )
    _, _, told = raced(program)
    found = by_name(store)
    assert found["toy/ref O1"].dropped is not None
    assert found["toy/fast Og"].dropped is not None
    assert not any("too few" in text for text in told.warnings)
    brief = [one for one in store.launch_heads() if one.purpose]
    assert len(brief) <= 16 * len(found)
