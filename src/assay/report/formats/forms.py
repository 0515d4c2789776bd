# SPDX-License-Identifier: MIT
"""What writes a report in each format but the terminal's, by the name that a user gives."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.report.formats.data_files import csv_text, json_text
from assay.report.formats.html import html_text
from assay.report.formats.latex import latex_text
from assay.report.formats.markdown import markdown_text
from assay.report.formats.pictured import drawn, pdf_of, svg_of
from assay.report.table import Report

WRITERS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "csv": csv_text,
        "json": json_text,
        "latex": latex_text,
        "markdown": markdown_text,
        "html": html_text,
    }
)
PICTURES: Mapping[str, Callable[[Report], str | bytes]] = MappingProxyType(
    {"svg": lambda report: svg_of(drawn(report)), "pdf": lambda report: pdf_of(drawn(report))}
)
