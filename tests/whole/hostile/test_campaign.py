# SPDX-License-Identifier: MIT
"""Hostile packages in one campaign with honest ones: what the honest ones get does not change."""

import re

import pytest
from tests.objects import Json
from tests.whole.hostile.attacks import UNCHANGED, Attack, all_attacks
from tests.whole.hostile.outside import Outside
from tests.whole.hostile.tree import HONEST_NAMES, Tree

HONEST = {f"{name}/ref" for name in HONEST_NAMES}
NOT_COMPARED = 3  # nothing failed, and the toys have no vectors
# Of what else an attack does a busy machine may see this first: time beside what is timed.
BUSY = "of the processor, and .* (is|are) believed|it used up its [0-9]+ seconds"
ATTACKS = tuple(one for one in all_attacks() if not one.slow)
ON_FIGURES = tuple(one for one in ATTACKS if one.figure and not one.whole)
ON_THE_MACHINE = tuple(one for one in ATTACKS if one.machine)


def earned(cells: list[Json]) -> Json:
    """Give all of the honest packages' results that no clock takes part in."""
    return {
        cell["package"]: (
            cell["state"], cell["reasons"], cell["object_hash"], cell["content_hash"],
            cell["build"], cell["checks"],
            [sorted(name for name, one in row.items() if "/" in name and one is not None)
             for row in cell["rows"]],
        )
        for cell in cells
        if cell["package"] in HONEST
    }  # fmt: skip


def compared(tree: Tree, attacks: tuple[Attack, ...], outside: Outside) -> list[Json]:
    """Run a campaign without and one with attacks; what the honest ones got must be the same."""
    assert tree.run(tree.root.parent / "alone").returncode == NOT_COMPARED
    before = earned(tree.shown(tree.root.parent / "alone"))
    assert before.keys() == HONEST
    for attack in attacks:
        tree.add(attack, outside)
    done = tree.run(tree.root.parent / "together")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    cells = tree.shown(tree.root.parent / "together")
    assert earned(cells) == before
    return [cell for cell in cells if cell["package"] not in HONEST]


def buys_no_figure(attack: Attack, cell: Json, also: str = "") -> None:
    """Fail if an attack on figures has a rank, or was found for another reason."""
    assert cell["state"] == "fail", cell["rows"]
    found = "|".join(filter(None, (attack.figure, BUSY, also)))
    assert re.search(found, " ".join(cell["reasons"])), cell["reasons"]
    assert all(row["place"] is None for row in cell["rows"])


@pytest.mark.parametrize(
    "attacks",
    [
        pytest.param(ON_FIGURES[::10], id="every tenth"),
        pytest.param(ON_FIGURES, id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("unharmed")
def test_attacks_on_figures_are_found_and_change_nobody_elses(
    tree: Tree, around: Outside, attacks: tuple[Attack, ...]
) -> None:
    """A held-back counter and code that grows lazy: no rank, and the others' results stay."""
    tree.trusting = True
    found = {one["package"].split("/")[0]: one for one in compared(tree, attacks, around)}
    assert found.keys() == {one.name for one in attacks}
    for attack in attacks:
        buys_no_figure(attack, found[attack.name])


@pytest.mark.slow
@pytest.mark.usefixtures("unharmed")
def test_what_a_package_tells_of_the_machine_concerns_nobody(tree: Tree, around: Outside) -> None:
    """Counters and canaries are not asked of packages, wherever in the queue they stand.

    Nothing of theirs is written into the user's cache either, where it would spoil what comes.
    """
    tree.trusting = True
    alone = tree.root.parent / "alone"
    assert tree.run(alone).returncode == NOT_COMPARED
    before, quiet = earned(tree.shown(alone)), tree.quiet()
    for attack in ON_THE_MACHINE:
        tree.add(attack, around)
    (tree.cache / "assay" / "quiet.json").unlink()
    done = tree.run(tree.root.parent / "together")
    assert "Traceback" not in done.stderr
    assert done.returncode == NOT_COMPARED, done.stderr
    cells = tree.shown(tree.root.parent / "together")
    assert earned(cells) == before
    assert len(cells) == len(HONEST) + len(ON_THE_MACHINE)
    assert min(tree.quiet()) > 0.75 * min(quiet)  # of a halved canary it would be a half


@pytest.mark.slow
@pytest.mark.usefixtures("unharmed")
def test_a_campaign_full_of_attacks_leaves_honest_results_as_they_are(
    tree: Tree, around: Outside
) -> None:
    """Every attack at once: nothing is lost, and what fails has no rank."""
    found = {one["package"].split("/")[0]: one for one in compared(tree, ATTACKS, around)}
    for attack in ATTACKS:
        cell = found.get(attack.name)
        if cell is None:  # it could not even be loaded
            assert attack.outcome.startswith(("package: ", "(package", UNCHANGED)), attack.name
        elif attack.by_itself:
            assert cell["state"] in {"fail", "broken"}, (attack.name, cell["reasons"])
            assert all(row["place"] is None for row in cell["rows"])
        elif attack.figure:
            # clocks are not hidden here, nor are processes alike
            buys_no_figure(attack, cell, also="object/calls: |calls/deterministic: ")
        elif not attack.outcome.startswith(UNCHANGED) and "vectors/" not in attack.outcome:
            assert cell["state"] in {"fail", "broken"}, (attack.name, cell["reasons"])
            assert all(row["place"] is None for row in cell["rows"])
