# SPDX-License-Identifier: MIT
"""What the store hands out besides the records of `model`."""

import hashlib
import json
from collections.abc import Callable

from msgspec import Struct

from assay.model import Build, Cell, CheckResult, Configuration, Package, Subject
from assay.model.compared import fails


class ObjectKey(Struct, frozen=True):
    """What decides whether two cells are the same measured thing.

    The machine code, where the package stands, its variant and target, and the
    harness that drives it.
    """

    object_hash: str
    place: str
    variant: int
    target: str
    harness: str

    @property
    def columns(self) -> tuple[str, str, int, str, str]:
        """Return the values of the columns that have it."""
        return self.object_hash, self.place, self.variant, self.target, self.harness


class StoredChecks(Struct, frozen=True):
    """The verdicts on one build, as they lie in the file, what asked for them, and how long.

    `mark` tells whether this user's Assay stored them (`own.py`).
    """

    checks: tuple[CheckResult, ...]
    asked_by: str = ""
    seconds: float | None = None
    mark: str = ""


class StoredCell(Struct, frozen=True):
    """One cell as the store knows it; `checks` is empty if it was never checked.

    `marked` says whether this user's Assay stored the checks: it takes time, and most do not ask.
    """

    build: Build
    package: Package
    configuration: Configuration
    subject: Subject | None
    checks: tuple[CheckResult, ...]
    key: ObjectKey | None
    marked: Callable[[], bool]

    @property
    def own(self) -> bool:
        """Return whether this user's Assay stored the checks, or there are none."""
        return self.marked()

    @property
    def cell(self) -> Cell:
        """Name the cell."""
        return self.build.cell

    @property
    def failed(self) -> bool:
        """Return whether a reader must not trust its figures."""
        return not self.build.ok or fails(self.checks)


def contents(configuration: Configuration) -> str:
    """Digest what a configuration says (its names apart): a change makes builds invalid."""
    one = configuration
    says = [one.family, one.command, one.arch, one.opt]
    return hashlib.sha256(json.dumps(says).encode()).hexdigest()
