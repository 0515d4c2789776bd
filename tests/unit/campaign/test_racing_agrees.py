# SPDX-License-Identifier: MIT
"""A race and the exhaustive sweep find equally fast codes of primitives, of 20 implementations.

Run with `./scripts/test --slow -s -k racing_agrees` on a machine with nothing else to do;
`-s` shows the figures. The sweep's launches judge both: what the race chose is looked up there.
"""

import shutil
import sys

import pytest
from tests.unit.campaign.conftest import Tree

from assay.configure.folder import write_configurations
from assay.model import Configuration
from assay.model.series import Series
from assay.summary.cells import cell_results
from assay.summary.rows import STREAM
from assay.summary.series import CellResult

OPTIONS = (
    *("-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-O3 -funroll-loops", "-O2 -fno-tree-vectorize"),
    *("-O2 -march=native", "-O3 -march=native", "-Os -march=native"),
    "-O3 -march=native -funroll-loops",
)
IMPLEMENTATIONS = (
    *("salsa20/ref", "salsa20/simd", "chacha20/ref", "chacha20/simd", "hc-128/ref"),
    *("hc-128/fast", "hc-256/ref", "rabbit/ref", "rabbit/fast", "sosemanuk/ref"),
    *("sosemanuk/fast", "trivium/ref", "trivium/fast", "lex-v2/ref", "lex-v2/fast"),
    *("dragon/ref", "dragon/fast", "phelix/ref", "phelix/fast", "grain-v1/fast"),
)
PRECISION_PERCENT = 1.0
MOST_ALLOWED_PERCENT = 10.0  # launches that differ by more say nothing
EFFORT = ("run", "--launches", "5", "--sizes", "128/64")


def fastest(found: list[CellResult], primitive: str) -> CellResult:
    """Give the implementation and configuration of a primitive that a table shows."""
    own = [one for one in found if one.package.primitive == primitive and one.figures]
    return min(own, key=lambda one: (one.dropped is not None, stream(one).rate))


def stream(result: CellResult) -> Series:
    """Give the figure that tables rank by."""
    return next(figure for figure in result.figures if figure.measure == STREAM)


def spread_percent(figure: Series) -> float:
    """Give the distance of the quartiles: what launches of one code differ by."""
    return 100.0 * (figure.q3 - figure.q1) / figure.median


@pytest.mark.slow
def test_a_race_finds_what_the_sweep_finds(tree: Tree) -> None:
    """No winner of a race is slower than the sweep's by more than 1 % and the launches' spread."""
    tree.environment["ASSAY_TEST_JUDGES"] = "yes"  # disturbed launches do not count, as for users
    shutil.rmtree(tree.root / "submissions")
    for name in IMPLEMENTATIONS:
        tree.add(f"submissions/{name}", name)
    names = ["gcc_default_" + text.replace(" ", "").replace("-", "") for text in OPTIONS]
    write_configurations(
        tree.root / "reports-tester",
        [
            Configuration("gcc", "gcc", "", text, name, name)
            for text, name in zip(OPTIONS, names, strict=True)
        ],
    )
    raced = sweep(tree, "--race")
    launched = tree.done()["launch"]
    swept = sweep(tree, "--exhaustive")
    more = tree.done()["launch"]
    said = [f"{launched} launches of races and their winners, {more} more of all"]
    for name in dict.fromkeys(one.split("/")[0] for one in IMPLEMENTATIONS):
        won = fastest(raced, name)
        chosen = (won.cell.selector, won.build.object_hash)
        there = next(
            one
            for one in swept
            if (one.cell.selector, one.build.object_hash) == chosen and one.figures
        )
        best, ours = stream(fastest(swept, name)), stream(there)
        gap = 100.0 * (ours.rate / best.rate - 1.0)
        allowed = PRECISION_PERCENT + spread_percent(best) + spread_percent(ours)
        said.append(f"{won.cell.selector:20} {there.cell.configuration:40} slower by {gap:.2f} %")
        assert allowed <= MOST_ALLOWED_PERCENT, (*said, "this machine is not quiet enough to tell")
        assert gap <= allowed, said
    sys.stdout.write("\n".join(said) + "\n")


def sweep(tree: Tree, how: str) -> list[CellResult]:
    """Run all configurations; give the results."""
    process = tree.start(*EFFORT, how)
    with process:
        process.communicate(timeout=3 * 3600)
    with tree.store() as store:
        return list(cell_results(store))
