# SPDX-License-Identifier: MIT
"""An unexpected exception is one package's failure; the campaign goes on."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.check.engine.test_mock_target import package, recipes
from tests.unit.mock.agent import Program
from tests.unit.mock.target import mock_workshop

from assay.check.engine.agreeing import Agreeing
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.compile.recipe import Recipe
from assay.errors import AssayError, MachineError, PackageError, UsageError
from assay.fence import ends_all
from assay.model import Build, Cell, CheckResult, Configuration, Package, Verdict
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
    (failed,) = bad.checks
    assert (failed.check, failed.verdict) == ("bench/failed", Verdict.FAIL)
    assert "IndexError: list index out of range" in failed.reason
    assert "check/engine/workshop.py:" in failed.evidence
    assert good.passed
    ill[0] = False
    again, _ = Engine(workshop, store, 1, Silence()).examine(recipes("O2 O3"), Wanted())
    assert again.passed


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
    full, gone = OSError(errno.ENOSPC, "full"), OSError(errno.ENOENT, "gone")
    assert ends_all(shutil.Error([("a", "b", str(full)), ("c", "d", str(full))]))
    assert not ends_all(shutil.Error([("a", "b", str(gone))]))
    assert not ends_all(RecursionError())


class Broken(Store):
    """A store that one package's build does not fit into."""

    def put_build(
        self, build: Build, package: Package, configuration: Configuration, harness: str
    ) -> None:
        """Fail for one configuration."""
        if build.cell.configuration == "O2":
            raise PackageError("the name '\\udc80' is not valid UTF-8", "Rename it.")
        super().put_build(build, package, configuration, harness)


def test_what_cannot_be_stored_of_a_package_is_its_failure(tmp_path: Path, recipes: Made) -> None:
    """The engine's own writing had been outside of the fence."""
    workshop = mock_workshop(tmp_path, lambda recipe: Program(recipe.configuration.name))
    with Broken.create(tmp_path / "results") as store:
        bad, good = Engine(workshop, store, 1, Silence()).examine(recipes("O2 O3"), Wanted())
    (failed,) = bad.checks
    assert (failed.check, failed.verdict) == ("bench/failed", Verdict.FAIL)
    assert "not valid UTF-8" in failed.reason
    assert good.passed


def test_a_damaged_store_is_no_packages_failure(tmp_path: Path, recipes: Made) -> None:
    """It ends the command, with what to do."""

    class Damaged(Store):
        def build_for(self, *_: object, **__: object) -> Build | None:
            raise AssayError("a stored Build is damaged", "Restore a copy.")

    workshop = mock_workshop(tmp_path, lambda _: Program())
    with (
        Damaged.create(tmp_path / "results") as store,
        pytest.raises(AssayError, match="damaged"),
    ):
        list(Engine(workshop, store, 1, Silence()).examine(recipes("O2"), Wanted()))


def test_a_comparison_that_fails_is_the_failure_of_its_package(
    tmp_path: Path, store: Store, recipes: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`check` and `run` compare the cells of every package, outside of its turn."""

    def failing(*_: object) -> dict[Cell, list[CheckResult]]:
        raise IndexError("list index out of range")

    monkeypatch.setattr("assay.check.engine.agreeing.agreement", failing)
    workshop = mock_workshop(tmp_path, lambda _: Program())
    found = list(Engine(workshop, store, 1, Silence()).examine(recipes("O2 O3"), Wanted()))
    for _ in range(2):  # a later round says it once
        found = Agreeing(workshop).stored(found, store)
        for one in found:
            (failed,) = [each for each in one.checks if each.verdict is Verdict.FAIL]
            assert failed.check == "against/configurations"
            assert "IndexError: list index out of range" in failed.reason
