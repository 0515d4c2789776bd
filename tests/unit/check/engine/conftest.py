# SPDX-License-Identifier: MIT
"""Cells without compilers, for tests of the engine."""

from tests.unit.mock.cells import hash_tree, heard, package, recipes, store, workshop

__all__ = ["hash_tree", "heard", "package", "recipes", "store", "workshop"]
