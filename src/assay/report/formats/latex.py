# SPDX-License-Identifier: MIT
r"""Tables for papers: LaTeX with the package booktabs.

One `table` each, to be read with `\input`; names are escaped, whoever chose them.
"""

import re
from collections.abc import Iterator, Sequence

from assay.report.printable import printable
from assay.report.table import NONE, Column, Report, Table, TableRow

HEAD = r"% Needs \usepackage{booktabs}, \usepackage{array} and \usepackage[T1]{fontenc}."
WIDTH = 75  # characters of \small that fit a line of article's, at 10 points
GAP = 2.7  # characters between columns
LEAST = 12  # characters of a column whose words are broken

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
    labels: dict[str, int] = {}
    tables = [_table(table, _label(table, labels), report.origin) for table in report.tables]
    return "\n".join([HEAD, *above, *tables]) + "".join(below)


def escaped(text: str) -> str:
    """Escape a name that a stranger chose; what LaTeX cannot print becomes a question mark."""
    known = (char if char.isascii() else "?" for char in printable(text))
    text = "".join(SPECIAL.get(char, char) for char in known)
    return re.sub("-(?=-)", "-{}", text)  # else two make a dash, and options are to be copied


def _lines(text: str) -> list[str]:
    """Return a note's lines; a stranger's line end begins no line of LaTeX."""
    return [printable(line) for line in text.split("\n")]


def _label(table: Table, known: dict[str, int]) -> str:
    r"""Make the label for `\ref` of a title; titles that are alike get numbers."""
    title = table.title.partition(";")[0].lower()
    words = re.sub(r"[^a-z0-9]+", "-", title).strip("-") or "table"
    known[words] = known.get(words, 0) + 1
    return f"tab:assay-{words}{f'-{known[words]}' if known[words] > 1 else ''}"


def _table(table: Table, label: str, origin: str) -> str:
    """Write one table, a rule between the groups of rows."""
    columns = table.fitting(lambda kept: sum(_natural(table, one) + GAP for one in kept) <= WIDTH)
    left_out = [one.heading for one in table.shown if one not in columns]
    said = ". ".join(filter(None, (table.heading, origin)))
    more = printable(", ".join(left_out))
    lines = [
        *([f"% Left out, as the page is narrow; --columns chooses: {more}."] if left_out else []),
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escaped(said)}{'' if said.endswith('.') else '.'}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{_layout(table, columns)}}}",
        r"\toprule",
        f"{' & '.join(escaped(one.heading) for one in columns)} \\\\",
        r"\midrule",
        *_rows(table, columns),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip\footnotesize {escaped(note)}" for note in table.notes),
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _natural(table: Table, column: Column) -> int:
    """Return how many characters a column is wide."""
    texts = (" ".join(table.lines(row, column)) for row in table.rows)
    return max(map(len, (column.heading, *texts)))


def _layout(table: Table, columns: Sequence[Column]) -> str:
    """Align numbers to the right, and break the words of the widest texts if they do not fit."""
    widths = {one.key: _natural(table, one) for one in columns}
    texts = [one for one in columns if not one.number]
    broken: dict[str, int] = {}
    while texts and sum(widths.values()) + GAP * len(columns) > WIDTH:
        widest = max(texts, key=lambda one: widths[one.key])
        over = sum(widths.values()) + GAP * len(columns) - WIDTH
        widths[widest.key] = broken[widest.key] = max(LEAST, int(widths[widest.key] - over))
        texts.remove(widest)
    return "".join(_alignment(one, broken.get(one.key)) for one in columns)


def _alignment(column: Column, characters: int | None) -> str:
    if characters is None:
        return "r" if column.number else "l"
    return rf">{{\raggedright\arraybackslash}}p{{{characters / WIDTH:.2f}\linewidth}}"


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
