# SPDX-License-Identifier: MIT
"""`assay bisect`: the commit since which a check fails, or a package is slower."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct, field

from assay.campaign.roots import repository_root
from assay.check.engine.wanted import Wanted
from assay.cli.main import EXIT_OPEN
from assay.cli.options import Percent, tree_option
from assay.cli.revisions import (
    MeasureOptions,
    TwoRevisions,
    against_first,
    ends_of,
    judge,
    loaded,
    measured_in_turn,
    results_of,
    sides_of,
)
from assay.errors import AssayError, UsageError
from assay.machine.git import Revision, checked_out, git
from assay.model import BrokenPackage, CheckResult, Verdict
from assay.package.discover import Found
from assay.plan.revisions import Located, locate
from assay.report.compare.answers import Compared, ComparedMeasure, answer
from assay.report.compare.pairs import match

GOOD, BAD, SKIP = "good", "bad", "skip"
BUILDS = ("build/", "package/")
_FOUND = re.compile(r"([0-9a-f]{40}) is the first bad commit")
_POSSIBLE = re.compile(r"^# possible first bad commit: \[([0-9a-f]{40})\]", re.MULTILINE)


class BisectOptions(Struct, frozen=True):
    """What is asked of each commit; the names are those of the options."""

    check: str | None
    slower: float | None
    metrics: tuple[str, ...]
    launches: int


class Bisection(Struct):
    """The first commit, whose package others are compared with, and what is known so far.

    Packages with the same files have one answer, which `known` has with its reason.
    """

    located: Located
    ends: tuple[Revision, Revision]
    first: Found
    asked: BisectOptions
    known: dict[object, tuple[str, str]] = field(default_factory=dict)

    def answer(self, revision: Revision) -> str:
        """Return whether a commit is good, bad, or cannot be said; print it with its reason."""
        try:
            with loaded(self.located, revision, self.ends) as found:
                key = getattr(found, "code_identity", found)
                if key not in self.known:
                    self.known[key] = self._examined(found, revision)
                said = self.known[key]
        except AssayError as error:
            said = SKIP, str(error)
        click.echo(f" * {revision.short} {said[0]}: {said[1]} ({revision.subject})", err=True)
        return said[0]

    def _examined(self, found: Found, revision: Revision) -> tuple[str, str]:
        if isinstance(found, BrokenPackage) and not self._asks_builds:
            return SKIP, f"it cannot be loaded: {found.reason}"
        return self._checked(found) if self.asked.check else self._timed(found, revision)

    @property
    def _asks_builds(self) -> bool:
        return bool(self.asked.check and self.asked.check.startswith(BUILDS))

    def _checked(self, found: Found) -> tuple[str, str]:
        """Ask the check; a version that does not build says nothing of others."""
        name = self.asked.check or ""
        if name.startswith("against/") and found.place == self.first.place:
            return GOOD, "others are compared with it"
        both = name.startswith("against/") and found.place != self.first.place
        listed = (self.first, found) if both else (found,)
        checks = judge(listed, Wanted(against=against_first(listed)))[-1].checks
        return _of_check(name, checks, asks_builds=self._asks_builds)

    def _timed(self, found: Found, revision: Revision) -> tuple[str, str]:
        """Measure it in turn with the first commit; the measures that were slower decide."""
        if found.place == self.first.place:
            return GOOD, "others are compared with it"
        return of_measures(self.compared(found, revision).rows)

    def compared(self, found: Found, revision: Revision) -> Compared:
        """Measure a package in turn with that of the first commit, and compare."""
        pair = TwoRevisions(self.located, (self.ends[0], revision), (self.first, found))
        folder = results_of(pair)

        def answered(looks: int, threshold: float | None) -> Compared:
            first, second = sides_of(pair, folder)
            matched = match(first, second, self.asked.metrics)
            return answer(first, second, matched, looks=looks, threshold_percent=threshold)

        how = MeasureOptions(self.asked.launches, self.asked.slower)
        return measured_in_turn(pair.found, folder, how, answered)


def of_measures(rows: Sequence[ComparedMeasure]) -> tuple[str, str]:
    """Return whether measures are slower than is allowed, beyond what launches differ by.

    Disturbed launches decide, too: on a machine that is never quiet there are no others.
    """
    slow = [row for row in rows if row.too_slow or row.undecided]
    worst = max(slow or rows, key=lambda row: row.comparison.change_percent)
    said = f"{worst.first.measure} takes {worst.comparison.change_percent:+.2f} %"
    if slow:
        return BAD, f"{said}{', measured under disturbance' if worst.undecided else ''}"
    return GOOD, f"{said}, which is not seen to be more than is allowed"


def _of_check(name: str, checks: tuple[CheckResult, ...], *, asks_builds: bool) -> tuple[str, str]:
    unbuilt = [c for c in checks if c.check.startswith(BUILDS) and c.verdict is Verdict.FAIL]
    if unbuilt and not asks_builds:
        return SKIP, f"{unbuilt[0].check} failed: {unbuilt[0].reason}"
    meant = [
        c for c in checks if c.check == name or (name[-1:] == "/" and c.check.startswith(name))
    ]
    failed = [c for c in meant if c.verdict is Verdict.FAIL]
    if failed:
        return BAD, f"{failed[0].check} fails: {failed[0].reason}"
    if all(c.verdict is Verdict.SKIPPED for c in meant) and not asks_builds:
        return SKIP, f"{name} was not examined"
    return GOOD, f"{name} does not fail"


@click.command(name="bisect")
@click.argument("revisions", metavar="GOOD..BAD")
@click.argument("package")
@click.option("--check", metavar="NAME", help="Find the commit since which this check fails.")
@click.option("--slower", type=Percent(0), metavar="P%",
              help="Find the commit since which it is slower by more than P %.")  # fmt: skip
@click.option("--metric", "metrics", multiple=True, metavar="PATTERN",
              help="With --slower: only these measures (cycles/576); repeatable.")  # fmt: skip
@click.option("--launches", type=click.IntRange(1), default=10, show_default=True,
              help="With --slower: processes per commit.")  # fmt: skip
@tree_option()
def command(revisions: str, package: str, trees: tuple[Path, ...], **options: Any) -> int:
    """Find the first commit in which a check fails, or a package is slower.

    GOOD and BAD are examined first, and must differ. Commits in between are chosen by
    `git bisect`, checked out in the cache, and examined as by `assay compare`; those that do
    not build are skipped, and those with the same files of the package have one answer. With
    --slower each is measured in turn with GOOD. Exit codes: 0: the commit was found; 3: only
    skipped commits are left, which are listed.
    """
    asked = BisectOptions(**options)
    if (asked.check is None) == (asked.slower is None):
        raise UsageError("bisect needs --check NAME or --slower P%", "Name one of them.")
    located = locate(package, repository_root(), trees)
    ends = ends_of(located, revisions)
    with loaded(located, ends[0], (ends[1],)) as first:
        bisection = Bisection(located, ends, first, asked)
        _ends_differ(bisection)
        return _bisected(bisection)


def _ends_differ(bisection: Bisection) -> None:
    """Raise UsageError unless the first end is good and the last one bad."""
    for revision, wanted in zip(bisection.ends, (GOOD, BAD), strict=True):
        said = bisection.answer(revision)
        if said != wanted:
            raise UsageError(
                f"{revision.text} is {said if said != SKIP else 'not to be judged'}, "
                f"and would have to be {wanted}",
                "Name another revision, or another check or percentage.",
            )


def _bisected(bisection: Bisection) -> int:
    """Let git choose commits until one is left; return the exit code."""
    located, (good, bad) = bisection.located, bisection.ends
    with checked_out(located.repository, bad) as (tree, _):
        said = git(tree, "bisect", "start", "--no-checkout", bad.commit, good.commit)
        while not (found := _FOUND.search(said)):
            commit = git(tree, "rev-parse", "BISECT_HEAD").strip()
            revision = located.repository.revision(commit)
            try:
                said = git(tree, "bisect", bisection.answer(revision))
            except UsageError:
                possible = _POSSIBLE.findall(git(tree, "bisect", "log"))
                if not possible:
                    raise
                return _only_skipped(located.repository.revision, possible)
    click.echo(located.repository.git("show", "--no-patch", "--format=medium", found[1]).rstrip())
    click.echo(f"\n{found[1]} is the first bad commit.")
    return 0


def _only_skipped(read: Callable[[str], Revision], commits: list[str]) -> int:
    click.echo("The first bad commit is one of these, the others of which cannot be judged:")
    for one in dict.fromkeys(commits):
        revision = read(one)
        click.echo(f"  {revision.short} {revision.date} {revision.subject}")
    return EXIT_OPEN
