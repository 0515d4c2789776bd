# SPDX-License-Identifier: MIT
"""Packages before they are built: found, read, named, and imported from archives.

Everything here looks at bytes and text. Nothing is compiled, preprocessed or
executed, and no file is opened that is not a regular one.
"""

from assay.package.discover import discover
from assay.package.estream import load_estream
from assay.package.resolve import resolve
from assay.package.tree import content_hash

__all__ = ["content_hash", "discover", "load_estream", "resolve"]
