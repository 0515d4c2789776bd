# SPDX-License-Identifier: MIT
"""What checks of object code, headers and memory accesses need besides an agent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from assay.compile.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.counting import Counting
from assay.execute.jail import Jail
from assay.execute.sanitizers import Findings
from assay.execute.valgrind import ValgrindOutput
from assay.model import Build, Target

CountedAgent = tuple[Agent, Counting]
UnderValgrind = Callable[[bool], AbstractContextManager[tuple[Agent, ValgrindOutput]]]
Sanitized = Callable[[bool], AbstractContextManager[tuple[Callable[[], Agent], Findings]]]


@dataclass(frozen=True, slots=True)
class Bench:
    """The recipe of what is on trial, what it became, and the jail to compile further in.

    `counted` launches an agent whose memory accesses and instructions are counted; None
    where the target cannot. `roomy` launches one that may map more than four gigabytes,
    `unsealed` one that may start threads and handle signals.
    `valgrind` launches the package under valgrind, compiled for what valgrind knows; if it is
    asked so, with divisions made visible. `sanitized` gives what launches the package with
    sanitizers, of threads or of memory.
    """

    recipe: Recipe
    build: Build
    jail: Jail
    counted: Callable[[], AbstractContextManager[CountedAgent]] | None = None
    roomy: Callable[[], Agent] | None = None
    unsealed: Callable[[], Agent] | None = None
    valgrind: UnderValgrind | None = None
    sanitized: Sanitized | None = None

    @property
    def target(self) -> Target:
        """Where the code runs."""
        return self.recipe.target
