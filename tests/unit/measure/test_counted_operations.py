# SPDX-License-Identifier: MIT
"""Operations on an emulated machine: every call is counted, and outputs are compared."""

from functools import partial

import pytest

from assay.check.engine.workshop import open_workshop
from assay.check.operation.routines import group
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.measure.counted_launch import CountedLaunch
from assay.measure.operation.counted import count_groups, count_score
from assay.model import OperationSubject, Package
from assay.package.places import TREE, shipped
from assay.package.supercop.load import load
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, look_for


def test_a_comparison_of_16_bytes_is_counted_exactly() -> None:
    """Each byte of both strings is loaded: more than 32 instructions, the same in each launch."""
    target = next(one for one in catalogue() if one.name == "qemu-riscv32")
    if not look_for(target).ok:
        pytest.skip("qemu-riscv32 is not installed")
    package = load(shipped() / TREE, "crypto_verify/16/ref")
    assert isinstance(package, Package)
    configuration, compiler = target_configuration(target, "-O2", "gcc")
    recipe = Recipe(package, 1, configuration, compiler, target)
    constants = (("BYTES", 16),)
    subject = OperationSubject("crypto_verify", "16", "ref", constants, ("",), 0)
    with open_workshop(strongest_jail(), target=target) as workshop:
        launch = CountedLaunch(workshop, recipe, workshop.build(recipe), subject)
        count = partial(count_groups, subject, (group(subject, 0),))
        samples = launch.take((count, count))
        (score,) = launch.take((partial(count_score, subject, group(subject, 0)),))
    counts = {one.measure: one.ticks for one in samples[: len(samples) // 2]}
    assert [one.ticks for one in samples[len(samples) // 2 :]] == list(counts.values())
    assert all(32 < amount < 400 for (amount,) in counts.values())
    assert score.ticks[0] in {amount for (amount,) in counts.values()}
