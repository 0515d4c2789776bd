# SPDX-License-Identifier: MIT
"""`assay compare`: faster, slower, or no difference seen."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from msgspec import Struct

from assay.campaign.gathering import compared as gathered
from assay.campaign.gathering import second_side
from assay.campaign.roots import packages_root
from assay.cli.applies import OPERATION, kinds_of, option, refuse
from assay.cli.console import SHORT, formats_option, print_report, text_of
from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.cli.options import (
    Percent,
    chosen_targets,
    complete_packages,
    named_package,
    results_option,
    tree_option,
)
from assay.cli.outputs import FileContents, Output, deliver, output_option
from assay.cli.revisions import (
    FURTHER,
    LOOKS,
    MeasureOptions,
    at_both,
    judge_both,
    measured_in_turn,
    results_of,
    sides_of,
    unmeasurable,
)
from assay.errors import UsageError
from assay.machine.git import is_range
from assay.model import Package
from assay.package.resolve import Trees, resolve
from assay.report.ci.records import Harvest
from assay.report.compare.answers import Compared, answer
from assay.report.compare.pairs import match
from assay.report.compare.sides import Side, load_side, parse_side
from assay.report.compare.table import comparison_report
from assay.report.compare.verdicts import verdict_facts, verdict_notes
from assay.report.table import Note, Report
from assay.store import FILE_NAME


class CompareOptions(Struct, frozen=True):
    """What the command line says; the fields are called like the options."""

    first: str
    second: str | None
    results: Path
    metrics: tuple[str, ...]
    everything: bool
    against: str | None
    confidence: float
    threshold: float | None
    measure: bool
    launches: int | None
    witness: str | None
    trees: tuple[Path, ...]
    form: str
    outputs: tuple[Output, ...]

    @property
    def measuring(self) -> MeasureOptions:
        """Return what is said of a measurement."""
        return MeasureOptions(self.launches, self.threshold, self.witness, self.form)


@click.command(name="compare")
@click.argument("first", metavar="A", shell_complete=complete_packages)
@click.argument("second", metavar="B", required=False, shell_complete=complete_packages)
@results_option("Where names without a folder are looked for.")
@option("--metric", "metrics", older=("--by",), multiple=True,
        metavar="PATTERN",
        help="Compare only measures that match, such as 'packet/*'; repeatable.")  # fmt: skip
@click.option(
    "--all", "everything", is_flag=True, help="Compare every configuration, not the best alone."
)
@option("--against", excludes=("measure",), metavar="REV",
        help="Compare package A as committed last with what REV has of it.")  # fmt: skip
@click.option("--confidence", type=Percent(50, 99.99), default=95.0, show_default=True,
              metavar="P%",
              help="The confidence of all answers of the table together.")  # fmt: skip
@click.option("--threshold", type=Percent(0), metavar="P%",
              help="Exit with 1 if B is slower than A by more than this.")  # fmt: skip
@click.option("--measure", is_flag=True, help="First measure both in turn, in one campaign.")
@option("--launches", type=click.IntRange(1),
        help="With --measure: launch so many processes of each side"
        " [{} if that tells them apart, else {}; up to {} where too few count]."
        .format(*LOOKS, FURTHER[-1]))  # fmt: skip
@option("--witness", metavar="TARGET",
        refused={OPERATION: "Leave it out: operations are timed, on this machine only."},
        help="With --measure: count instructions there, too (qemu-amd64).")  # fmt: skip
@tree_option()
@formats_option(*SHORT)
@output_option()
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Compare B with A: faster, slower, or no difference seen, for every measure.

    A and B are implementations (salsa20/ref), configurations (@gcc_default_O3), both
    (salsa20/ref@gcc_default_O3), results folders, or imported machines; FOLDER:NAME
    looks in another folder. An implementation can be named by its folder, too, and
    with --measure it is all that `run` takes. The same command without --measure compares
    again what was measured.

    A can be two revisions of git, as in v1.0..HEAD, or main...HEAD for what HEAD has changed
    since it left main; B is a package then, and `compare PACKAGE --against v1.0` is short for
    v1.0..HEAD. Both are checked out in the cache, judged, and measured in turn; new
    failures and fixed ones stand above the figures.

    Exit codes: 0; 1: the threshold was exceeded, or a check fails that did not in the
    first revision; 3: only disturbed launches say that it was, or neither revision builds, or
    the threshold could not be asked about, as the second one still fails a check.
    """
    wanted = CompareOptions(**given)
    if wanted.against is not None or is_range(wanted.first):
        return _revisions(context, wanted)
    if wanted.second is None:
        raise UsageError(f"{wanted.first} is compared with nothing", "Name B, or --against REV.")
    compared = _compared(wanted, (wanted.first, wanted.second))
    _print(
        comparison_report(compared),
        wanted,
        lambda: gathered(compared, _known(wanted.second or "", wanted.trees)),
    )
    return _code(compared)


def _answer(
    wanted: CompareOptions, sides: tuple[Side, Side], threshold: float | None, looks: int = 1
) -> Compared:
    first, second = sides
    return answer(
        first,
        second,
        match(first, second, wanted.metrics, everything=wanted.everything),
        confidence=round(wanted.confidence / 100, 6),
        looks=looks,
        threshold_percent=threshold,
    )


def _code(compared: Compared) -> int:
    return EXIT_FAILED if compared.failed else EXIT_OPEN if compared.undecided else 0


