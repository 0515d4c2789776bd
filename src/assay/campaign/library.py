# SPDX-License-Identifier: MIT
"""What programs in Python call: `import assay`.

They take names as commands do, and return frozen records. Nothing is printed.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.campaign.gathering import checked, measured
from assay.campaign.planning import RunOptions, contest_plan, plan_for, run_plan
from assay.campaign.roots import confined, packages_root, reports_folder, repository_root
from assay.check.depth import Depth, Extent
from assay.check.engine.examine import open_engine
from assay.check.engine.verdict import PackageVerdict, judged
from assay.check.engine.wanted import Wanted, shipped, siblings
from assay.check.kinds import asked_alone
from assay.execute.jail import Jail
from assay.model import Compiler, Package
from assay.model.progress import Progress, Silence
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.plan.choice import compilers_of, listed_configurations
from assay.plan.spread import ConfigurationChoice, Spread
from assay.report.ci.records import CellVerdict, Harvest
from assay.store import Store
from assay.targets.catalogue import catalogue, choose, native

BUBBLEWRAP = "bubblewrap"
Name = str | Path


def check_packages(
    *packages: Name,
    configurations: Sequence[str] = (),
    targets: Sequence[str] = (),
    trees: Sequence[Path] = (),
    deep: bool = False,
    only: Sequence[str] = (),
    jail: str = BUBBLEWRAP,
    patience_seconds: float | None = None,
) -> tuple[CellVerdict, ...]:
    """Build and check packages; return the verdicts on each in each configuration and target.

    Packages are folders, names or patterns. `only` names the checks, or families of them, that
    are asked, and verdicts are then of these. `jail` is `bubblewrap` or `limits`. UsageError for
    a name that means nothing; what does not build or cannot be loaded is a verdict.
    """
    found = resolve(tuple(map(str, packages)), packages_root(), trees=Trees(tuple(trees)))
    places = choose(tuple(targets), catalogue()) if targets else (native(),)
    choice = ConfigurationChoice(reports_folder(repository_root()), tuple(configurations))
    wanted = Wanted(
        Extent(Depth.DEEP if deep else Depth.FULL, only=asked_alone(only)),
        portability=bool(targets),
        outputs=bool(targets) or len(configurations) > 1,
        against={**shipped(found), **siblings(found)},
    )
    verdicts, confining = judge(
        found,
        Spread(places, choice),
        wanted,
        lambda compilers: confined(jail, compilers, patience_seconds),
        Silence(),
    )
    return checked(verdicts, confining).verdicts


def judge(
    found: Sequence[Found],
    spread: Spread,
    wanted: Wanted,
    confining: Callable[[Sequence[Compiler]], Jail],
    progress: Progress,
) -> tuple[tuple[PackageVerdict, ...], Jail]:
    """Build and check packages where they are to be examined; nothing is kept.

    `confining` makes the jail, which is returned, too, for the compilers that work in it.
    """
    places = [(one, spread.places(one) if isinstance(one, Package) else ()) for one in found]
    compilers = [one.compiler for _, each in places for place in each for one in place.recipes]
    jail = confining(compilers)
    with (
        tempfile.TemporaryDirectory(prefix="assay-check-") as folder,
        open_engine(jail, Path(folder), progress, lasting=False) as engine,
    ):
        return tuple(judged(engine, places, wanted)), jail


def run_packages(
    *packages: Name,
    results: Path,
    configurations: Sequence[str] = (),
    trees: Sequence[Path] = (),
    best: int | None = None,
    launches: int | None = None,
    jail: str = BUBBLEWRAP,
) -> Harvest:
    """Build, check and measure packages on this machine; return what the folder has of them.

    The configurations are those that `assay configure` listed, the `best` of them, or those
    named. The same call continues where an interrupted one stopped.
    """
    wanted = RunOptions(
        tuple(map(str, packages)), results, tuple(configurations),
        best=best, launches=launches, trees=tuple(trees), jail_name=jail,
    )  # fmt: skip
    found = resolve(wanted.packages, packages_root(), trees=wanted.listed_trees)
    operations = tuple(one for one in found if one.kind and one.kind.rules.contests)
    others = tuple(one for one in found if one not in operations)
    plans = [(contest_plan(operations, wanted), operations)] if operations else []
    if others:
        listed = listed_configurations(
            reports_folder(repository_root()), wanted.names, shortlist_only=False
        )[:best]
        compilers = compilers_of(listed)
        pairs = [(one, compilers[one.command]) for one in listed]
        plans.append((plan_for(others, wanted, native(), pairs), others))
    for plan, theirs in plans:
        confining = confined(jail, plan.compilers.values(), None)
        run_plan(plan, wanted, theirs, confining, Silence(), ("import assay", *wanted.packages))
    with Store.open(results, read_only=True) as store:
        return measured(store, found, {native().name})


def read_results(results: Path) -> Harvest:
    """Return the verdicts and figures of a results folder."""
    with Store.open(results, read_only=True) as store:
        found = {cell.package.place: cell.package for cell in store.cells()}
        targets = {cell.build.cell.target for cell in store.cells()}
        return measured(store, tuple(found.values()), targets)
