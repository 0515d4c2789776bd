# SPDX-License-Identifier: MIT
"""What came of a package: the one stream that all forms of `check` show."""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from assay.check.engine.cells import Examined
from assay.check.engine.examination import LOADS, Examination
from assay.check.engine.examining import Engine
from assay.check.engine.portability import TargetStanding, explained, standing
from assay.check.engine.wanted import Wanted
from assay.model import BrokenPackage, CheckResult, Package, Verdict
from assay.package.discover import Found
from assay.plan.spread import TargetCells
from assay.store import Store

Located = tuple[Found, tuple[TargetCells, ...]]  # a package, and where it is examined


@dataclass(frozen=True, slots=True)
class Judged:
    """A package, and what came of it on each target; `unloadable` if it could not be loaded."""

    found: Found
    standings: tuple[TargetStanding, ...] = ()
    unloadable: Examination | None = None

    @property
    def outcomes(self) -> tuple[Examination, ...]:
        """Return the outcomes of all cells."""
        if self.unloadable is not None:
            return (self.unloadable,)
        return tuple(row.outcome for each in self.standings for row in each.rows)

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """Return the verdicts of all cells."""
        return tuple(check for one in self.outcomes for check in one.checks)

    @property
    def seconds(self) -> float:
        """Return how long all cells took, as far as is known."""
        return sum(one.seconds or 0.0 for one in self.outcomes)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Return a verdict for each target."""
        if self.unloadable is not None:
            return (self.unloadable.verdict,)
        return tuple(each.verdict for each in self.standings)


def unloadable(broken: BrokenPackage) -> Examination:
    """Return the verdict on a package that cannot be loaded: a failed check."""
    return Examination(None, (CheckResult(LOADS, Verdict.FAIL, broken.reason, broken.cure),))


def judged(engine: Engine, asked: Iterable[Located], wanted: Wanted) -> Generator[Judged]:
    """Examine packages in their places; yield each as soon as those before it are done."""
    listed = tuple(asked)
    recall(engine.store, (found for found, _ in listed))
    recipes = (one for _, places in listed for place in places for one in place.recipes)
    stream = engine.examine(recipes, wanted)
    for found, places in listed:
        if isinstance(found, BrokenPackage):
            yield Judged(found, unloadable=unloadable(found))
            continue
        rows = [islice(stream, len(place.recipes)) for place in places]
        each = _agreed(engine, [tuple(one) for one in rows], wanted)
        yield Judged(found, explained(map(standing, places, each)))


def _agreed(
    engine: Engine, rows: Sequence[Sequence[Examined]], wanted: Wanted
) -> list[Sequence[Examined]]:
    """Add to the cells of a package, target by target, what their comparison says."""
    if not wanted.outputs:
        return list(rows)
    from assay.check.engine.agreeing import Agreeing  # noqa: PLC0415 - for several cells alone

    compared = iter(Agreeing(engine.workshop).shown([one for each in rows for one in each]))
    return [tuple(islice(compared, len(each))) for each in rows]


def recall(store: Store, packages: Iterable[Found]) -> None:
    """Record packages as last seen, so that what the store has of older contents is not used."""
    for one in packages:
        if isinstance(one, Package):
            store.put_package(one)
        else:
            store.put_broken_package(one)