def _print(
    report: Report, wanted: CompareOptions, harvest: Callable[[], Harvest] = Harvest
) -> None:
    print_report(report, wanted.form)
    deliver(wanted.outputs, FileContents(lambda form: text_of(report, form), harvest))


def _revisions(context: click.Context, wanted: CompareOptions) -> int:
    """Judge and measure two commits of a package, and print what changed."""
    refuse()
    package = wanted.second if wanted.against is None else wanted.first
    if package is None or (wanted.against is not None and wanted.second is not None):
        raise UsageError(
            "two revisions are compared of one package",
            "Write `assay compare REV1..REV2 PACKAGE`, or `assay compare PACKAGE --against REV`.",
        )
    given = context.get_parameter_source("results") is ParameterSource.COMMANDLINE
    with at_both(package, wanted.against or wanted.first, wanted.trees) as pair:
        refuse(kinds_of(pair.found))
        if pair.unchanged:
            _print(
                Report((), (Note(f"No file of {pair.text} differs between {pair.ends}."),)), wanted
            )
            return 0
        verdicts = judge_both(pair)
        after = second_side(pair.text, pair.found[1], verdicts)
        report = Report((), verdict_notes(verdicts), (), verdict_facts(verdicts))
        code = EXIT_FAILED if verdicts.new else EXIT_OPEN if verdicts.opened else 0
        if why := unmeasurable(pair, verdicts):
            _print(report + Report((), (Note(why),)), wanted, lambda: Harvest((after,)))
            missed = wanted.threshold is not None and bool(verdicts.still)
            return code or (EXIT_OPEN if missed or verdicts.unexamined else 0)
        folder = wanted.results if given else results_of(pair)
        compared = measured_in_turn(
            pair.found,
            folder,
            wanted.measuring,
            lambda looks, threshold: _answer(wanted, sides_of(pair, folder), threshold, looks),
        )
    _print(
        report + comparison_report(compared),
        wanted,
        lambda: Harvest((after,)) + gathered(compared, None),
    )
    return code or _code(compared)


def _compared(wanted: CompareOptions, texts: tuple[str, str]) -> Compared:
    """Compare two sides of results, which are measured first if that is wanted."""
    if not wanted.measure:
        refuse()
        known = (_without_path(text, wanted.trees) for text in texts)
        return _answer(wanted, _loaded(wanted, *known), wanted.threshold)
    found = _packages(texts, wanted.trees)
    refuse(kinds_of(found))
    names = _measurable(texts, found, wanted.witness)
    configurations = dict.fromkeys(filter(None, (text.partition("@")[2] for text in texts)))
    return measured_in_turn(
        found,
        wanted.results,
        wanted.measuring,
        lambda looks, threshold: _answer(wanted, _loaded(wanted, *names), threshold, looks),
        tuple(configurations),
    )


def _loaded(wanted: CompareOptions, first: str, second: str) -> tuple[Side, Side]:
    """Load both sides of a comparison."""
    before, after = (load_side(parse_side(text, wanted.results)) for text in (first, second))
    return before, after


def _packages(texts: tuple[str, str], trees: tuple[Path, ...]) -> tuple[Package, Package]:
    """Load the implementations of both sides; UsageError for what is none, or several."""
    names = [text.partition("@")[0] for text in texts]
    for text, name in zip(texts, names, strict=True):
        if not name:
            raise UsageError(
                f"--measure needs implementations, not {text!r}",
                "Such as salsa20/ref, or salsa20/ref@gcc_default_O3.",
            )
    first, second = (named_package(one, trees) for one in names)
    resolve(names, packages_root(), trees=Trees(trees))  # two folders under one name are refused
    return first, second


def _measurable(
    texts: tuple[str, str], packages: tuple[Package, Package], witness: str | None
) -> tuple[str, str]:
    """Return the names under which both sides will be found in the results.

    UsageError for what could not be compared after it was measured.
    """
    configurations = [text.partition("@")[2] for text in texts]
    if len([one for one in configurations if one]) == 1:
        raise UsageError(
            f"{texts[0]} and {texts[1]}: one of them names a configuration",
            "Name one for both, or for none: then it is the shortlist's best.",
        )
    first, second = packages
    sorts = [one.family for one in packages]
    if sorts[0] != sorts[1]:
        raise UsageError(
            f"{first.selector} and {second.selector} have no measure in common: "
            f"{sorts[0]} and {sorts[1]}",
            "Compare two ciphers, two hashes, or two packages of one operation.",
        )
    if witness:
        chosen_targets((witness,), None)
    names = zip((first, second), configurations, strict=True)
    before, after = (f"{one.selector}@{conf}" if conf else one.selector for one, conf in names)
    return before, after


def _without_path(text: str, trees: tuple[Path, ...]) -> str:
    """Return the name in results of a package whose folder is named; other words as they are."""
    name, at, configuration = text.partition("@")
    folder = Path(name)
    if not folder.is_dir() or (folder / FILE_NAME).exists():
        return text
    try:
        package = named_package(name, trees)
    except UsageError:
        return text
    return f"{package.selector}{at}{configuration}"


def _known(text: str, trees: tuple[Path, ...]) -> Package | None:
    """Return the package that a side names, if it names one and its source is here."""
    with suppress(UsageError):
        return named_package(text.partition("@")[0], trees)
    return None
