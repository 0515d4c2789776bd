# SPDX-License-Identifier: MIT
"""Verdicts as tables and records: a matrix of targets, every verdict, JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

import click
from msgspec.structs import replace

from assay.campaign.gathering import not_examined, of_examination
from assay.check.engine.cells import CheckedCell
from assay.check.engine.verdict import COLUMNS, PackageVerdict, TargetStanding, located, standing
from assay.cli.console import JSON, print_report, text_of
from assay.cli.verdicts import Form, about_goals, show_checks, show_unloadable
from assay.execute.jail import Jail
from assay.grouped import grouped
from assay.model import CheckResult, Verdict
from assay.model.work import ASKING
from assay.plan.spread import TargetCells
from assay.report.formats.names import TERMINAL
from assay.report.table import NONE, Column, Note, Report, Style, Table, TableRow, listed

ANSWER_STYLES = {"yes": Style.PASS, "none": Style.PASS, "no": Style.FAIL, None: Style.UNKNOWN}
VERDICT_STYLES = {
    Verdict.PASS: Style.PASS,
    Verdict.FAIL: Style.FAIL,
    Verdict.OPEN: Style.OPEN,
    Verdict.FINDING: Style.PLAIN,
    Verdict.SKIPPED: Style.UNKNOWN,
}


def table_form(form: str, jail: Jail, *, matrix: bool, show_all: bool) -> Form:
    """Return the form of tables or records; a `matrix` has a row for each target."""
    if matrix and form == TERMINAL:
        return Form(partial(show_matrix, show_all=show_all))

    def end(everything: Sequence[PackageVerdict]) -> None:
        click.echo(verdicts_text(everything, form, jail, matrix=matrix), nl=False)

    return Form(end=end)


def verdicts_text(
    everything: Sequence[PackageVerdict], form: str, jail: Jail, *, matrix: bool
) -> Any:
    """Write all verdicts in a format of tables, or as JSON."""
    if matrix and form != JSON:
        return text_of(reduce(add, map(matrix_report, everything), Report(())), form)
    records = [each for one in everything for each in records_of(one, jail, matrix=matrix)]
    if form == JSON:
        return f"{json.dumps(records, indent=1)}\n"
    return text_of(verdicts_report(records), form)


def show_matrix(judged: PackageVerdict, *, show_all: bool) -> None:
    """Print one package's portability: a row for each target, and what is wrong where."""
    if judged.unloadable is not None:
        show_unloadable(judged, show_all=show_all)
        return
    print_report(matrix_report(judged))
    for row in judged.standings:
        if row.examination is not None and (show_all or row.failed):
            click.echo(f"{row.target.name}, {row.configuration}:")
            show_checks(located(row.rows, all_names=show_all), show_all=show_all)
    if not show_all:
        _show_findings(one for one in judged.standings if one.examination and not one.failed)


def _show_findings(standings: Iterable[TargetStanding]) -> None:
    """Print what was noted where nothing fails, once for all targets where it was."""
    where = grouped(
        (CheckResult(one.check, one.verdict, one.reason, cure=one.cure), row.target.name)
        for row in standings
        for one in located(row.rows, all_names=False)
        if one.verdict is Verdict.FINDING
    )
    together = grouped((", ".join(dict.fromkeys(names)), one) for one, names in where.items())
    for named, checks in together.items():
        click.echo(f"{named}:")
        show_checks(checks)


def matrix_report(judged: PackageVerdict) -> Report:
    """Make the matrix of one package, or a line on why it cannot be loaded."""
    name = judged.found.selector
    if judged.unloadable is not None:
        first = judged.unloadable.checks[0]
        return Report((), (), (Note(f"{name}: {first.check}: {first.reason}", Style.FAIL),))
    asking = any(about_goals(judged.found, one.checks) for one in judged.outcomes)
    below = (Note(f"{ASKING[:1].upper()}{ASKING[1:]}.", Style.PLAIN),) if asking else ()
    return Report((matrix(name, judged.standings),), (), below)


def matrix(selector: str, standings: Sequence[TargetStanding]) -> Table:
    """Show how a package stands on targets: a row for each, and why it is not green."""
    columns = (
        Column("package"),
        Column("target", "Target", whole=True),
        *(_answer(one) for one in COLUMNS),
        Column("configuration"),
        Column("verdict"),
        Column("cause", "Cause", text=lambda text: text or ""),
    )
    rows = tuple(
        TableRow(
            {
                "target": one.target.name,
                **{column: _known(one.answer(column)) for column in COLUMNS},
                "configuration": one.configuration,
                "verdict": one.verdict.value,
                "cause": one.cause,
            }
        )
        for one in standings
    )
    return Table(selector, "", columns, rows, direction="", facts={"package": selector})


def _known(answer: str) -> str | None:
    return None if answer == NONE else answer


def _answer(column: str) -> Column:
    def style(row: Mapping[str, Any]) -> Style:
        return ANSWER_STYLES.get(row[column], Style.OPEN)

    return Column(column, column, style=style, whole=True)


def verdicts_report(records: Iterable[Mapping[str, Any]]) -> Report:
    """List the verdict of every check of every record, and what goes with a package."""
    rows = [{**record, **check} for record in records for check in _answers_of(record)]
    table = listed(
        rows,
        Column("package", "Package", whole=True),
        Column("variant", "Variant"),
        Column("configuration", "Configuration"),
        Column("compiler", "Compiler"),
        Column("target", "Target"),
        Column("check", "Check", whole=True),
        Column("verdict", "Verdict", style=lambda row: VERDICT_STYLES[row["verdict"]], whole=True),
        Column("reason", "Reason"),
        Column("cure", "Cure"),
        Column("evidence", "Evidence"),
        Column("follows", "Follows from"),
    )
    return Report((table,))


def _answers_of(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the checks of a record, and the quirks that were accepted as findings of their own."""
    yield from record["checks"]
    for one in record["warnings"]:
        yield {"check": one["name"], "verdict": Verdict.FINDING, "reason": one["message"],
               "cure": one["cure"], "evidence": "", "follows": ""}  # fmt: skip


def records_of(judged: PackageVerdict, jail: Jail, *, matrix: bool) -> Iterator[dict[str, Any]]:
    """Yield the records of a package; those of a `matrix` name what is wrong on each target."""
    if judged.unloadable is not None:
        yield of_examination(judged.found, judged.unloadable, jail).record
    for each in judged.standings:
        if not each.rows:
            yield not_examined(judged.found, each).record
        for row in each.rows:
            more = _on_target(each, row) if matrix else {}
            yield of_examination(judged.found, row, jail).record | more


def _on_target(whole: TargetStanding, row: CheckedCell) -> dict[str, Any]:
    """Return what a cell tells of its target, beside the verdicts."""
    alone = replace(standing(TargetCells(whole.target), (row,)), suspect=whole.suspect)
    return {"misaligned": alone.misaligned, "cause": alone.cause, "verdict": alone.verdict,
            "passed": not alone.failed}  # fmt: skip
