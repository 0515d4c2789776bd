# SPDX-License-Identifier: MIT
"""Broken packages and known answers: what tests of checks share."""

import platform
from collections.abc import Callable, Iterator

import pytest
from tests.caches import new_cache
from tests.whole.corpus.ciphers import NEEDED, Defect, Workbench, all_defects, answering, found_by
from tests.whole.corpus.sampling import deep_for_hashes, one_for_each


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a `broken` or an `unbuildable` package with each of them."""
    for fixture, wanted in (("broken", False), ("unbuildable", True)):
        if fixture in metafunc.fixturenames:
            rows = [one for one in all_defects() if bool(one.reason) == wanted]
            chosen = one_for_each(rows, found_by, answering, elsewhere=deep_for_hashes())
            metafunc.parametrize(fixture, chosen)


@pytest.fixture(scope="session")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Give a workbench with a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield Workbench(tmp_path_factory.mktemp("toys"))


@pytest.fixture
def need() -> Callable[[str], None]:
    """Give a function that skips the test where the machine lacks something."""

    def skip_without(what: str) -> None:
        if platform.machine() not in NEEDED[what]:
            pytest.skip(f"needs a machine that is {what}")

    return skip_without


@pytest.fixture(scope="session")
def corpus() -> list[Defect]:
    """Give all broken packages."""
    return all_defects()
