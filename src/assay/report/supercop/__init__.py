# SPDX-License-Identifier: MIT
"""SUPERCOP's database lines, written from records."""

from assay.report.supercop.writer import LineWriter

__all__ = ["LineWriter"]
