# SPDX-License-Identifier: MIT
"""Campaigns that race and campaigns that want a precision: counted is what they launch."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.campaign.conftest import COUNTING, ROOT, Tree, planted

from assay.configure.folder import write_configurations
from assay.model import Compiler, Configuration, Launch, Package
from assay.model.compared import glanced
from assay.package.discover import load_or_explain
from assay.plan.plan import Plan
from assay.summary.cells import cell_results
from assay.summary.series import CellResult
from assay.toolchain.survey import examine

OPTIONS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-O3 -funroll-loops")
FULL = 2
RACE = ("run", "--launches", str(FULL), "--samples", "1", "--sizes", "128/0")
# Marks so many launches as disturbed, and no other.
BUSY = """
from itertools import count
numbers = count()
launch.quiet.within = lambda *_: "somebody" if next(numbers) < {launches} else ""
"""
PRECISE = ("run", "--best", "1", "--launches", "1", "--samples", "1", "--sizes", "128/0")


@pytest.fixture
def many(tree: Tree) -> Tree:
    """Give a tree with as many configurations as options, of which -O0 is hopeless."""
    return with_all_options(tree)


def with_all_options(tree: Tree) -> Tree:
    """Write the configurations of a tree."""
    names = [text.replace(" ", "").replace("-", "") for text in OPTIONS]
    write_configurations(
        tree.root / "reports-tester",
        [
            Configuration("gcc", "gcc", "", text, f"gcc_default_{name}", f"gcc_default_{name}")
            for text, name in zip(OPTIONS, names, strict=True)
        ],
    )
    return tree


@dataclass(frozen=True)
class Raced:
    """A tree after a race, and what was there then: tests go on from it."""

    tree: Tree
    found: dict[str, CellResult]
    heads: tuple[Launch, ...]
    timed: dict[str, set[str]]
    shown: str


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Raced]:
    """Run a race."""
    with planted(tmp_path_factory.mktemp("raced"), cache) as made:
        tree = with_all_options(made)
        assert tree.assay(*RACE, "--race").returncode == 0
        tree.done()
        with tree.store() as store:
            heads = store.launch_heads()
        timed = {purpose: timed_by(tree, purpose) for purpose in ("race", "")}
        shown = tree.assay("show", "--csv", "--all", str(tree.results)).stdout
        yield Raced(tree, results(tree), heads, timed, shown)


def results(tree: Tree) -> dict[str, CellResult]:
    """Give the results by configuration."""
    with tree.store() as store:
        return {one.cell.configuration: one for one in cell_results(store)}


def timed_by(tree: Tree, purpose: str) -> set[str]:
    """Name the measures that launches of a purpose took."""
    with tree.store() as store:
        launches = [one for cell in store.cells() for one in store.launches(cell.build.cell)]
    return {sample.measure for one in launches if one.purpose == purpose for sample in one.samples}


def codes(found: dict[str, CellResult]) -> set[str | None]:
    """Name the distinct machine codes."""
    return {one.build.object_hash for one in found.values()}


def test_what_drops_out_is_marked_and_is_not_measured_in_full(raced: Raced) -> None:
    """All codes are launched at least once; one is measured in full."""
    found, heads = raced.found, raced.heads
    launched = {one.object_hash for one in heads if one.purpose == "race"}
    full = {one.object_hash for one in heads if not one.purpose}
    dropped = {one.build.object_hash: one for one in found.values() if one.dropped}
    assert launched == codes(found)
    assert full == codes(found) - set(dropped)
    assert len(full) == 1
    assert sum(not one.purpose for one in heads) == FULL * len(full)
    assert raced.timed["race"] == {"stream/long"}
    assert raced.timed[""] > {"stream/long", "packet/40", "setup/key"}
    # Unoptimised RC4 takes several times as long: no luck of a launch hides that.
    hopeless = found["gcc_default_O0"].dropped
    assert hopeless is not None
    assert hopeless.percent > 0
    assert f"dropped in round {hopeless.round}, at least" in raced.shown


@pytest.mark.slow  # about a minute
def test_a_race_waits_for_launches_that_count_before_it_gives_up(
    many: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as most codes of the first round had none: measuring all would take far longer."""
    # Each code is launched four times in a pass, and two launches of the first are quiet: where
    # none is, a neighbour is there to stay.
    busy = COUNTING.replace("main()\n", BUSY.format(launches=4 * len(OPTIONS) - 2) + "main()\n")
    monkeypatch.setattr(Tree, "command", lambda _, *words: [sys.executable, "-c", busy, *words])
    done = many.assay(*RACE, "--race")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("race, round 1") > 1
    assert "too few launches count" not in done.stderr
    assert any(one.dropped for one in results(many).values())


