# SPDX-License-Identifier: MIT
"""All checks by name. A name stands for one question: a second text under it is refused."""

from collections.abc import Iterable
from typing import Any

from assay.check.check import Check
from assay.check.kinds import kind_named
from assay.model import PackageKind


def registered(checks: Iterable[Check[Any]]) -> dict[str, Check[Any]]:
    """Return checks by name, in their order; ValueError if a name has two texts.

    Kinds may find the answer in different ways, so the functions are not compared.
    """
    found: dict[str, Check[Any]] = {}
    for one in checks:
        known = found.setdefault(one.name, one)
        if _text(known) != _text(one):
            raise ValueError(f"{one.name} asks two questions: {known.asks} {one.asks}")
    return found


def every_check() -> dict[str, Check[Any]]:
    """Return the checks of all kinds by name."""
    return registered(one for kind in PackageKind for one in kind_named(kind).checks)


def _text(check: Check[Any]) -> tuple[str, ...]:
    return check.asks, check.why, check.cure, check.origin.value
