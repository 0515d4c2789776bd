# SPDX-License-Identifier: MIT
"""The formats that a report can be written in, by the name that a user gives."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.report.formats.csv_file import csv_text
from assay.report.formats.html import html_text
from assay.report.formats.json_file import json_text
from assay.report.formats.latex import latex_text
from assay.report.formats.markdown import markdown_text
from assay.report.table import Report

TERMINAL = "terminal"  # laid out for a console, which has a width
WRITERS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "csv": csv_text,
        "json": json_text,
        "latex": latex_text,
        "markdown": markdown_text,
        "html": html_text,
    }
)
FORMS = (TERMINAL, *WRITERS)
