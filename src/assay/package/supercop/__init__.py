# SPDX-License-Identifier: MIT
"""Packages laid out as SUPERCOP, NIST or PQClean ask: listed first, read one by one."""

from assay.package.supercop.listing import Listed, listing, names, operations, primitives, sample
from assay.package.supercop.load import load, load_listed

__all__ = [
    "Listed",
    "listing",
    "load",
    "load_listed",
    "names",
    "operations",
    "primitives",
    "sample",
]
