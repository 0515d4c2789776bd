# SPDX-License-Identifier: MIT
"""Every vector of every shipped package, on every target that it suits.

The gate runs a sample of it; `./scripts/test --targets` runs all of it. A target
whose tools are not installed, and one that is too small for a package, is skipped
with the reason.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from tests.caches import new_cache

from assay.check.depth import Extent
from assay.check.engine.verdict import no_room
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Package, Target, Verdict
from assay.model.compared import COMPARISONS
from assay.package.discover import discover
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, fits, look_for

ROOT = Path(__file__).parents[3]
PACKAGES = {one.selector: one for one in discover(ROOT) if isinstance(one, Package)}
TARGETS = {one.name: one for one in catalogue() if not one.is_native}
# The gate's sample: a stream cipher with a lot of byte order in it, a hash in C, and the
# assembly of the architecture.
SAMPLED_TARGETS = ("qemu-mips", "qemu-ppc603e", "qemu-armv4eb", "simavr-atmega1281",
                   "qemu-s390x", "qemu-i386", "qemu-amd64")  # fmt: skip
SAMPLED_PACKAGES = ("salsa20/ref", "shabal/portable")


def sampled(package: Package, target: Target) -> bool:
    """Whether a cell is one of the gate's."""
    own = package.primitive == "shabal" and package.architecture == target.architecture
    return target.name in SAMPLED_TARGETS and (own or package.selector in SAMPLED_PACKAGES)


PAIRS = [
    (package, target)
    for package, target in product(PACKAGES.values(), TARGETS.values())
    if fits(package.architecture, target)
]
CELLS = [
    pytest.param(
        package,
        target,
        id=f"{package.selector}-{target.name}",
        marks=() if sampled(package, target) else pytest.mark.targets,
    )
    for package, target in PAIRS
]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled harnesses for the session, and nothing of them beyond."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield


@pytest.mark.parametrize(("package", "target"), CELLS)
def test_vectors_are_equal(package: Package, target: Target) -> None:
    """All variants, all sizes, all vectors of the verified file."""
    found = look_for(target)
    if not found.ok:
        pytest.skip(f"{target.name} is {found.reason}")
    configuration, compiler = target_configuration(target)
    with open_workshop(strongest_jail(), target=target) as workshop:
        for variant in range(1, package.variants + 1):
            recipe = Recipe(package, variant, configuration, compiler, target)
            build = workshop.build(recipe)
            outcome = workshop.examine(recipe, build, Extent(only=COMPARISONS))
            if no_room(outcome.checks):
                pytest.skip(f"{target.name} has no room for {package.selector}")
            failures = [one for one in outcome.checks if one.verdict is Verdict.FAIL]
            assert failures == []
            (verdict,) = [one for one in outcome.checks if one.check.startswith(COMPARISONS)]
            assert verdict.verdict is Verdict.PASS, verdict.reason


def test_the_sample_has_every_kind_on_every_target_of_the_gate() -> None:
    """A stream cipher, a hash in C and the own assembly; s390x has none."""
    for name in SAMPLED_TARGETS:
        cells = [one for one in PAIRS if one[1].name == name and sampled(*one)]
        kinds = {(package.kind, bool(package.architecture)) for package, _ in cells}
        own = set() if name == "qemu-s390x" else {("hash", True)}
        assert kinds == {("stream", False), ("hash", False)} | own


def test_every_package_has_a_target_besides_this_machine() -> None:
    """Assembly that no target runs would never be looked at."""
    assert {package.selector for package, _ in PAIRS} == set(PACKAGES)
