# SPDX-License-Identifier: MIT
"""The kinds of primitives that can be put on trial: a module `check/<kind>/kind.py` each.

It is imported when the first package of the kind is examined: nobody needs all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from assay.check.bench import Bench
from assay.check.check import Check
from assay.check.depth import IN_FULL, Extent
from assay.check.trial import BaseTrial
from assay.execute.agent import Agent
from assay.model import Package, PackageKind, Subject


@dataclass(frozen=True, slots=True)
class Kind:
    """How agents of a kind describe themselves, and what they are asked.

    `exercise` uses an agent a little, for what is seen from outside meanwhile.

    The checks of a kind take its own trials, which no common type can say.
    """

    describe: Callable[[Agent], Subject]
    trial: Callable[..., BaseTrial[Any, Any]]
    checks: tuple[Check[Any], ...]
    exercise: Callable[..., None]


@cache
def kind_named(name: PackageKind) -> Kind:
    """Return a kind."""
    kind: Kind = import_module(f"assay.check.{name.value}.kind").KIND
    return kind


def kind_of(package: Package) -> Kind:
    """Return the kind of a package."""
    return kind_named(package.kind)


def open_trial(
    package: Package,
    subject: Subject,
    connect: Callable[[], Agent],
    *,
    bench: Bench | None = None,
    extent: Extent = IN_FULL,
) -> BaseTrial[Any, Any]:
    """Put a built package on trial."""
    return kind_of(package).trial(package, subject, connect, bench=bench, extent=extent)
