# SPDX-License-Identifier: MIT
"""What checks of object code, headers and memory accesses need besides an agent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from assay.build.recipe import Recipe
from assay.execute.agent import Agent
from assay.execute.counting import Counting
from assay.execute.jail import Jail
from assay.execute.memcheck import Report
from assay.model import Build, Target

CountedAgent = tuple[Agent, Counting]
Memchecked = Callable[[], AbstractContextManager[tuple[Agent, Report]]]


@dataclass(frozen=True, slots=True)
class Bench:
    """The recipe of what is on trial, what it became, and the jail to compile further in.

    `counted` launches an agent whose memory accesses and instructions are counted; None
    where the target cannot. `roomy` launches one that may map more than four gigabytes.
    `memchecked` launches the package under valgrind, compiled for what valgrind knows.
    """

    recipe: Recipe
    build: Build
    jail: Jail
    counted: Callable[[], AbstractContextManager[CountedAgent]] | None = None
    roomy: Callable[[], Agent] | None = None
    memchecked: Memchecked | None = None

    @property
    def target(self) -> Target:
        """Where the code runs."""
        return self.recipe.target
