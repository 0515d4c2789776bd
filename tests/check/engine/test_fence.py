# SPDX-License-Identifier: MIT
"""An unexpected exception is one package's failure; the campaign goes on."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.check.engine.test_mock_target import package, recipes
from tests.mock.agent import Program
from tests.mock.target import mock_workshop

from assay.check.engine.examining import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.errors import MachineError, UsageError
from assay.fence import ends_all
from assay.model import Verdict
from assay.model.progress import Silence
from assay.store import Store

__all__ = ["package", "recipes"]
Made = Callable[[str], list[Recipe]]


def test_an_unexpected_exception_fails_one_cell_and_names_the_place(
    tmp_path: Path, store: Store, recipes: Made
) -> None:
    """The other cell is examined as ever, and the same command asks the first one again."""
    ill = [True]

    def makes(recipe: Recipe) -> Program:
        if recipe.configuration.name == "O2" and ill[0]:
            raise IndexError("list index out of range")
        return Program()

    workshop = mock_workshop(tmp_path, makes)
    bad, good = Engine(workshop, store, 1, Silence()).examine(recipes("O2 O3"), Wanted())
    (failed,) = bad.outcome.checks
    assert (failed.check, failed.verdict) == ("bench/failed", Verdict.FAIL)
    assert "IndexError: list index out of range" in failed.reason
    assert "check/engine/retry.py:" in failed.evidence
    assert good.outcome.passed
    ill[0] = False
    again, _ = Engine(workshop, store, 1, Silence()).examine(recipes("O2 O3"), Wanted())
    assert again.outcome.passed


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), OSError(errno.ENOSPC, "")])
def test_interrupts_and_full_disks_end_the_campaign(
    tmp_path: Path, store: Store, recipes: Made, error: BaseException
) -> None:
    """They are not about the package, and the next one would meet them as well."""

    def makes(_: Recipe) -> Program:
        raise error

    workshop = mock_workshop(tmp_path, makes)
    with pytest.raises(type(error)):
        list(Engine(workshop, store, 1, Silence()).examine(recipes("O2"), Wanted()))


def test_errors_about_the_machine_or_the_user_end_a_command() -> None:
    """A compiler that no longer works, a wrong option; a file that vanished is one package's."""
    assert ends_all(MachineError("no compiler"))
    assert ends_all(UsageError("no such option"))
    assert not ends_all(FileNotFoundError(errno.ENOENT, "gone"))
    assert not ends_all(RecursionError())
