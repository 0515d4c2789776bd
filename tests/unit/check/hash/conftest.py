# SPDX-License-Identifier: MIT
"""Broken hashes: what tests of their checks share."""

from collections.abc import Iterator

import pytest
from tests.caches import new_cache
from tests.whole.corpus.hashes import HOMES, Defect, ToyBench, all_defects, answering
from tests.whole.corpus.sampling import one_for_each

from assay.check.hash.kind import CHECKS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a `defect` with each of them, others with each toy."""
    if "defect" in metafunc.fixturenames:
        metafunc.parametrize(
            "defect", one_for_each(all_defects(), lambda one: one.caught or one.noted, answering)
        )
    if "toy" in metafunc.fixturenames:
        metafunc.parametrize("toy", HOMES)


@pytest.fixture(scope="session")
def every_check() -> set[str]:
    """Name all checks of hashes."""
    return {check.name for check in CHECKS}


@pytest.fixture(scope="session")
def defects() -> list[Defect]:
    """Give the whole corpus."""
    return all_defects()


@pytest.fixture(scope="session")
def toybench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToyBench]:
    """Give a bench with a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield ToyBench(tmp_path_factory.mktemp("toys"))
