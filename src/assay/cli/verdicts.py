# SPDX-License-Identifier: MIT
"""Verdicts in paragraphs: of one examination, and of one in many configurations.

Each form in which `assay check` shows verdicts is a `Form`; those that are tables or records
are in `verdict_tables.py` and `sweep.py`, which take longer to import than many a check to run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import click
from msgspec import Struct, field

from assay.check.depth import EVERY_CHECK
from assay.check.engine.cells import Examination
from assay.check.engine.verdict import Everywhere, PackageVerdict
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.compile.recipe import Recipe
from assay.grouped import grouped
from assay.model import CheckResult, Package, Verdict, overall
from assay.model.causes import causes, consequences, explained
from assay.model.compared import ANSWERED, UNCOMPARED, UNENDED, ended_early, uncompared
from assay.model.work import ASKING, unexamined
from assay.package.discover import Found
from assay.report.printable import printable
from assay.toolchain.remembered import richest

if TYPE_CHECKING:  # for operations alone
    from assay.check.answers.records import AnswerFile

EVIDENCE_LINES = 40
SHOWN_CHECKS = 4  # of those that the user named, or a family has
EXPLAINED_FAILURES = 2
EXPLAINED = frozenset({Verdict.FAIL, Verdict.OPEN, Verdict.FINDING})
MARKS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "FAIL",
    Verdict.OPEN: "OPEN",
    Verdict.FINDING: "note",
    Verdict.SKIPPED: "skip",
}
COLOURS = {
    Verdict.PASS: "green",
    Verdict.FAIL: "red",
    Verdict.OPEN: "yellow",
    Verdict.FINDING: "cyan",
    Verdict.SKIPPED: "yellow",
}
EXIT_CODES = {
    Verdict.FAIL: EXIT_FAILED,
    Verdict.OPEN: EXIT_OPEN,
    Verdict.SKIPPED: EXIT_OPEN,
}


def nothing(_: object) -> None:
    """Show nothing."""


class Form(Struct, frozen=True):
    """How verdicts are shown: each package as it is done, and all of them in the end.

    Failures are printed `at_once` if that is wanted and progress is shown for one package.
    """

    show: Callable[[PackageVerdict], None] = nothing
    end: Callable[[Sequence[PackageVerdict]], None] = nothing
    at_once: bool = False


def paragraphs(*, show_all: bool, everywhere: bool) -> Form:
    """Return the form of a paragraph for each variant, or for all its configurations."""
    if everywhere:
        return Form(partial(_show_configurations, show_all=show_all), at_once=True)
    return Form(partial(_show_variants, show_all=show_all), _name_compilers, at_once=True)


def _show_variants(judged: PackageVerdict, *, show_all: bool) -> None:
    show_unloadable(judged, show_all=show_all)
    for row in (row for each in judged.standings for row in each.rows):
        show_examination(judged.found, row.recipe.variant, row, show_all=show_all)


def _show_configurations(judged: PackageVerdict, *, show_all: bool) -> None:
    show_unloadable(judged, show_all=show_all)
    for standing in judged.standings:
        for _, rows in groupby(standing.rows, key=lambda row: row.recipe.variant):
            show_everywhere(Everywhere(tuple(rows)), show_all=show_all)


def show_unloadable(judged: PackageVerdict, *, show_all: bool = False) -> None:
    """Print why a package cannot be loaded, if it cannot."""
    if judged.unloadable is not None:
        show_examination(judged.found, 1, judged.unloadable, show_all=show_all)


def _name_compilers(everything: Sequence[PackageVerdict]) -> None:
    for line in checked_with(everything):
        click.echo(line)


def checked_with(everything: Iterable[PackageVerdict]) -> Iterator[str]:
    """Yield the line that names a compiler and a configuration, for each of them."""
    rows = (row for one in everything for each in one.standings for row in each.rows)
    recipes = (row.recipe for row in rows)
    for release, name, left_out in sorted(
        {(one.compiler.release, one.configuration.name, _left_out(one)) for one in recipes}
    ):
        yield f"Checked with {release}, {name}{left_out}."


def _left_out(recipe: Recipe) -> str:
    """Return what of this processor is not used, where the best option for it was looked for."""
    if not recipe.package.kind.rules.listed or not recipe.target.is_native:
        return ""
    best = richest(recipe.compiler)
    return f": {best.reason}" if best.reason and best.usable == recipe.configuration.arch else ""


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """Return what a command ends with after these verdicts: 3 also if nothing was examined."""
    return EXIT_CODES.get(overall(verdicts), 0)


def all_compared(outcomes: Sequence[Examination], answers: "Sequence[AnswerFile]") -> bool:
    """Return whether each file of known answers was compared; name those that were not."""
    verdicts = [
        [one.verdict for one in outcome.checks if one.check == ANSWERED] for outcome in outcomes
    ]
    left = [
        file.path
        for number, file in enumerate(answers)
        if all(one[number] is Verdict.OPEN for one in verdicts if len(one) > number)
    ]
    for path in left:
        click.echo(f"error: nothing of {path} was compared", err=True)
    return not left


def some_decided(everything: Sequence[PackageVerdict], only: tuple[str, ...]) -> bool:
    """Return whether checks that the user named decided on each package; say what was asked."""
    if only == EVERY_CHECK:
        return True
    names = ", ".join(only[:SHOWN_CHECKS]) + (", ..." if only[SHOWN_CHECKS:] else "")
    click.echo(f"Asked only: {names}", err=True)
    left = [
        one.found.selector
        for one in everything
        if all(row.check not in only or row.verdict is Verdict.SKIPPED for row in one.checks)
        and exit_code(one.verdicts) != EXIT_FAILED
    ]
    for name in left:
        click.echo(f"error: none of these checks was decided for {name}", err=True)
    return not left


def tally(counts: Mapping[Verdict, int]) -> str:
    """Return counts in words; findings and open questions only where there are some."""
    says = [f"{counts[Verdict.PASS]} passed", f"{counts[Verdict.FAIL]} failed"]
    if counts[Verdict.OPEN]:
        says.append(f"{counts[Verdict.OPEN]} open")
    if counts[Verdict.FINDING]:
        says.append(f"{counts[Verdict.FINDING]} noted")
    return ", ".join([*says, f"{counts[Verdict.SKIPPED]} skipped"])


def show_examination(found: Found, variant: int, outcome: Examination, *, show_all: bool) -> None:
    """Print one examination: a line of counts, then what failed and how to fix it."""
    counts = {v: sum(c.verdict is v for c in outcome.checks) for v in Verdict}
    says = counted(found, counts, [outcome])
    _show_first_line(found, variant, outcome.verdict, says)
    show_checks(outcome.checks, show_all=show_all)
    _show_quirks(found)


def show_everywhere(found: Everywhere, *, show_all: bool) -> None:
    """Print what came of all configurations: a line of counts, then what failed, and where."""
    package, variant = found.rows[0].recipe.package, found.rows[0].recipe.variant
    codes = "1 object code" if found.codes == 1 else f"{found.codes} object codes"
    counts = {verdict: found.count(verdict) for verdict in Verdict}
    says = counted(package, counts, found.rows)
    says = f"{len(found.rows)} configurations, {codes}: {says}"
    _show_first_line(package, variant, found.verdict, says)
    show_checks(found.findings(all_names=show_all), show_all=show_all)
    _show_quirks(package)


def _show_first_line(found: Found, variant: int, verdict: Verdict, says: str) -> None:
    several = getattr(found, "variants", 1) > 1
    title = f"{found.selector} (variant {variant})" if several else found.selector
    click.echo(f"{_mark(verdict)}  {title}: {says}")


def _mark(verdict: Verdict) -> str:
    return click.style(MARKS[verdict], fg=COLOURS[verdict])


def goals_of(found: Found) -> frozenset[str]:
    """Return the goals that a package declares; one that cannot be loaded declares none."""
    return found.goals if isinstance(found, Package) else frozenset()


def counted(found: Found, counts: Mapping[Verdict, int], outcomes: Sequence[Examination]) -> str:
    """Return counts in words, between what was not compared and what was not examined."""
    unknown = any(uncompared(one.checks) for one in outcomes)
    goals = next(filter(None, (about_goals(found, one.checks) for one in outcomes)), "")
    ended = any(ended_early(one.checks) for one in outcomes)
    return f"{UNENDED}; " * ended + f"{UNCOMPARED}; " * unknown + tally(counts) + goals


def about_goals(found: Found, checks: Iterable[CheckResult]) -> str:
    """Return what the first line adds where goals are declared and were not asked about."""
    return f"; {ASKING}" if unexamined(goals_of(found), checks) else ""


def _show_quirks(found: Found) -> None:
    """Print what was accepted with a warning."""
    for quirk in getattr(found, "quirks", ()):
        mark = click.style("warn", fg="yellow")
        click.echo(f"  {mark} {quirk.name}: {printable(quirk.message)}")
        click.echo(f"       {printable(quirk.cure)}")


def show_checks(
    checks: Iterable[CheckResult], *, show_all: bool = False, err: bool = False
) -> None:
    """Print what failed, is open, was noted or passed with a remark, and why others were skipped.

    The first failures come with evidence and cure. One defect often fails many
    checks: those that follow from another are named in one line, and of others the later
    ones, unless everything is wanted.
    """
    given = list(checks)
    if show_all:
        for check in given:
            _show_check(check, whole=check.verdict in EXPLAINED, err=err, every_line=True)
        return
    listed = [check for check in given if not check.follows]
    failed = causes(given)
    for number, check in enumerate(failed):
        _show_check(check, whole=number < EXPLAINED_FAILURES, err=err)
        _show_consequences(check, given, err=err)
    if len(failed) > EXPLAINED_FAILURES:
        click.echo("       (fix the first ones first; --all explains all of them)", err=err)
    others = [check for check in listed if check not in failed]
    for check in (one for one in others if one.verdict in EXPLAINED):
        _show_check(check, whole=True, err=err)
    for check in (one for one in listed if one.verdict is Verdict.PASS and one.reason):
        _show_check(check, whole=False, err=err)
    skipped = (check for check in listed if check.verdict is Verdict.SKIPPED)
    for reason, names in grouped((one.reason, one.check) for one in skipped).items():
        _show_check(CheckResult(", ".join(names), Verdict.SKIPPED, reason), whole=False, err=err)


def _show_consequences(cause: CheckResult, checks: Sequence[CheckResult], *, err: bool) -> None:
    """Name in one line what follows from a failure."""
    names = dict(consequences(checks)).get(cause.check)
    if names:
        said = f"{', '.join(names)}: follow{'s' if len(names) == 1 else ''} from {cause.check}"
        click.echo(f"       {said} (--all explains)", err=err)


class FailuresAtOnce(Struct):
    """Prints each failure in a line on standard error; evidence and cure follow in the end.

    What follows from a failure that was printed is left out. A finding is printed when a failure
    follows from it. Verdicts `with_evidence` are printed where there is some, whatever they are.
    """

    with_evidence: frozenset[Verdict] = frozenset()
    heard: list[CheckResult] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def __call__(self, check: CheckResult) -> None:
        """Hear of a verdict."""
        self.heard.append(check)
        shown = check.verdict in self.with_evidence and check.evidence
        if check.verdict is not Verdict.FAIL and not shown:
            return
        given = explained(self.heard)
        name = next(one.follows for one in given if one.check == check.check) or check.check
        if name in self.said and name != check.check:
            return
        self.said.add(name)
        told = next(one for one in given if one.check == name)
        click.echo(f" * {_mark(told.verdict)} {name}: {printable(told.reason)}", err=True)


def _show_check(check: CheckResult, *, whole: bool, err: bool, every_line: bool = False) -> None:
    """Print one verdict; a failure that is shown whole with its evidence and cure.

    Of long evidence the first lines are shown, unless every line is wanted.
    """
    reason = f": {printable(check.reason)}" if check.reason else ""
    reason += f" (follows from {check.follows})" if check.follows else ""
    click.echo(f"  {_mark(check.verdict)} {check.check}{reason}", err=err)
    if whole:
        lines = check.evidence.strip("\n").splitlines()
        shown = lines if every_line else lines[:EVIDENCE_LINES]
        for line in shown:
            click.echo(f"       | {printable(line.expandtabs())}", err=err)
        if len(lines) > len(shown):
            click.echo(
                f"       (and {len(lines) - len(shown)} more lines: --all, --json)", err=err
            )
        click.echo(f"       {printable(check.cure)}", err=err)
