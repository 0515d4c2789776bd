# SPDX-License-Identifier: MIT
"""Trees of liboqs: families of algorithms, whose CMake files say what each consists of."""

from assay.package.supercop.liboqs.listing import LAYOUT, listed_in_liboqs
from assay.package.supercop.liboqs.load import load_liboqs

__all__ = ["LAYOUT", "listed_in_liboqs", "load_liboqs"]
