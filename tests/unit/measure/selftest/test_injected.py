# SPDX-License-Identifier: MIT
"""The selftest's own package is an honest cipher, whose variants differ in rounds alone."""

from pathlib import Path

import pytest

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.measure.selftest.taking import PACKAGE
from assay.model import Package
from assay.package.discover import load_or_explain
from assay.plan.choice import default_configuration


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_it_passes_every_check(
    variant: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the proof of what was timed would refuse it, as it did once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    package = load_or_explain(PACKAGE, PACKAGE, "selftest/injected")
    assert isinstance(package, Package)
    with open_workshop(strongest_jail()) as workshop:
        recipe = Recipe(package, variant, *default_configuration())
        outcome = workshop.examine(recipe, workshop.build(recipe), Extent(brief=True))
    assert [one.check for one in outcome.checks if one.verdict == "fail"] == []
    assert outcome.passed


def test_the_injected_work_is_one_and_two_percent() -> None:
    """Rounds of the variants, as the source computes them."""
    source = (PACKAGE / "injected.c").read_text(encoding="utf-8")
    assert "#define ROUNDS (198u + 2u * ECRYPT_VARIANT)" in source
    assert [(198 + 2 * variant) / 200 for variant in (1, 2, 3)] == [1.0, 1.01, 1.02]
