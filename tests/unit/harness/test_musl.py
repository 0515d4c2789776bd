# SPDX-License-Identifier: MIT
"""Agents on a system whose C library is musl: built by musl's gcc, run by musl's loader here.

Alpine is such a system; its Python and its kernel's headers are not tried by this.
"""

import shutil
from pathlib import Path

import pytest

from assay.check.engine.workshop import open_workshop
from assay.execute.jail import strongest_jail
from assay.model import Configuration, Package, Verdict
from assay.package.discover import load_or_explain
from assay.package.supercop.load import load
from assay.plan.spread import ConfigurationChoice, Spread
from assay.targets.catalogue import native
from assay.toolchain.configs import render_configuration

SHIPPED = Path(__file__).parents[3] / "submissions"
CIPHERS = ("rabbit/ref", "phelix/ref", "shabal/portable")
OPERATIONS = ("crypto_hash/sha256/ref", "crypto_aead/chacha20poly1305/ref")
LONG = {"phelix/ref", "crypto_aead/chacha20poly1305/ref"}  # have most questions
MUSL = Configuration("gcc", "musl-gcc", "", "-O2", "gcc_default_O2", "musl-gcc_default_O2")

pytestmark = pytest.mark.skipif(
    shutil.which("musl-gcc") is None, reason="no musl-gcc (apt-get install musl-tools)"
)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Give a folder whose one configuration is musl's gcc."""
    folder = tmp_path / "reports" / "configs"
    folder.mkdir(parents=True)
    (folder / f"{MUSL.name}.mk").write_text(render_configuration(MUSL))
    return folder.parent


def package(place: str) -> Package:
    """Load a shipped package."""
    found = load_or_explain(SHIPPED / place, SHIPPED, place)
    if place in OPERATIONS:
        found = load(SHIPPED / "supercop", place)
    assert isinstance(found, Package)
    return found


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(one, marks=pytest.mark.slow if one in LONG else [])
        for one in (*CIPHERS, *OPERATIONS)
    ],
)
def test_packages_of_each_kind_pass_their_checks_with_musl(place: str, reports: Path) -> None:
    """A cipher, one with a MAC, a hash and operations; whatever applies is examined."""
    choice = ConfigurationChoice(reports, (MUSL.name,))
    (where,) = Spread([native()], choice).places(package(place))
    recipe = where.recipes[0]
    assert recipe.configuration == MUSL
    with open_workshop(strongest_jail()) as workshop:
        built = workshop.build(recipe)
        assert built.agent is not None, built
        assert b"ld-musl" in built.agent.read_bytes()
        checks = workshop.examine(recipe, built).checks
    failed = {one.check: one.reason for one in checks if one.verdict is Verdict.FAIL}
    assert not failed
    assert sum(one.verdict is Verdict.PASS for one in checks) > 20
