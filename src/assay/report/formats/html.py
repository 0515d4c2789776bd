# SPDX-License-Identifier: MIT
"""Tables as one HTML file that needs nothing else: style sheet and sorting stand in it."""

from base64 import b64encode
from hashlib import sha256
from importlib import resources

from assay.report.html import page_environment
from assay.report.table import Report


def html_text(report: Report) -> str:
    """Write the page; names are escaped, whoever chose them."""
    folder = resources.files("assay.report").joinpath("templates")
    return (
        page_environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            title=next((one.heading for one in report.tables if one.heading), "Results"),
            style=folder.joinpath("results.css").read_text("utf-8"),
            script=folder.joinpath("sort.js").read_text("utf-8"),
            digest=_digest,
        )
    )


def _digest(text: str) -> str:
    """Name a style sheet or script so that a browser runs it and no other one."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
