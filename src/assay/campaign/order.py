# SPDX-License-Identifier: MIT
"""In which order cells are worked on, and by how many threads, so that no processor idles.

What takes longest begins first: nobody waits in the end for one slow cell. A thread waits
now and then, for a process to start or an agent to answer, so there are more threads than
processors. While one of them computes, the others get their answers soon.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from assay.build.recipe import Recipe
from assay.model import OperationDetails, Package

# Their functions take a thousand times as long as those of others, for no more code.
SLOW = ("crypto_sign", "crypto_kem", "crypto_encrypt", "crypto_dh", "crypto_scalarmult")
SWITCH_SECONDS = 0.002  # Python's own is 5 ms; a waiting thread wakes as often, which costs, too


def expected(recipe: Recipe) -> tuple[bool, int]:
    """Give what a cell is expected to take, in no unit: more is longer.

    Cells of one package have the same, and keep their order when they are sorted.
    """
    package = recipe.package
    details = package.details
    slow = isinstance(details, OperationDetails) and details.operation in SLOW
    return slow, sum(_bytes(package, source) for source in package.sources)


def _bytes(package: Package, source: str) -> int:
    """Give the size of a source; what cannot be read takes no time."""
    with suppress(OSError):
        return (package.root / source).stat().st_size
    return 0


def threads(workers: int) -> int:
    """Say how many threads keep so many processors busy: one works on its own as before."""
    return workers + workers // 2


@contextmanager
def quick_switches() -> Iterator[None]:
    """Let threads take turns more often, for a while."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
