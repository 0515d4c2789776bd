# SPDX-License-Identifier: MIT
"""SUPERCOP's database lines, written from records."""

from assay.report.supercop.order import in_order
from assay.report.supercop.writer import LineWriter

__all__ = ["LineWriter", "in_order"]
