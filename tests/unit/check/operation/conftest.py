# SPDX-License-Identifier: MIT
"""Putting packages of submissions/supercop/ on trial, as they are and with one defect each."""

from pathlib import Path

import pytest
from tests.whole.corpus.operations import (
    OperationBench,
    all_bases,
    all_defects,
    all_oddities,
    answering,
)
from tests.whole.corpus.sampling import one_for_each


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a `planted` defect, or for a `base`, with each of them."""
    if "planted" in metafunc.fixturenames:
        metafunc.parametrize(
            "planted",
            one_for_each(all_defects(), lambda one: one.caught, answering, lambda _: True),
        )
    oddities = all_oddities()
    if "oddity" in metafunc.fixturenames:
        metafunc.parametrize("oddity", oddities, ids=lambda one: one.name)
    if "odd" in metafunc.fixturenames:  # each waits for a lock that nobody releases
        metafunc.parametrize("odd", one_for_each(oddities, lambda _: "a lock"))
    if "base" in metafunc.fixturenames:
        metafunc.parametrize("base", all_bases())


@pytest.fixture
def operation_bench(tmp_path: Path) -> OperationBench:
    """Give a bench of its own to a test."""
    return OperationBench(tmp_path)
