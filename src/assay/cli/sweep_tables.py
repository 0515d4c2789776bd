# SPDX-License-Identifier: MIT
"""The summary of many packages: verdicts, reasons by whose fault it is, and every package."""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.check.engine.summary import Fault, PackageOutcome, Reason, Summary
from assay.model import Verdict
from assay.report.printable import printable
from assay.report.table import Column, Note, Style, Table, listed

EXAMPLES = 2
SLOWEST = 10
ORDER = (Verdict.PASS, Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)
GRAVITY = (Verdict.FAIL, Verdict.OPEN, Verdict.SKIPPED)
_ORIGINS = {
    "answers/verified": "known answers",
    "checksum/small": "checksums over short inputs",
    "checksum/big": "checksums over long inputs",
    "digest/verified": "known digests",
    "vectors/verified": "test vectors",
    "against/given": "the implementation that was named",
    "against/shipped": "an implementation that Assay comes with",
    "against/siblings": "implementations of the same tree",
}
_STYLES = {"pass": Style.PASS, "fail": Style.FAIL, "open": Style.OPEN, "skipped": Style.UNKNOWN}


def summary_tables(summary: Summary) -> tuple[Table, ...]:
    """Make the tables of verdicts, comparisons, time, and reasons, the longest list last."""
    ranked = ranked_reasons(summary)
    return (
        _verdicts(summary),
        *((_compared(summary),) if summary.compared else ()),
        *((_slowest(summary.slowest),) if len(summary.slowest) > 1 else ()),
        *(
            _reasons(fault, count, (one for one in ranked if one[0].fault is fault))
            for fault, count in summary.faults.items()
        ),
    )


def outcomes_table(summary: Summary) -> Table:
    """Make the table with every package, in the order in which they were given."""
    columns = (
        Column("package", "Package", whole=True),
        Column("verdict", "Verdict", whole=True, style=_verdict_style),
        Column("check", "Check", whole=True),
        Column("reason", "Reason"),
        Column("fault", "Not passed for"),
        Column("seconds", "Seconds", number=True),
    )
    rows = map(_outcome, summary.outcomes)
    return listed(rows, *columns, title=f"All packages: {len(summary.outcomes)}")


def not_loaded(summary: Summary) -> tuple[Note, ...]:
    """Return the line that says how many packages could not be loaded, if any."""
    left = summary.packages - summary.loaded
    text = f"{left} of {summary.packages} packages could not be loaded."
    return (Note(text, Style.PLAIN),) if left else ()


def ranked_reasons(summary: Summary) -> list[tuple[Reason, list[str]]]:
    """Order reasons: failures first, then by how many packages they hit."""
    return sorted(
        summary.reasons.items(),
        key=lambda item: (GRAVITY.index(item[0].verdict), -len(item[1]), item[0].check),
    )


def _verdicts(summary: Summary) -> Table:
    counted = (Column(one.value, one.value, number=True, text=str) for one in ORDER)
    columns = (
        Column("operation", "Operation", whole=True),
        Column("all", "all", number=True, text=str),
        *counted,
    )
    lines = [
        (operation, sum(counts.values()), *(counts[verdict] for verdict in ORDER))
        for operation, counts in sorted(summary.verdicts.items())
    ]
    whole = [sum(one[verdict] for one in summary.verdicts.values()) for verdict in ORDER]
    lines.append(("in all", summary.packages, *whole))
    return listed(lines, *columns, title="Verdicts by operation")


def _compared(summary: Summary) -> Table:
    """Make the table of what a pass rests on: the packages whose outputs were compared."""
    columns = (
        Column("with", "Outputs compared with", whole=True),
        Column("right", "right", number=True, text=str),
        Column("wrong", "wrong", number=True, text=str),
    )
    lines = [
        (f"{_ORIGINS.get(check, 'others')} ({check})", counts[Verdict.PASS], counts[Verdict.FAIL])
        for check, counts in summary.compared.items()
    ]
    return listed(lines, *columns, title="Packages whose outputs were compared")


def _slowest(timed: Sequence[PackageOutcome]) -> Table:
    """Make the table of what took longest; the title says what packages took in all."""
    columns = (
        Column("package", "Package", whole=True),
        Column("seconds", "Seconds", number=True),
        Column("share", "Of all", number=True),
        Column("verdict", "Verdict", whole=True, style=_verdict_style),
    )
    seconds = [one.seconds for one in timed]
    lines = [
        (
            one.package,
            f"{one.seconds:.1f}",
            f"{100 * one.seconds / sum(seconds):.0f} %",
            one.verdict.value,
        )
        for one in timed[:SLOWEST]
    ]
    title = (
        f"What took longest (beside others; mean {statistics.mean(seconds):.1f} s, "
        f"median {statistics.median(seconds):.1f} s)"
    )
    return listed(lines, *columns, title=title)


def _reasons(fault: Fault, count: int, ranked: Iterable[tuple[Reason, list[str]]]) -> Table:
    columns = (
        Column("verdict", "Verdict", whole=True, style=_verdict_style),
        Column("count", "Count", number=True, text=str),
        Column("check", "Check", whole=True),
        Column("reason", "Reason"),
        Column("examples", "Such as"),
    )
    return listed(_counted(ranked), *columns, title=f"Not passed, {fault.value}: {count}")


def _counted(ranked: Iterable[tuple[Reason, list[str]]]) -> Iterator[tuple[object, ...]]:
    for reason, hit in ranked:
        examples = ", ".join(hit[:EXAMPLES])
        yield reason.verdict.value, len(hit), reason.check, printable(reason.text), examples


def _outcome(one: PackageOutcome) -> tuple[object, ...]:
    fault = one.fault.value if one.fault else ""
    seconds = f"{one.seconds:.1f}" if one.seconds else ""
    return one.package, one.verdict.value, one.check, printable(one.reason), fault, seconds


def _verdict_style(row: Mapping[str, Any]) -> Style:
    return _STYLES[row["verdict"]]
