# SPDX-License-Identifier: MIT
"""What the page of a bundle says of the packages in it."""

from pathlib import Path

from tests.unit.report.conftest import FAILED, MACHINE, PASSED, Campaigner

from assay.service.publishing import _links
from assay.store import Store


def test_a_version_that_fails_in_one_configuration_is_listed_as_failed(tmp_path: Path) -> None:
    """What other configurations came to, the first one among them, does not hide it."""
    with Store.create(tmp_path) as store:
        store.put_machine(MACHINE)
        campaigner = Campaigner(store)
        package = campaigner.package("salsa20/ref")
        campaigner.cell(package, "-O1", checks=PASSED)
        campaigner.cell(package, "-O2", checks=(*PASSED, FAILED))
        campaigner.cell(package, "-O3", checks=PASSED)
        ((name, verdict, _),) = _links(tmp_path, store)
    assert (name, verdict) == ("salsa20/ref", "fail")
