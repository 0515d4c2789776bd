# SPDX-License-Identifier: MIT
"""An engine for checking alone: agents are thrown away, and measuring does not follow."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from assay.check.engine.examining import Engine
from assay.check.engine.foundry import Company, nobody
from assay.check.engine.lanes import HelperQuestions
from assay.check.engine.workshop import Workshop, open_workshop
from assay.execute.jail import Jail
from assay.machine.helper import SecondProcess, helping
from assay.model import CheckResult, PackageKind
from assay.model.progress import Progress
from assay.store import Store

AGENTS = Path(".assay") / "agents"
MOST = 4  # helpers; as many as processors, since some always wait for a process to start


@contextmanager
def open_engine(
    jail: Jail,
    folder: Path,
    progress: Progress,
    *,
    only: PackageKind | None = None,
    lasting: bool = True,
    tell: Callable[[CheckResult], None] = nobody,
) -> Iterator[Engine]:
    """Open an engine that keeps its results in `folder` and uses all processors.

    If a package of the kind `only` is all that comes, several processes share its checks. Who is
    to `tell` hears of each verdict at once. Results that are not `lasting` go with the command.
    """
    processors = max(1, os.cpu_count() or 1)
    with (
        Store.create(folder, lasting=lasting) as store,
        open_workshop(jail, folder / AGENTS, reuse=True) as workshop,
        _helping(workshop, only) as helpers,
    ):
        workshop.company = Company(helpers, tell)
        yield Engine(workshop, store, processors, progress)


def _helping(
    workshop: Workshop, kind: PackageKind | None
) -> AbstractContextManager[tuple[SecondProcess, ...]]:
    """Lend further processes; none if none is wanted, or there is one processor."""
    processors = os.cpu_count() or 1
    if kind is None or processors == 1:
        return nullcontext(())
    return helping(HelperQuestions(workshop, kind), min(processors, MOST))
