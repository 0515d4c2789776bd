# SPDX-License-Identifier: MIT
"""`assay selftest --costs`: what each step takes of a cell of every kind."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.campaign.roots import packages_root
from assay.cli import selftest
from assay.model import Campaign, Package, PackageKind
from assay.package.resolve import resolve
from assay.store import Store

VERIFY = pytest.param("crypto_verify/16/ref", marks=pytest.mark.slow)
BUILT = ("compile", "building", "start", "check", "launching", "bench")


def test_costs_are_shown_of_every_kind_by_default() -> None:
    """The packages come with Assay."""
    found = resolve(selftest.COSTLY, packages_root())
    kinds = {one.kind for one in found if isinstance(one, Package)}
    assert kinds == set(PackageKind)


@pytest.mark.parametrize("name", ["rc4/fast", "sha256/portable", VERIFY])
def test_every_step_of_a_cell_has_a_cost(name: str, tmp_path: Path) -> None:
    """Of a cipher, a hash and an operation, whose configurations are others."""
    with Store.create(tmp_path) as store:
        number = store.start_campaign(Campaign(("run",), "2026-01-01T00:00:00+00:00"))
        store.finish_campaign(number, "2026-01-01T00:00:01+00:00")
    words = ["--costs", str(tmp_path), name, "--json"]
    done = CliRunner().invoke(selftest.command, words, standalone_mode=False)
    assert done.exception is None
    (table,) = json.loads(done.stdout)["tables"]
    (row,) = table["rows"]
    assert row["package"].endswith(name)
    assert all(row[f"{step}_seconds"] > 0 for step in BUILT)
