# SPDX-License-Identifier: MIT
"""Every shipped package that runs here against its vectors, with every compiler and level.

Stream ciphers are compared in every size of their verified file, hashes with all its
digests, and packages of the SUPERCOP API by their checksums. A package is one test: what
two configurations compile to the same object code is looked at once. Packages of the
SUPERCOP API get short trials: both checksums whole, but the calls of the long one once
each, and without the forgeries of which no output is hashed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from platform import machine

import pytest
from tests.caches import new_cache

from assay.check.depth import Extent
from assay.check.engine.workshop import Workshop, open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import BuildStage, Compiler, Configuration, Package, PackageKind, Verdict
from assay.model.compared import COMPARISONS, UNCOMPARED
from assay.package.discover import discover
from assay.package.supercop.listing import listing
from assay.package.supercop.load import load_listed
from assay.plan.choice import X86_32
from assay.targets.catalogue import fits, native
from assay.toolchain.survey import examine

ROOT = Path(__file__).parents[3]
COMPILERS = ("gcc", "clang")
LEVELS = ("-O2", "-O0", "-O3", "-Os", "-O3 -march=native")
SLOWEST = ("crypto_box/", "submissions/moustique/", "crypto_auth/", "crypto_")
FOUND = {
    one.place: one
    for one in (*discover(ROOT), *map(load_listed, listing(ROOT / "submissions/supercop")))
    if isinstance(one, Package) and fits(one.architecture, native())
}
# the slowest begin, so that no worker ends alone; neighbours share the inputs of their tests
ORDER = sorted(FOUND, key=lambda place: ([not place.startswith(one) for one in SLOWEST], place))
FITTING = {place: FOUND[place] for place in ORDER}

pytestmark = pytest.mark.primitives


@dataclass(slots=True)
class Tally:
    """What came of a package: cells looked at, distinct codes among them, what is wrong."""

    cells: int = 0
    codes: set[tuple[int, str]] = field(default_factory=set)
    compared: int = 0
    open: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@pytest.fixture(scope="session", autouse=True)
def harness_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled harnesses for the session, and nothing of them beyond."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Set up one workshop for all packages."""
    with open_workshop(strongest_jail()) as opened:
        yield opened


@cache
def compiler(command: str) -> Compiler:
    """Find a compiler; a machine without it cannot answer the question."""
    found = examine(command)
    assert isinstance(found, Compiler), f"{command} is wanted: {found}"
    return found


def configurations(package: Package) -> Iterator[tuple[Configuration, Compiler]]:
    """Give both compilers at all levels; the last level may use what the processor has."""
    word = "-m32 " if package.architecture in X86_32 and machine() == "x86_64" else ""
    for options in LEVELS:
        for command in COMPILERS:
            found = compiler(command)
            name = f"{command}_{options.replace(' ', '')}"
            level, _, arch = options.partition(" ")
            arch = (word + arch).strip()
            yield Configuration(found.family, command, arch, level, name, name), found


def look(workshop: Workshop, recipe: Recipe, tally: Tally) -> None:
    """Build a cell and compare its vectors, unless its code was seen before."""
    tally.cells += 1
    name = recipe.configuration.name
    build = workshop.build(recipe)
    try:
        if build.stage is BuildStage.SKIPPED:
            tally.open.append(f"{name}: {build.reason}")
            return
        code = (recipe.variant, build.object_hash or name)
        if build.ok and code in tally.codes:
            return
        thorough = recipe.package.kind != PackageKind.OPERATION
        tally.codes.add(code)
        outcome = workshop.examine(recipe, build, Extent(brief=not thorough, only=COMPARISONS))
        for one in outcome.checks:
            asked = one.check.startswith(COMPARISONS)
            if one.verdict is Verdict.FAIL:
                tally.failures.append(f"{name}: {one.check}: {one.reason} {one.evidence}")
            elif asked and one.verdict is Verdict.PASS:
                tally.compared += 1
            elif asked:
                tally.open.append(f"{name}: {one.check}: {one.reason}")
    finally:
        workshop.discard(build)


@pytest.mark.parametrize("place", FITTING)
def test_vectors_are_equal_whatever_the_compiler(
    place: str, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    """All variants, sizes and vectors, with gcc and clang at all levels."""
    package, tally = FITTING[place], Tally()
    for configuration, found in configurations(package):
        for variant in range(1, package.variants + 1):
            look(workshop, Recipe(package, variant, configuration, found), tally)
    record_property("cells", tally.cells)
    record_property("codes", len(tally.codes))
    assert tally.failures == []
    if tally.open and all(UNCOMPARED in one for one in tally.open):
        pytest.skip(tally.open[0])
    assert tally.open == []
    assert tally.compared >= len(tally.codes) > 0
