# SPDX-License-Identifier: MIT
"""How long the agents of one package are waited for in all, by the clock.

Code that sleeps in every call uses no processor time and is never silent for long; without a
limit for all its answers together a check of it would take days. Only waiting for answers
counts, from the start of an agent to its end: neither compiling nor waiting for the machine.
"""

import threading

from assay.execute.protocol import AgentError
from assay.model.kinds import RULES, PackageKind

HURRIED_SECONDS = 60.0  # for one of very many packages, unless it is said how long
LONGEST_SECONDS = max(one.patience_seconds for one in RULES.values())
DEEP_FACTOR = 3  # for valgrind and sanitizers besides
FOREIGN_FACTOR = 3  # for emulators, boards and machines that are far away


class OutOfPatience(AgentError):
    """The agents of a package were waited for as long as they may be."""


class Patience:
    """A number of seconds that all agents of a package share.

    `ended` is how often an answer was not waited for, as nothing was left.
    """

    def __init__(self, seconds: float) -> None:
        """Have so many seconds, none of which is used up."""
        self.seconds = seconds
        self.ended = 0
        self._used = 0.0
        self._lock = threading.Lock()

    @property
    def used(self) -> float:
        """Return how many are used up."""
        return self._used

    @property
    def exhausted(self) -> bool:
        """Return whether they are used up."""
        return self._used >= self.seconds

    def spend(self, seconds: float) -> None:
        """Use up some seconds."""
        with self._lock:
            self._used += seconds

    def until(self, now: float) -> float:
        """Return until when (time.monotonic) may be waited; OutOfPatience if nothing is left."""
        left = self.seconds - self._used
        if left <= 0:
            raise self.error()
        return now + left

    def error(self) -> OutOfPatience:
        """Return what is raised when nothing is left, and count it."""
        self.ended += 1
        cure = (
            f"If the code is right and only slow, allow more: --patience {2 * self.seconds:.0f}."
        )
        return OutOfPatience(
            f"the package used up the {self.seconds:.0f} seconds that its answers may take in all",
            cure,
        )


def seconds_for(kind: str, *, deep: bool = False, native: bool = True) -> float:
    """Return how long the agents of a package of a kind are waited for by default."""
    seconds = PackageKind(kind).rules.patience_seconds if kind else LONGEST_SECONDS
    return seconds * (DEEP_FACTOR if deep else 1) * (1 if native else FOREIGN_FACTOR)
