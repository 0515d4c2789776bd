# SPDX-License-Identifier: MIT
"""An engine for checking alone: agents are thrown away, and measuring does not follow."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.check.engine.examining import Engine
from assay.check.engine.foundry import Company, nobody
from assay.check.engine.lanes import HelperQuestions
from assay.check.engine.workshop import Workshop, open_workshop
from assay.execute.jail import Jail
from assay.machine.helper import SecondProcess
from assay.model import CheckResult, PackageKind
from assay.model.progress import Progress
from assay.store import Store

AGENTS = Path(".assay") / "agents"


@contextmanager
def open_engine(
    jail: Jail,
    folder: Path,
    progress: Progress,
    *,
    only: PackageKind | None = None,
    tell: Callable[[CheckResult], None] = nobody,
) -> Iterator[Engine]:
    """Open an engine that keeps its results in `folder` and uses all processors.

    If a package of the kind `only` is all that comes, two processes share its checks. Who is to
    `tell` hears of each verdict at once.
    """
    processors = max(1, os.cpu_count() or 1)
    with (
        Store.create(folder) as store,
        open_workshop(jail, folder / AGENTS, reuse=True) as workshop,
        _helping(workshop, only if processors > 1 else None) as helper,
    ):
        workshop.company = Company(helper, tell)
        yield Engine(workshop, store, processors, progress)


@contextmanager
def _helping(workshop: Workshop, kind: PackageKind | None) -> Iterator[SecondProcess | None]:
    """Lend a second process; none if it is not wanted, or there is no memory for it."""
    helper = None
    with suppress(OSError):
        helper = SecondProcess(HelperQuestions(workshop, kind)) if kind else None
    try:
        yield helper
    finally:
        if helper is not None:
            helper.close()
