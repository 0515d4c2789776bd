# SPDX-License-Identifier: MIT
"""Which folders at a tree's root hold packages, and what those are there for."""

import os
from pathlib import Path

from assay.model import PackageRole

SUBMISSIONS = "submissions"
ROLES = {
    SUBMISSIONS: PackageRole.SUBMISSION,
    "benchmarks": PackageRole.BENCHMARK,
}
FOLDERS = tuple(ROLES)

TREE = f"{SUBMISSIONS}/supercop"
"""The folder laid out as SUPERCOP's: operations, primitives, implementations."""

INSTALLED = Path(__file__).resolve().parents[1] / "shipped"
CLONE = Path(__file__).resolve().parents[3]


def shipped() -> Path:
    """Return the folder with the packages that came with Assay: the wheel's, or the clone."""
    return INSTALLED if INSTALLED.is_dir() else CLONE


REPORTS = ("speed_", "errors_", "info_", "vectors_")
"""How the names of text reports begin, which `assay collect` writes into folders called as
packages are."""


def is_folder(path: Path) -> bool:
    """Return whether there is a folder; what cannot be looked at, or cannot be a name, is none."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises for such


def has_reports_only(folder: Path) -> bool:
    """Return whether a folder has text reports of results in it or below it, and nothing else."""
    seen = False
    for _, _, names in os.walk(folder):
        if not all(name.lstrip(".").startswith(REPORTS) for name in names):
            return False
        seen = seen or bool(names)
    return seen
