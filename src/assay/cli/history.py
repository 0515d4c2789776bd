# SPDX-License-Identifier: MIT
"""`assay history`: results of a package by commit and machine, and the steps in them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct, field
from msgspec.structs import replace

from assay.campaign.roots import repository_root
from assay.cli.applies import refuse
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.history_table import DatedCommit, Line, history_report
from assay.cli.options import complete_packages, named_package, tree_option
from assay.cli.revisions import history_folder
from assay.errors import UsageError
from assay.fleet.archived import folders
from assay.plan.revisions import Located, base_name, locate
from assay.site.cells import SiteFigure, SiteMachine
from assay.site.figures import scaled
from assay.site.history import history_of
from assay.site.names import labels
from assay.site.page import Known
from assay.site.reading import own_folders, readable
from assay.site.views import SiteEntry
from assay.store import FILE_NAME
from assay.store.rows import StoredCell

if TYPE_CHECKING:
    from assay.machine.git import Revision

MEASURE = "Measure some: `assay run {0} --results r`, or `assay compare v1.0..HEAD {0}`."
Chosen = Callable[[SiteEntry], SiteFigure | None]
Subject = tuple[str, str, int, str, str]  # machine, package, variant, target and configuration


class PackageResults(Struct):
    """What folders hold of a package: entries by subject, and the machines that they are of."""

    entries: dict[Subject, list[SiteEntry]] = field(default_factory=dict)
    facts: dict[tuple[int, str], SiteMachine] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    warnings: dict[str, None] = field(default_factory=dict)

    @property
    def known(self) -> Known:
        """Return what is known of the machines."""
        return Known(labels(self.facts.values()), {}, self.facts)

    def add(self, folder: Path, name: str) -> None:
        """Read what a folder has of the packages with a name."""

        def meant(cell: StoredCell) -> bool:
            selector, _ = base_name(cell.package.selector)
            self.others.add(selector)
            return selector == name or selector.startswith(f"{name}/")

        number = len({source for source, _ in self.facts})
        with readable(folder) as store:
            found = tuple(own_folders(folder, store, meant, older=True))
        for one in found:
            self.facts[number, one.machine.identity] = one.machine
            self.warnings |= {f"{folder}: {text}.": None for text in one.warnings}
            for cell in one.cells:
                selector, commit = base_name(cell.selector)
                label, _ = base_name(cell.implementation)
                commit = commit or cell.commit
                named = replace(cell, selector=selector, implementation=label, commit=commit)
                if not named.sound:
                    self.failed |= {commit or selector} if named.verdict == "fail" else set()
                    continue
                where = (selector, cell.variant, cell.target, cell.configuration)
                entry = SiteEntry(named, one.machine.identity, number)
                known = self.entries.setdefault((one.machine.identity, *where), [])
                if not any(_same_launches(entry, other) for other in known):
                    known.append(entry)


def _same_launches(one: SiteEntry, other: SiteEntry) -> bool:
    """Return whether two contents of a package have one machine code, which was launched once."""
    return one.source == other.source and one.cell.code == other.cell.code != ""


@click.command(name="history")
@click.argument("package", shell_complete=complete_packages)
@click.argument("where", metavar="[FOLDER]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, metavar="PATTERN",
              help="Show measures that match, such as 'packet/*', in place of the one that ranks;"
              " repeatable.")  # fmt: skip
@click.option("--all", "everything", is_flag=True,
              help="Show every configuration, not the one with most times alone.")  # fmt: skip
@tree_option()
@formats_option(*SHORT)
def command(
    package: str,
    where: tuple[Path, ...],
    metrics: tuple[str, ...],
    everything: bool,
    trees: tuple[Path, ...],
    form: str,
) -> None:
    """Show the results of a package over time, by commit and machine, and the steps in them.

    PACKAGE is a name, or its folder. Results are taken from each FOLDER: results of different
    times, and what was imported into them. Without one they are those of the current folder, and
    of a package in a clone of its repository also what `compare` and `bisect` measured of its
    commits. Times are in the order of their commits if all are known, else as they were measured.

    A step is named with its commit, its size, and how sure it is; the smallest one that would have
    been seen follows from the benchmark's own scatter. What changed of the environment (compiler,
    library, kernel, microcode, the doctor's class) is drawn on the line, and a step there is not
    said to be the code's.
    """
    refuse()
    located = _located(package, trees)
    name = _name(package, trees)
    results = PackageResults()
    listed = _folders(where, located)
    for folder in listed:
        results.add(folder, name)
    dated = _dated(results, located)
    lines = list(_lines(results, metrics, dated, everything=everything))
    if not any(line.history for line in lines):
        raise _nothing(package, name, listed, results, lines)
    print_report(history_report(lines, results.known, dated, _said(results)), form)


def _located(package: str, trees: tuple[Path, ...]) -> Located | None:
    """Return where the package is in a clone of its repository, if it is in one."""
    with suppress(UsageError):
        return locate(package, repository_root(), trees)
    return None


def _name(text: str, trees: tuple[Path, ...]) -> str:
    """Return the name in results of a package whose folder is named; other words as they are."""
    if not Path(text.partition(":")[0]).is_dir():
        return text
    try:
        return named_package(text, trees).selector
    except UsageError:
        return text


def _folders(where: Sequence[Path], located: Located | None) -> tuple[Path, ...]:
    """Return the results folders that are meant; UsageError for one that is none."""
    for one in where:
        if not any((place / FILE_NAME).is_file() for place in folders(one)):
            raise UsageError(f"{one} is no results folder", "Name one that `assay run` made.")
    named = where or [one for one in (Path(),) if (one / FILE_NAME).is_file()]
    found = [one for folder in named for one in folders(folder)]
    if not where and located is not None:
        found += sorted(one.parent for one in history_folder(located).glob(f"*/{FILE_NAME}"))
    return tuple(dict.fromkeys(found))


def _dated(results: PackageResults, located: Located | None) -> dict[str, DatedCommit]:
    """Return what the repository says of the commits of results; nothing of those it lacks."""
    if located is None:
        return {}
    found: dict[str, Revision] = {}
    commits = {one.cell.commit for each in results.entries.values() for one in each}
    for commit in commits - {""}:
        with suppress(UsageError):
            found[commit] = located.repository.revision(commit)
    ordered = located.repository.in_order([one.commit for one in found.values()])
    places = {one: n for n, one in enumerate(ordered)}
    return {
        short: DatedCommit(one.date, one.subject, places[one.commit])
        for short, one in found.items()
    }


def _lines(
    results: PackageResults,
    metrics: Sequence[str],
    dated: dict[str, DatedCommit],
    *,
    everything: bool,
) -> Iterator[Line]:
    """Yield a line for each subject and measure."""
    best: dict[tuple[object, ...], list[SiteEntry]] = {}
    for subject, entries in sorted(results.entries.items()):
        key = subject if everything else subject[:-1]
        if len(entries) > len(best.get(key, ())):
            best[key] = entries
    for entries in best.values():
        by_commit = all(one.cell.commit in dated for one in entries)

        def order(one: SiteEntry, by_commit: bool = by_commit) -> tuple[object, ...]:
            first = dated[one.cell.commit].place if by_commit else 0
            return first, *one.moment

        ordered = tuple(sorted(entries, key=order))
        for choose in _choices(entries, metrics):
            yield Line(ordered, history_of(ordered, results.known, choose), by_commit)


def _choices(entries: Iterable[SiteEntry], metrics: Sequence[str]) -> Iterator[Chosen]:
    """Yield which figure of an entry is meant: the one that ranks, or those that match."""
    if not metrics:
        yield lambda one: one.figure
        return
    known = {(each.measure, each.sizes) for one in entries for each in one.cell.figures}
    for key in sorted(known):
        if any(fnmatchcase(key[0], pattern) for pattern in metrics):

            def choose(one: SiteEntry, key: tuple[str, str] = key) -> SiteFigure | None:
                same = (each for each in one.cell.figures if (each.measure, each.sizes) == key)
                found = next(same, None)
                return found and scaled(one.cell.family, found)

            yield choose


def _said(results: PackageResults) -> Iterator[str]:
    """Yield what a reader must know besides the lines."""
    yield from results.warnings
    if results.failed:
        yield f"Left out, as a check failed: {', '.join(sorted(results.failed))}."


def _nothing(
    package: str, name: str, listed: Sequence[Path], results: PackageResults, lines: Sequence[Line]
) -> UsageError:
    """Explain why there is no history."""
    cure = MEASURE.format(package)
    if not listed:
        return UsageError(f"there are no results of {name} here", f"Name their folders. {cure}")
    measured = [line.entries for line in lines if line.entries]
    if len(measured) > 1:
        each = f"once on each of {len(measured)} machines or configurations"
        return UsageError(f"{name} was measured {each}: a history has two times on one", cure)
    if once := next(iter(measured), ()):
        when = once[-1].cell.commit or once[-1].cell.ended[:16]
        return UsageError(f"{name} was measured once, {when}: a history has two times", cure)
    if lines or results.failed:
        return UsageError(f"no results of {name} have figures: a check failed, or no launch", cure)
    others = ", ".join(sorted(results.others)[:4])
    return UsageError(f"{name} is not in {', '.join(map(str, listed[:4]))}",
                      f"There are {others}." if others else cure)  # fmt: skip
