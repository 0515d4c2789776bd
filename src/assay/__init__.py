# SPDX-License-Identifier: MIT
"""Assay judges implementations of cryptographic primitives: correct, well behaved, fast, small.

`check_packages`, `run_packages` and `read_results` are what programs in Python call; they are
described in docs/reference/library.md.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.campaign.library import check_packages, read_results, run_packages
    from assay.report.ci.records import CellVerdict, Harvest, PackageFigure

__version__ = "0.1.0"
__all__ = [
    "CellVerdict",
    "Harvest",
    "PackageFigure",
    "check_packages",
    "read_results",
    "run_packages",
]
_RECORDS = ("CellVerdict", "Harvest", "PackageFigure")


def __getattr__(name: str) -> Any:
    """Import what a program asks for, and no more: commands import this package, too."""
    if name in __all__:
        module = "assay.report.ci.records" if name in _RECORDS else "assay.campaign.library"
        return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Name what a program can ask for, too: shells and notebooks complete by it."""
    return sorted({*globals(), *__all__})
