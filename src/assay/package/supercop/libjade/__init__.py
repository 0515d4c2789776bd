# SPDX-License-Identifier: MIT
"""Code that Jasmin's compiler made: trees and releases of libjade, and those with its names."""

from assay.package.supercop.libjade.listing import LAYOUT, listed_at, listed_in_libjade
from assay.package.supercop.libjade.load import load_libjade

__all__ = ["LAYOUT", "listed_at", "listed_in_libjade", "load_libjade"]
