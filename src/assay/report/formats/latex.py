# SPDX-License-Identifier: MIT
r"""Tables for papers: LaTeX with the package booktabs.

One `table` each, to be read with `\input`; names are escaped, whoever chose them.
"""

import re
from collections.abc import Iterator, Sequence

from assay.report.printable import printable
from assay.report.table import NONE, Column, Report, Table, TableRow

HEAD = r"% Needs \usepackage{booktabs}, \usepackage{graphicx} and \usepackage[T1]{fontenc}."
WIDE = 9  # more columns than that are made as narrow as the page

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


def latex_text(report: Report) -> str:
    """Write one LaTeX table for each table, what else is said as comments."""
    above = (f"% {line}" for note in report.above for line in _lines(note.text))
    below = (f"% {line}\n" for note in report.below for line in _lines(note.text))
    return "\n".join([HEAD, *above, *map(_table, report.tables)]) + "".join(below)


def escaped(text: str) -> str:
    """Escape a name that a stranger chose; what LaTeX cannot print becomes a question mark."""
    known = (char if char.isascii() else "?" for char in printable(text))
    text = "".join(SPECIAL.get(char, char) for char in known)
    return re.sub("-(?=-)", "-{}", text)  # else two make a dash, and options are to be copied


def _lines(text: str) -> list[str]:
    """Return a note's lines; a stranger's line end begins no line of LaTeX."""
    return [printable(line) for line in text.split("\n")]


def _table(table: Table) -> str:
    """Write one table, a rule between the groups of rows."""
    columns = table.shown
    said = (f"{table.heading}.", *table.notes)
    wide = len(columns) > WIDE
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{' '.join(map(escaped, said))}}}",
        *([r"\resizebox{\linewidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{{''.join('r' if one.number else 'l' for one in columns)}}}",
        r"\toprule",
        f"{' & '.join(escaped(one.heading) for one in columns)} \\\\",
        r"\midrule",
        *_rows(table, columns),
        r"\bottomrule",
        rf"\end{{tabular}}{'}' if wide else ''}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _rows(table: Table, columns: Sequence[Column]) -> Iterator[str]:
    """Write the rows."""
    for number, (heading, rows) in enumerate(table.sections):
        if number:
            yield r"\midrule"
        if heading:
            yield rf"\multicolumn{{{len(columns)}}}{{l}}{{\emph{{{escaped(heading)}}}}} \\"
        for row in rows:
            yield f"{' & '.join(_cell(table, row, one) for one in columns)} \\\\"


def _cell(table: Table, row: TableRow, column: Column) -> str:
    """Write a cell; a range of numbers, such as `1--3`, has a dash."""
    text = " ".join(table.lines(row, column))
    if column.number and text != NONE:
        return escaped(text).replace("-", "--") if text[:1].isdigit() else escaped(text)
    return escaped(text)
