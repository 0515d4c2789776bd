# SPDX-License-Identifier: MIT
"""Two commits of one package: judged, and measured in turn in one campaign."""

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from assay.campaign.library import judge as judge_packages
from assay.campaign.planning import RunOptions
from assay.campaign.roots import reports_folder, repository_root
from assay.check.engine.verdict import PackageVerdict
from assay.check.engine.wanted import ReferenceOrigin, ReferencePackage, Wanted, shipped
from assay.cli import run
from assay.cli.lines import showing
from assay.cli.options import jail_for
from assay.errors import UsageError
from assay.machine.cache import cache_folder
from assay.machine.git import Repository, Revision, checked_out
from assay.model import Package, Verdict
from assay.package.discover import Found
from assay.plan.plan import InTurn
from assay.plan.revisions import Located, locate
from assay.plan.spread import ConfigurationChoice, Spread
from assay.report.compare.answers import Compared
from assay.report.compare.sides import Side, WantedSide, load_side
from assay.report.compare.table import summary
from assay.report.compare.verdicts import ComparedVerdicts, compare_verdicts
from assay.report.formats.names import TERMINAL
from assay.targets.catalogue import native

JAIL = "bubblewrap"
SAMPLES = 19  # of a measure in a launch: launches differ by more than their medians scatter then
LOOKS = (5, 10)  # launches of each side, after which their answer is looked at
FURTHER = (15, 20)  # while some count, but too few for an answer, whichever it would be
ENOUGH_SECONDS = 12.0  # of measuring, after which none follow: somebody waits


class TwoRevisions(Struct, frozen=True):
    """Two revisions, and the package at each of them."""

    located: Located
    revisions: tuple[Revision, Revision]
    found: tuple[Found, Found]

    @property
    def text(self) -> str:
        """Return the package as the user named it."""
        return self.located.argument

    @property
    def ends(self) -> str:
        """Return both revisions in words."""
        return " and ".join(one.text for one in self.revisions)

    @property
    def unchanged(self) -> bool:
        """Return whether both revisions have the same files of the package."""
        return len({getattr(one, "code_identity", one) for one in self.found}) == 1


def ends_of(located: Located, text: str) -> tuple[Revision, Revision]:
    """Return the revisions of `A..B`; of `A` alone, that one and the last commit."""
    repository = located.repository
    return repository.between(text) or _between(repository, f"{text}..HEAD")


def _between(repository: Repository, text: str) -> tuple[Revision, Revision]:
    found = repository.between(text)
    if found is None:
        raise UsageError(f"{text!a} means no two revisions", "Write v1.0..HEAD, say.")
    return found


def note_changes(repository: Repository) -> None:
    """Print that files which were changed and not committed are left out."""
    changed = repository.changed()
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        click.echo(f" * {changed[0]}{more}: changes are not committed, and left out", err=True)


@contextmanager
def at_both(package: str, text: str, trees: tuple[Path, ...]) -> Iterator[TwoRevisions]:
    """Lend the package at both revisions of a range, each in a work tree of its own."""
    located = locate(package, repository_root(), trees)
    first, second = ends = ends_of(located, text)
    note_changes(located.repository)
    with (
        loaded(located, first, (second,)) as before,
        loaded(located, second, (first,)) as after,
    ):
        yield TwoRevisions(located, ends, (before, after))


@contextmanager
def loaded(
    located: Located, revision: Revision, others: tuple[Revision, ...] = ()
) -> Iterator[Found]:
    """Lend the package at a revision; warnings about its tree are printed."""
    with checked_out(located.repository, revision) as (tree, warnings):
        for text in warnings:
            click.echo(f"warning: {revision.text}: {text}", err=True)
        yield located.at(tree, revision, others)


def against_first(found: Sequence[Found]) -> Mapping[str, ReferencePackage]:
    """Compare outputs of later packages with the first, unless Assay itself has a reference."""
    known = dict(shipped(found))
    first = found[0]
    if isinstance(first, Package):
        for one in found[1:]:
            known.setdefault(one.place, ReferencePackage(first, ReferenceOrigin.TREE))
    return known


