# SPDX-License-Identifier: MIT
"""SUPERCOP's database lines, written from records."""

from assay.report.supercop.writer import LineWriter, in_order

__all__ = ["LineWriter", "in_order"]
