# SPDX-License-Identifier: MIT
r"""The tables for papers: LaTeX with the package booktabs.

One `table` each, to be read with `\input`; names are escaped, whoever chose them.
"""

import re
from collections.abc import Sequence

from assay.model import Direction
from assay.report.ebacs.ranking import Row, Table
from assay.report.ebacs.records import Place
from assay.report.ebacs.terminal import notes, number, rank_notes
from assay.report.printable import printable
from assay.summary.ranks import NO_PLACE, place_text

HEAD = r"% Needs \usepackage{booktabs} and \usepackage[T1]{fontenc}."

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}


def latex_text(operation: str, tables: Sequence[Table]) -> str:
    """Write one LaTeX table for each table."""
    return "\n".join([HEAD, *(_table(operation, table) for table in tables)])


def escaped(text: str) -> str:
    """Escape a name that a stranger chose; what LaTeX cannot print becomes a question mark."""
    known = (char if char.isascii() else "?" for char in printable(text))
    text = "".join(SPECIAL.get(char, char) for char in known)
    return re.sub("-(?=-)", "-{}", text)  # else two make a dash, and options are to be copied


def _table(operation: str, table: Table) -> str:
    """Write one table, a rule between the leagues."""
    several = len(table.places) > 1
    figures = ["25\\%", "50\\%", "75\\%", *(["place"] if table.ranked else [])]
    columns = [*figures, "name", "implementation", "configuration"]
    columns += ["machine"] if several else []
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_caption(operation, table)}}}",
        rf"\begin{{tabular}}{{{'r' * len(figures)}{'l' * (len(columns) - len(figures))}}}",
        r"\toprule",
        f"{' & '.join(columns)} \\\\",
        r"\midrule",
        *_rows(table, several=several),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _rows(table: Table, *, several: bool) -> list[str]:
    """Write the rows."""
    lines: list[str] = []
    league = table.rows[0].subject.league
    for row, rank in zip(table.rows, table.ranks, strict=True):
        if row.subject.league != league:
            league = row.subject.league
            lines.append(r"\midrule")
        place = [_dashed(place_text(rank))] if table.ranked else []
        lines.append(f"{' & '.join(_cells(row, place, several=several))} \\\\")
    return lines


def _cells(row: Row, place: list[str], *, several: bool) -> list[str]:
    names = [row.name, row.implementation, row.subject.compiler]
    if several:
        names.append(Place.of(row.source).text)
    figures = (number(value) for value in (row.q1, row.median, row.q3))
    return [*figures, *place, *map(escaped, names)]


def _dashed(place: str) -> str:
    """Write `1--3` with a dash between numbers."""
    return place if place == NO_PLACE else place.replace("-", "--")


def _caption(operation: str, table: Table) -> str:
    """Say what it is, its unit, the direction, and what must be said besides."""
    where = f" on {table.places[0].text}" if len(table.places) == 1 else ""
    says = (
        f"{operation}, {table.view.text}{where}: quartiles in {table.unit_text}; "
        f"{Direction.LOWER.value}."
    )
    return " ".join(escaped(part) for part in (says, *notes(table.rows), *rank_notes(table)))