def judge(found: Sequence[Found], wanted: Wanted) -> tuple[PackageVerdict, ...]:
    """Build and check packages in the default configuration of each; nothing is kept."""
    spread = Spread(
        (native(),), ConfigurationChoice(reports_folder(repository_root()), (), False, None)
    )
    with showing(brief=True) as progress:
        verdicts, _ = judge_packages(
            found, spread, wanted, lambda compilers: jail_for(JAIL, *compilers), progress
        )
    return verdicts


def results_of(pair: TwoRevisions) -> Path:
    """Return the folder of a comparison in the user's cache; the same one has the same."""
    first, second = pair.revisions
    return history_folder(pair.located) / f"{first.short}-{second.short}"


def history_folder(located: Located) -> Path:
    """Return the folder of a package's results by commit, in the user's cache."""
    name = hashlib.sha256(f"{located.repository.top}\0{located.argument}".encode()).hexdigest()[
        :16
    ]
    return cache_folder() / "history" / name


class MeasureOptions(Struct, frozen=True):
    """What is said of a measurement on the command line.

    Each side has so many launches; None stands for as many as its answer needs. The second side
    may be slower by `threshold` per cent. On `witness` instructions are counted, too.
    """

    launches: int | None
    threshold: float | None
    witness: str | None = None
    form: str = TERMINAL


def measured_in_turn(
    found: Sequence[Found],
    folder: Path,
    how: MeasureOptions,
    compare: Callable[[int, float | None], Compared],
    configurations: tuple[str, ...] = (),
) -> Compared:
    """Measure packages in one campaign, their launches in turn, until they are told apart.

    `compare` answers from what was measured so far. It is told at how many such answers
    somebody may look, two where `how` names no number of launches, and the threshold, which is
    decided by all launches. The first look is hurried: what is far apart needs no quiet launch.
    That launches follow because too few count is no look: it does not depend on what they say.
    None follow where no launch was quiet, or after ENOUGH_SECONDS.
    """
    looks = (how.launches,) if how.launches else LOOKS[how.threshold is not None :]
    further = () if how.launches else FURTHER
    began = time.monotonic()
    # What the campaign prints is no part of what programs read.
    with redirect_stdout(sys.stderr) if how.form != TERMINAL else nullcontext():
        before = 0
        for launches in (*looks, *further):
            first = launches < looks[-1]
            more = InTurn(launches - before, hurried=first)
            _measure(found, folder, launches, more, configurations)
            before = launches
            if launches == (*looks, *further)[-1]:
                break
            seen = compare(len(looks), None)
            late = time.monotonic() - began > ENOUGH_SECONDS
            if seen.settled if first else (seen.heard or seen.in_vain or late):
                break
            click.echo(f" * so far: {summary(seen)}", err=True)
        if how.witness:
            counted = RunOptions(results=folder, target_names=(how.witness,))
            run.measure(counted, tuple(found))
    return compare(len(looks), how.threshold)


def _measure(
    found: Sequence[Found], folder: Path, launches: int, more: InTurn, names: tuple[str, ...]
) -> None:
    """Bring both sides to a number of launches, in turn, with so many `more` at most."""
    wanted = RunOptions(
        results=folder,
        names=names,
        best=None if names else 1,
        launches=launches,
        samples=SAMPLES,
        race=False,
        everything=True,
        in_turn=more,
    )
    run.measure(wanted, tuple(found))


def judge_both(pair: TwoRevisions) -> ComparedVerdicts:
    """Check both packages; outputs of the second are compared with those of the first."""
    first, second = judge(pair.found, Wanted(against=against_first(pair.found)))
    return compare_verdicts(first.checks, second.checks)


def unmeasurable(pair: TwoRevisions, verdicts: ComparedVerdicts) -> str:
    """Explain why nothing is measured, or return nothing."""
    failing = [
        revision.text
        for revision, side in zip(pair.revisions, (verdicts.first, verdicts.second), strict=True)
        if any(one.verdict is Verdict.FAIL for one in side.values())
    ]
    if failing:
        return f"Not measured: {' and '.join(failing)} failed a check."
    return ""


def sides_of(pair: TwoRevisions, folder: Path) -> tuple[Side, Side]:
    """Read what was measured of both revisions."""
    first, second = (
        replace(load_side(WantedSide(one.selector, folder, one.selector)), text=revision.text)
        for one, revision in zip(pair.found, pair.revisions, strict=True)
    )
    return first, second
