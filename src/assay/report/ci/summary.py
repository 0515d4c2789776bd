# SPDX-License-Identifier: MIT
"""What a reader of a pull request sees first: counts of verdicts, and what did not pass."""

from collections.abc import Iterable, Sequence

from assay.model import Verdict
from assay.report.ci.records import CellVerdict, Harvest, PackageFigure
from assay.report.formats.markdown import markdown_text
from assay.report.table import Column, Note, Report, Style, Table, figure_text, listed

EXPLAINED = (Verdict.FAIL, Verdict.OPEN, Verdict.FINDING)
MOST_ROWS = 200  # GitHub cuts a summary off at one MiB


def summary_text(found: Harvest) -> str:
    """Write the summary as Markdown."""
    verdicts = found.verdicts
    tables = (_counts(verdicts), *_reasons(verdicts), *_figures(found.metrics))
    return markdown_text(Report(tables, (Note(_headline(verdicts), Style.LEAD),)))


def _headline(verdicts: Iterable[CellVerdict]) -> str:
    each = [one.verdict for one in verdicts]
    said = [f"{each.count(one)} {one.value}" for one in Verdict if each.count(one)]
    return f"Assay: {', '.join(said) or 'nothing was checked'}."


def _counts(verdicts: Iterable[CellVerdict]) -> Table:
    counted = (Column(one.value, one.value, number=True, text=str) for one in Verdict)
    rows = (
        (one.package, one.where, one.verdict.value, *(one.count(each) for each in Verdict))
        for one in verdicts
    )
    columns = (Column("package", "Package"), Column("where", "Where"), Column("whole", "Verdict"))
    return listed(rows, *columns, *counted, title="Packages")


def _reasons(verdicts: Iterable[CellVerdict]) -> tuple[Table, ...]:
    """Make the table of what did not pass; what follows from it is left out."""
    rows = [
        (cell.package, cell.where, one.check, one.verdict.value, one.reason, one.cure)
        for cell in verdicts
        for one in cell.checks
        if one.verdict in EXPLAINED and not one.follows
    ]
    heads = ("Package", "Where", "Check", "Verdict", "Reason", "Cure")
    columns = (Column(head.lower(), head) for head in heads)
    more = len(rows) - MOST_ROWS
    title = "What did not pass" + (f" (and {more} more)" if more > 0 else "")
    return (listed(rows[:MOST_ROWS], *columns, title=title),) if rows else ()


def _figures(metrics: Sequence[PackageFigure]) -> tuple[Table, ...]:
    """Make the table of figures; the quartiles of what was counted would be the count."""
    rows = [
        (one.package, one.measure, one.unit, one.low if not one.exact else None, one.value,
         one.high if not one.exact else None, one.configuration, one.target)
        for one in metrics[:MOST_ROWS]
    ]  # fmt: skip
    columns = (
        Column("package", "Package"),
        Column("measure", "Measure"),
        Column("unit", "Unit"),
        *(
            Column(key, head, number=True, text=figure_text)
            for key, head in (("low", "25%"), ("value", "50%"), ("high", "75%"))
        ),
        Column("configuration", "Configuration"),
        Column("target", "Target"),
    )
    more = len(metrics) - MOST_ROWS
    title = "Figures; lower is better" + (f" (and {more} more)" if more > 0 else "")
    return (listed(rows, *columns, title=title),) if rows else ()
