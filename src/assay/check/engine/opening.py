# SPDX-License-Identifier: MIT
"""An engine for checking alone: agents are thrown away, and measuring does not follow."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.check.engine.examining import Engine
from assay.check.engine.workshop import open_workshop
from assay.execute.jail import Jail
from assay.model.progress import Progress
from assay.store import Store

AGENTS = Path(".assay") / "agents"


@contextmanager
def open_engine(jail: Jail, folder: Path, progress: Progress) -> Iterator[Engine]:
    """Open an engine that keeps its results in `folder` and uses all processors."""
    with (
        Store.create(folder) as store,
        open_workshop(jail, folder / AGENTS, reuse=True) as workshop,
    ):
        yield Engine(workshop, store, max(1, os.cpu_count() or 1), progress)
