# SPDX-License-Identifier: MIT
"""A comparison as one HTML file that needs nothing else."""

from base64 import b64encode
from hashlib import sha256
from importlib import resources
from pathlib import Path

from assay.report.compare.answers import Compared
from assay.report.compare.terminal import gate, method, row_words, shown_columns, title
from assay.report.compare.words import doubts
from assay.report.html import page_environment, write_page


def write_comparison(path: Path, compared: Compared) -> None:
    """Write the page; style sheet and sorting stand in it."""
    folder = resources.files("assay.report").joinpath("templates")
    verdict = gate(compared)
    text = (
        page_environment()
        .get_template("compare.html.j2")
        .render(
            title=title(compared),
            method=method(compared),
            doubts=doubts(compared),
            columns=shown_columns(compared),
            rows=[(row, row_words(row)) for row in compared.rows],
            verdict=verdict[0].plain if verdict else "",
            failed=compared.failed,
            style=folder.joinpath("results.css").read_text("utf-8"),
            script=folder.joinpath("sort.js").read_text("utf-8"),
            digest=_digest,
        )
    )
    write_page(path, text)


def _digest(text: str) -> str:
    """Name a style sheet or script so that a browser runs it and no other one."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