@pytest.mark.slow  # about a minute
def test_a_race_on_a_machine_that_is_never_quiet_compares_disturbed_launches(
    many: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour who stays slows all alike."""
    busy = COUNTING.replace("main()\n", BUSY.format(launches=10**6) + "main()\n")
    monkeypatch.setattr(Tree, "command", lambda _, *words: [sys.executable, "-c", busy, *words])
    done = many.assay(*RACE, "--race")
    assert "too few launches count" not in done.stderr
    hopeless = results(many)["gcc_default_O0"].dropped
    assert hopeless is not None
    assert hopeless.percent > 0


@pytest.mark.parametrize(
    ("race", "sizes"), [(True, [1, 24, 96, 384, 696]), (False, [24] * 50 + [1])]
)
def test_rounds_of_a_race_grow_and_others_do_not(race: bool, sizes: list[int]) -> None:
    """Who was best runs again in every round of a race; other campaigns end round by round."""
    place = "benchmarks/rc4/ref"
    package = load_or_explain(ROOT / place, ROOT, place)
    assert isinstance(package, Package)
    compiler = examine("gcc")
    assert isinstance(compiler, Compiler)
    names = [f"gcc_{number}" for number in range(1201)]
    listed = tuple(Configuration("gcc", "gcc", "", "-O2", name, name) for name in names)
    plan = Plan((package,), listed, {"gcc": compiler}, race=race)
    rounds = list(plan.rounds())
    assert [len(each.recipes) for each in rounds] == sizes
    assert [one.configuration.name for each in rounds for one in each.recipes] == names


def test_a_race_is_not_run_again_and_measuring_all_measures_the_rest(raced: Raced) -> None:
    """The same command does nothing; --exhaustive takes just what had dropped out."""
    many = raced.tree
    assert many.assay(*RACE, "--race").returncode == 0
    assert many.done() == {"build": 0, "examine": 0, "launch": 0}
    found = raced.found.values()
    dropped = {one.build.object_hash for one in found if one.dropped}
    seen = {one.build.object_hash for one in found if glanced(one.checks)}
    assert dropped
    assert seen <= dropped  # the first configuration has fewer inputs, and is no glance
    many.assay(*RACE, "--exhaustive")
    assert many.done() == {"build": 0, "examine": len(dropped), "launch": FULL * len(dropped)}
    assert not any(one.dropped for one in results(many).values())


@pytest.mark.slow
def test_an_unreachable_precision_ends_at_the_bound_and_says_so(tree: Tree) -> None:
    """A millionth of a per cent: eight launches, then the figure's own precision is told."""
    wanted = (*PRECISE, "--precision", "0.000001%", "--most-launches", "8")
    assert tree.assay(*wanted).returncode == 0
    assert tree.done()["launch"] == 8
    (result,) = results(tree).values()
    assert result.unreached is not None
    assert (result.unreached.launches, result.unreached.wanted_percent) == (8, 1e-6)
    assert (result.unreached.reached_percent or 0) > 1e-6
    assert "after 8 launches" in tree.assay("show", "--csv", str(tree.results)).stdout
    tree.done()
    tree.assay(*wanted)
    assert tree.done()["launch"] == 0


def test_a_precision_takes_as_many_launches_as_an_interval_needs(tree: Tree) -> None:
    """Within 99 %: six launches, the least that an interval of 95 % needs, or a few more."""
    tree.assay(*PRECISE, "--precision", "99")
    assert 6 <= tree.done()["launch"] < 50
    (result,) = results(tree).values()
    assert result.unreached is None


@pytest.mark.parametrize("text", ["0%", "-1", "x", "100%"])
def test_a_precision_is_a_percentage(tree: Tree, text: str) -> None:
    """Anything else is wrong usage."""
    done = tree.assay(*PRECISE, f"--precision={text}")
    assert done.returncode == 2
    assert "--precision" in done.stderr
