# SPDX-License-Identifier: MIT
"""Tables as one HTML file that needs nothing else: style sheet and sorting stand in it."""

from base64 import b64encode
from hashlib import sha256

from assay.report.pages import asset, page_environment
from assay.report.table import Report, Table


def html_text(report: Report) -> str:
    """Write the page; names are escaped, whoever chose them."""
    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            title=next((one.heading for one in report.tables if one.heading), "Results"),
            style=asset("results.css"),
            script=asset("sort.js"),
            digest=_digest,
        )
    )


def table_html(table: Table) -> str:
    """Write a table alone, to be put into a page."""
    module = page_environment().get_template("table.html.j2").module
    return str(module.grid(table))  # type: ignore[attr-defined]


def _digest(text: str) -> str:
    """Name a style sheet or script so that a browser runs it and no other one."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
