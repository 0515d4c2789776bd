# SPDX-License-Identifier: MIT
"""`assay ct --engine timing`: by how much the clock tells a fixed secret from others."""

from collections.abc import Iterable, Sequence

from msgspec.structs import asdict

from assay.check.check import CheckFailed, CheckSkipped
from assay.check.engine.workshop import Workshop, open_workshop
from assay.cli.console import print_report
from assay.cli.lines import showing
from assay.cli.main import EXIT_OPEN
from assay.compile.recipe import Recipe
from assay.errors import AssayError
from assay.execute.jail import Jail
from assay.machine.processors import measuring_cpu
from assay.measure.studies.classes import (
    LAUNCHES,
    SECRETS,
    ClassRow,
    Interval,
    classes_of,
    named,
)
from assay.model.progress import Progress
from assay.package.leaks import HONEST, LEAKING
from assay.report.table import Column, Note, Report, Style, Table, TableRow, decimals

HOW = (
    "{launches} launches, each with a fixed secret, {secrets} others and the fixed one again in "
    "random order. Differences are medians over launches, in {unit} a call, with an interval of "
    "99.9 %; `Same secret` is what chance alone makes (A/A)."
)
SEEN = (
    "What is seen need not be a leak: public outcomes, as which candidates a rejection sampling "
    "drops, take their time, too."
)
MISSED = "the clock does not see what is planted in {}, so it is not believed"
INVENTED = "the clock sees a secret in {} of the honest code, so it is not believed"
COLUMNS = (
    Column("package", "Package", whole=True),
    Column("configuration", "Configuration"),
    Column("use", "Call", whole=True),
    Column("fixed", "Fixed secret", number=True, text=decimals(0)),
    Column("difference", "Others", number=True, text=decimals(1)),
    Column("interval", "Interval", whole=True),
    Column("control", "Same secret", whole=True),
    Column("answer", "Answer", style=lambda row: Style(row["answer_style"])),
)


def timed(recipes: Sequence[Recipe], planted: Sequence[Recipe], jail: Jail, form: str) -> int:
    """Ask the clock of each recipe, if it sees what is planted; print the table, return the code.

    Ctrl-C takes nothing from the recipes before.
    """
    rows: list[ClassRow] = []
    try:
        with open_workshop(jail, cpu=measuring_cpu()) as workshop, showing() as progress:
            wrong = _wrong(workshop, planted, progress)
            for recipe in recipes:
                rows += _of(workshop, recipe, progress, wrong)
    finally:
        if rows:
            print_report(class_report(rows), form)
    return EXIT_OPEN if any(one.problem for one in rows) else 0


def _of(
    workshop: Workshop, recipe: Recipe, progress: Progress, wrong: str
) -> tuple[ClassRow, ...]:
    """Return the rows of a recipe; one that says why there are none."""
    name, where = named(recipe), recipe.configuration.name
    if wrong:
        return (ClassRow(name, where, "", problem=wrong),)
    try:
        found = tuple(classes_of(workshop, recipe, progress))
    except AssayError as error:
        return (ClassRow(name, where, "", problem=f"{error} {error.cure}".strip()),)
    except (CheckFailed, CheckSkipped) as error:  # its calls do not do what inputs are made by
        return (ClassRow(name, where, "", problem=str(error)),)
    return found or (ClassRow(name, where, "", problem="no call has a secret"),)


def _wrong(workshop: Workshop, planted: Sequence[Recipe], progress: Progress) -> str:
    """Return what the clock gets wrong of planted leaks and honest code; empty if nothing."""
    found = {one.variant: tuple(classes_of(workshop, one, progress)) for one in planted}
    if missed := [one for one in found[LEAKING] if not one.seen]:
        return missed[0].problem or MISSED.format(missed[0].use)
    if invented := [one for one in found[HONEST] if one.seen]:
        return INVENTED.format(invented[0].use)
    return ""


def class_report(rows: Iterable[ClassRow]) -> Report:
    """List calls, and whether other secrets take another time."""
    made = tuple(rows)
    unit = next((one.unit for one in made if one.unit), "cycles")
    table = Table("", "", COLUMNS, tuple(map(_row, made)), direction="")
    said = [HOW.format(launches=LAUNCHES, secrets=SECRETS, unit=unit)]
    said += [SEEN] * any(one.seen for one in made)
    notes = tuple(Note(one, Style.PLAIN) for one in said)
    return Report((table,), (), notes, {"rows": [asdict(one) for one in made]})


def _row(one: ClassRow) -> TableRow:
    known = not one.problem
    values = {
        "package": one.package,
        "configuration": one.configuration,
        "use": one.use,
        "fixed": one.fixed if known else None,
        "difference": one.others[1] if known else None,
        "interval": _span(one.others) if known else "",
        "control": _span(one.same) if known else "",
        "answer": _answer(one),
        "answer_style": _style(one).value,
    }
    return TableRow(values, _style(one))


def _span(interval: Interval) -> str:
    low, _, high = interval
    return f"{low:+.1f} to {high:+.1f}"


def _answer(one: ClassRow) -> str:
    if one.problem:
        return f"not examined: {one.problem}"
    if one.seen:
        return f"seen, {100 * one.others[1] / one.fixed:+.2f} %"
    return f"not seen; more than {one.bound:.1f} would have been"


def _style(one: ClassRow) -> Style:
    if one.problem:
        return Style.UNKNOWN
    return Style.FAIL if one.seen else Style.PASS
