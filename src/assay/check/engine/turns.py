# SPDX-License-Identifier: MIT
"""The turn of one cell: it is built and examined, or waits for the turn that has its code.

Which cell is examined thoroughly, and which one for others with the same code, is decided by
the order of the turns, not by which is ready first.
"""

import time
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Thread

from assay.check.engine.asker import asked_by
from assay.check.engine.cells import Examined, made_with
from assay.check.engine.examination import Examination
from assay.check.engine.retry import built, examined
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import Workshop
from assay.check.kinds import kind_named
from assay.check.patience import unexpected
from assay.compile.recipe import Recipe
from assay.execute.lock import stand_aside, waiting
from assay.fence import ends_all
from assay.model import Build, BuildStage, PackageKind

Coded = frozenset[tuple[str, str]]  # object codes, each with what else went into its agent


@dataclass(slots=True)
class Turn:
    """A recipe, its build and verdicts once they are there, and those of its package before it.

    `known` is a build that the store has without verdicts. `recorded` are the codes of this
    variant on which the store has verdicts: whoever looks after the store settles a turn that
    turns out to be one of them. `brief` is whether a cell that is not asked for now was
    examined before, so that none of these need be examined thoroughly. `seconds` is how long
    its code was examined now, and `settled` whether the store has what came of it.
    """

    recipe: Recipe
    before: "tuple[Turn, ...]" = ()
    known: Build | None = None
    recorded: Coded = frozenset()
    brief: bool = False
    built: "Future[Build]" = field(default_factory=Future)
    examined: "Future[Examination]" = field(default_factory=Future)
    seconds: float | None = None
    settled: bool = False

    @property
    def result(self) -> Examined:
        """Return what came of the cell; what went wrong is raised."""
        return Examined(self.recipe, self.built.result(), self.examined.result())

    def settle(self, build: Build, outcome: Examination) -> None:
        """Know both from the store."""
        if not self.built.done():
            self.built.set_result(build)
        self.examined.set_result(outcome)
        self.settled = True

    def work(self, workshop: Workshop, wanted: Wanted) -> "Turn":
        """Build and examine; what others wait for is set, whatever happens."""
        there, began = workshop.on(self.recipe.target), time.monotonic()
        try:
            if not self.built.done():
                Thread(target=_prepare, args=(self.recipe.package.kind,), daemon=True).start()
                self.built.set_result(self.known or built(there, self.recipe))
            build, building = self.built.result(), time.monotonic() - began
            stand_aside()
            if (build.object_hash, made_with(self.recipe)) in self.recorded:
                return self
            found = self._verdicts(there, build, wanted)
            took = building + (self.seconds or 0.0)  # of its own: not what it waited for
            self.examined.set_result(replace(found, seconds=round(took, 2)))
        except BaseException as error:
            if not ends_all(error):
                return self.failed(error)
            for each in (self.built, self.examined):
                if not each.done():
                    each.set_exception(error)
            raise
        return self

    def failed(self, error: BaseException) -> "Turn":
        """Let what nobody expected be this package's failure, whatever came of it before."""
        check = unexpected(error)
        if self.examined.done():
            self.examined = Future()
        if not self.built.done():
            stopped = Build(self.recipe.cell, BuildStage.COMPILE, None, None, "", "", "", 0.0)
            self.built.set_result(replace(stopped, reason=check.reason, cure=check.cure))
        self.examined.set_result(Examination(None, (check,), seconds=self.seconds))
        return self

    def _verdicts(self, workshop: Workshop, build: Build, wanted: Wanted) -> Examination:
        """Examine the code, or wait for the earlier turn that does."""
        with waiting():
            earlier = [(one, one.built.result()) for one in self.before] if build.ok else []
            twin = next((one for one, other in earlier if _same_code(other, build)), None)
            if twin is not None:
                return twin.examined.result()
        thorough = wanted.thorough_on(self.recipe.target) and not self.brief
        thorough = thorough and not any(other.ok for _, other in earlier)
        began = time.monotonic()
        found = examined(workshop, self.recipe, build, wanted, thorough=thorough)
        self.seconds = time.monotonic() - began
        return found


def _prepare(kind: PackageKind) -> None:
    """Learn what will be asked of a kind, and by whom, while the compiler is waited for."""
    kind_named(kind)
    asked_by(kind)


def _same_code(one: Build, other: Build) -> bool:
    return one.ok and one.object_hash == other.object_hash
