# SPDX-License-Identifier: MIT
"""Packages of our own that are compared with others."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.check.depth import Depth, Extent
from assay.check.engine.ask import AskedBuild
from assay.check.engine.comparisons import reference_checks
from assay.check.engine.wanted import ReferencePackage
from assay.check.engine.workshop import open_workshop
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import CheckResult, Package
from assay.package.discover import load_all
from assay.package.supercop.load import load
from assay.toolchain.shortlist import supercop_configurations

Compare = Callable[..., CheckResult]
Written = Callable[[str, str], Package]

API = """\
/* SPDX-License-Identifier: MIT */
#define CRYPTO_BYTES 8
#define CRYPTO_VERSION "-"
"""
HASH = """\
/* SPDX-License-Identifier: MIT */
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long h = 14695981039346656037ULL, i;

    for (i = 0; i < inlen; i++)
        h = (h ^ in[i]) * 1099511628211ULL;
    RARE
    for (i = 0; i < 8; i++)
        out[i] = (unsigned char)(h >> 8 * i);
    return 0;
}
"""


@pytest.fixture
def hashes(tmp_path: Path) -> Written:
    """Give a function that writes FNV-1a, with a line before the digest is written."""

    def write(name: str, rare: str) -> Package:
        folder = tmp_path / "tree/crypto_hash/fnv" / name
        folder.mkdir(parents=True)
        (folder / "api.h").write_text(API)
        (folder / "hash.c").write_text(HASH.replace("RARE", rare))
        found = load(tmp_path / "tree", f"crypto_hash/fnv/{name}")
        assert isinstance(found, Package), found
        return found

    return write


@pytest.fixture
def compare() -> Iterator[Compare]:
    """Give a function that compares a package with another, and returns the verdict."""
    configurations, compilers = supercop_configurations()
    chosen = configurations[0]
    with open_workshop(strongest_jail()) as workshop:

        def verdict(one: Package, other: Package, *, deep: bool = False) -> CheckResult:
            recipe = Recipe(one, 1, chosen, compilers[chosen.command])
            build = workshop.build(recipe)
            assert build.ok, build.reason
            outcome = workshop.examine(recipe, build, Extent(brief=True, only=("agent/",)))
            subject = outcome.subject
            assert subject is not None
            reference = ReferencePackage(other)
            asked = AskedBuild(recipe, build, subject, Extent(Depth.DEEP if deep else Depth.FULL))
            found = reference_checks(workshop, asked, reference)
            return found[-1]

        yield verdict


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., tuple[Package, Package]]:
    """Give a function that loads a package of this repository as it is, and with changes."""

    def pair(folder: Path, file: str, *edits: tuple[str, str]) -> tuple[Package, Package]:
        name = folder.name
        places = [tmp_path / "tree" / each for each in (name, f"{name}-changed")]
        for place in places:
            shutil.copytree(folder, place)
            for header in folder.parent.glob("*.h"):
                shutil.copy(header, place)
        text = (places[1] / file).read_text()
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (places[1] / file).write_text(text)
        found = [load_all(one, tmp_path / "tree", one.name)[0] for one in places]
        assert all(isinstance(one, Package) for one in found), found
        return found[0], found[1]  # type: ignore[return-value]

    return pair
