# SPDX-License-Identifier: MIT
"""Where `assay check` keeps its results: for as long as it runs, until it is done, or for good."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum, auto
from pathlib import Path

from assay.errors import UsageError
from assay.machine.cache import cache_folder
from assay.store.alone import working_alone


class Keeping(Enum):
    """How long results are kept."""

    HARDLY = auto()  # a few cells: gone with the command
    UNTIL_DONE = auto()  # the same command goes on where it was interrupted
    FOR_GOOD = auto()  # a summary of many packages names the folder


@contextmanager
def results_folder(keeping: Keeping, question: Iterable[str]) -> Iterator[Path]:
    """Lend the folder for the results of a question; the same question has the same folder."""
    if keeping is Keeping.HARDLY:
        with tempfile.TemporaryDirectory(prefix="assay-check-") as temporary:
            yield Path(temporary)
        return
    name = hashlib.sha256("\0".join(question).encode()).hexdigest()[:16]
    folder = cache_folder() / "checks" / name
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(working_alone(folder))
        except UsageError:
            raise UsageError(
                "the same check is at work already", "Wait until it has ended, or interrupt it."
            ) from None
        yield folder
    if keeping is Keeping.UNTIL_DONE:
        shutil.rmtree(folder, ignore_errors=True)
