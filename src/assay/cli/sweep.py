# SPDX-License-Identifier: MIT
"""`assay check` on many packages: a summary of verdicts and reasons, by whose fault it is."""

import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from assay.check.engine.summary import Fault, PackageOutcome, Reason, Summary
from assay.check.engine.verdict import PackageVerdict
from assay.cli.console import JSON, print_report, text_of
from assay.cli.verdicts import Form, checked_with
from assay.model import Verdict
from assay.model.work import ASKING
from assay.report.formats.names import TERMINAL
from assay.report.printable import printable
from assay.report.table import Column, Note, Report, Style, Table, listed

CSV = "csv"
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


def summary_form(folder: Path, form: str) -> Form:
    """Return the form of counts of verdicts and reasons; every verdict is in `folder`."""

    def end(everything: Sequence[PackageVerdict]) -> None:
        summary = _summed(everything)
        if form == TERMINAL:
            print_report(summary_report(summary, _all_below(summary, everything, folder), form))
        else:
            click.echo(summary_text(everything, form, folder), nl=False)

    return Form(end=end)


def summary_text(everything: Sequence[PackageVerdict], form: str, folder: Path) -> Any:
    """Write the summary in a format of tables, or as JSON."""
    summary = _summed(everything)
    if form == JSON:
        return f"{json.dumps(_record(summary), indent=1)}\n"
    return text_of(summary_report(summary, _all_below(summary, everything, folder), form), form)


def _summed(everything: Sequence[PackageVerdict]) -> Summary:
    summary = Summary()
    for one in everything:
        summary.add(one.found, one.checks, one.seconds)
    return summary


def _all_below(
    summary: Summary, everything: Sequence[PackageVerdict], folder: Path
) -> tuple[str, ...]:
    where = f"Every verdict is in {folder}; `assay check NAME` explains one."
    return (*_below(summary), *checked_with(everything), where)


def summary_report(summary: Summary, below: Iterable[str], form: str) -> Report:
    """Make the report of a sweep; files and pages name every package."""
    every = outcomes_table(summary)
    if form == CSV:  # one table, or columns would be of several
        return Report((every,))
    tables = summary_tables(summary)
    notes = tuple(Note(line, Style.PLAIN) for line in below)
    every_one = () if form == TERMINAL else (every,)
    return Report((*tables, *every_one), not_loaded(summary), notes)


def _below(summary: Summary) -> Iterator[str]:
    if summary.unexamined:
        yield f"{_packages(summary.unexamined)}: {ASKING}."
    if summary.unfinished:
        yield (
            f"{_packages(summary.unfinished)}: SUPERCOP's tests were not run to the "
            "end, as the code is slow; `--unhurried` runs them."
        )


def _packages(names: Sequence[str]) -> str:
    """Count packages in words."""
    return f"{len(names)} package{'' if len(names) == 1 else 's'}"


def _record(summary: Summary) -> dict[str, object]:
    return {
        "packages": summary.packages,
        "loaded": summary.loaded,
        "faults": {fault.name.lower(): count for fault, count in summary.faults.items()},
        "operations": {
            operation: {verdict.value: counts[verdict] for verdict in ORDER}
            for operation, counts in sorted(summary.verdicts.items())
        },
        "compared": {
            check: {"right": counts[Verdict.PASS], "wrong": counts[Verdict.FAIL]}
            for check, counts in summary.compared.items()
        },
        "reasons": [
            {"verdict": reason.verdict, "check": reason.check, "reason": reason.text,
             "fault": reason.fault.name.lower(), "packages": hit}
            for reason, hit in ranked_reasons(summary)
        ],
        "outcomes": [
            {"package": one.package, "verdict": one.verdict, "check": one.check,
             "reason": one.reason, "fault": one.fault.name.lower() if one.fault else "",
             "seconds": round(one.seconds, 2),
             "compared": [
                 {"check": each.check, "verdict": each.verdict, "reason": each.reason}
                 for each in one.compared
             ]}
            for one in summary.outcomes
        ],
        "goals_not_examined": summary.unexamined,
        "tests_not_finished": summary.unfinished,
    }  # fmt: skip


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
    lines = [
        (one.verdict.value, len(hit), one.check, printable(one.text), ", ".join(hit[:EXAMPLES]))
        for one, hit in ranked
    ]
    return listed(lines, *columns, title=f"Not passed, {fault.value}: {count}")


def _outcome(one: PackageOutcome) -> tuple[object, ...]:
    fault = one.fault.value if one.fault else ""
    seconds = f"{one.seconds:.1f}" if one.seconds else ""
    return one.package, one.verdict.value, one.check, printable(one.reason), fault, seconds


def _verdict_style(row: Mapping[str, Any]) -> Style:
    return _STYLES[row["verdict"]]
