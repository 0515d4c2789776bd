# SPDX-License-Identifier: MIT
"""What came of the first configuration decides which packages others are worth trying for."""

import pytest
from tests.unit.mock.cells import FakeWorkshop, Heard, Recipes

from assay.check.engine.cells import wrong
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.model import CheckResult, Verdict
from assay.store import Store


@pytest.mark.parametrize(
    ("check", "accepted", "found"),
    [
        ("schemes/encodings", (), {"crypto_hash/a/ref"}),
        ("forgeries/lengths", (), {"crypto_hash/a/ref"}),
        ("forgeries/lengths", ("forgeries/",), set()),
        ("checksum/small", (), set()),
        ("supercop/misaligned", (), set()),
    ],
)
def test_a_compiler_may_change_what_its_optimiser_breaks_and_not_what_the_source_says(
    workshop: FakeWorkshop,
    store: Store,
    recipes: Recipes,
    heard: Heard,
    check: str,
    accepted: tuple[str, ...],
    found: set[str],
) -> None:
    """A package that fails only what the user accepts is measured, so it is tried further."""
    workshop.verdicts["a/ref-O3"] = CheckResult(check, Verdict.FAIL, "it is wrong")
    engine = Engine(workshop, store, 1, heard)
    examined = list(engine.examine(recipes("a/ref b/ref"), Wanted(keep=True)))
    assert wrong(examined, accepted) == found
