# SPDX-License-Identifier: MIT
"""The first implementation of every shipped stream cipher passes every quick check.

Every run of the tests has one of each shape; `--slow` has all.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.check.check import run_checks
from assay.check.depth import Extent
from assay.check.engine.instruments import bench_of
from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.session import describe_stream as describe
from assay.check.stream.kind import CHECKS
from assay.check.stream.trial import Trial
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Verdict
from assay.package.estream import load_estream
from assay.plan.choice import default_configuration

SHIPPED = Path(__file__).resolve().parents[3] / "submissions"
HEADERS = sorted(SHIPPED.glob("*/*/ecrypt-s*.h"))
PLACES = {one.parent.parent.name: one.parent for one in HEADERS}
PLACES.update({one.parent.parent.name: one.parent for one in HEADERS if one.parent.name == "ref"})
# A counter, a table, registers of bits and of words, a MAC, and feedback of ciphertext.
ALWAYS = {"chacha20", "hc-128", "trivium", "sosemanuk", "phelix", "moustique"}


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Build with what a user gets by default."""
    with open_workshop(strongest_jail()) as opened:
        yield opened


@pytest.mark.parametrize(
    "cipher",
    [pytest.param(one, marks=[] if one in ALWAYS else pytest.mark.slow) for one in sorted(PLACES)],
)
def test_shipped_ciphers_pass_every_quick_check(workshop: Workshop, cipher: str) -> None:
    """Their vectors have tests of their own; these are the checks that a campaign asks."""
    path = PLACES[cipher]
    package = load_estream(path, tree_root=SHIPPED)
    configuration, compiler = default_configuration()
    recipe = Recipe(package, 1, configuration, compiler)
    build = workshop.build(recipe)
    assert build.ok, build.reason
    connect = workshop.connector(build)
    with connect() as agent:
        subject = describe(agent)
    bench = bench_of(workshop, recipe, build)
    trial = Trial(package, subject, connect, bench=bench, extent=Extent(brief=True))
    results = run_checks(CHECKS, trial)
    trial.close()
    assert [one for one in results if one.verdict is Verdict.FAIL] == []
