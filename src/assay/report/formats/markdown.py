# SPDX-License-Identifier: MIT
"""Tables as Markdown, in the form of GitHub and most other programs."""

import re
from collections.abc import Iterable

from assay.report.printable import printable
from assay.report.table import Report, Table

SPECIAL = re.compile(r"[\\`*_{}\[\]#|~]")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}


def markdown_text(report: Report) -> str:
    """Write headings, tables and notes, each a paragraph."""
    above = [escaped(note.text) for note in report.above]
    below = [escaped(note.text) for note in report.below]
    origin = [escaped(report.origin)] if report.origin else []
    tables = (block for table in report.tables for block in _table(table))
    blocks = [*above, *tables, *origin, *below]
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Escape text, so that a stranger's name is neither markup nor a link."""
    text = " ".join(printable(line) for line in text.split("\n"))
    text = "".join(ENTITIES.get(char, char) for char in text)
    text = SPECIAL.sub(r"\\\g<0>", text)
    return text.replace("://", "&#58;//").replace("www.", "www&#46;")


def _table(table: Table) -> list[str]:
    """Write a heading, the table and its notes."""
    columns = table.shown
    rows = [
        cells
        for heading, group in table.sections
        for cells in (
            *([[f"**{escaped(heading)}**", *[""] * (len(columns) - 1)]] if heading else []),
            *(
                ["<br>".join(map(escaped, table.lines(row, one))) for one in columns]
                for row in group
            ),
        )
    ]
    lines = [
        _line(escaped(one.heading) for one in columns),
        _line("---:" if one.number else "---" for one in columns),
        *map(_line, rows),
    ]
    heading = [f"**{escaped(table.heading)}**"] if table.heading else []
    return [*heading, "\n".join(lines), *map(escaped, table.notes)]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
