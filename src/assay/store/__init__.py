# SPDX-License-Identifier: MIT
"""The store: one SQLite file per results folder, and the one place that knows SQL."""

from assay.store.store import FILE_NAME, Store

__all__ = ["FILE_NAME", "Store"]
