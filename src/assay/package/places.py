# SPDX-License-Identifier: MIT
"""Which folders at a tree's root hold packages, and what those are there for."""

from assay.model import Role

ROLES = {
    "submissions": Role.SUBMISSION,
    "benchmarks": Role.BENCHMARK,
    "compact": Role.SUBMISSION,
}
FOLDERS = tuple(ROLES)

TREE = "ebacs"
"""The folder laid out as SUPERCOP's: operations, primitives, implementations."""
