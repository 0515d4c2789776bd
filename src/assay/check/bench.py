# SPDX-License-Identifier: MIT
"""What checks of object code, headers and memory accesses need besides an agent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from assay.compile.recipe import Recipe
from assay.compile.visible import Visible
from assay.execute.agent import Agent
from assay.execute.jail import Jail
from assay.model import Build, Subject, Target

if TYPE_CHECKING:  # deep checks, and emulated targets
    from assay.execute.counting import Counting
    from assay.execute.sanitizers import Findings, ShadowOutput
    from assay.execute.tracing import Tracing
    from assay.execute.valgrind import ValgrindOutput

CountedAgent: TypeAlias = "tuple[Agent, Counting]"
Report: TypeAlias = "ValgrindOutput | ShadowOutput"
ValgrindAgent: TypeAlias = "AbstractContextManager[tuple[Agent, Report]]"
ShadowedAgent: TypeAlias = "AbstractContextManager[tuple[Agent, ShadowOutput]]"
Shadowed = Callable[[bool], ShadowedAgent]
SanitizedAgent: TypeAlias = "AbstractContextManager[tuple[Callable[[], Agent], Findings]]"
Sanitized = Callable[[bool], SanitizedAgent]
Starved = Callable[[], AbstractContextManager[Callable[[], Agent]]]
Traced = Callable[[Visible], "AbstractContextManager[tuple[Agent, Tracing, ShowPlace]]"]
ShowPlace = Callable[[int], tuple[str, str]]
Plain = Callable[[], AbstractContextManager[Agent]]


class NothingVisibleError(Exception):
    """The code has none of the instructions that were to be made visible."""


class UnderValgrind(Protocol):
    """Launches the package under valgrind, compiled for what valgrind knows.

    What memcheck takes no notice of can be made visible; NothingVisibleError if there is none.
    The package is compiled by `other`, a recipe of the same package, if there is one.
    """

    def __call__(self, visible: Visible, other: Recipe | None = None) -> ValgrindAgent:
        """Launch it."""
        ...


class BuiltReference(Struct, frozen=True):
    """Another implementation of the primitive: its name, what launches it, what it says it is."""

    name: str
    connect: Callable[[], Agent]
    subject: Subject


class LongRun(Struct, frozen=True):
    """What a check needs that takes hours: agents with as much time, and a reference.

    `reference` builds it, and lends None where there is none. `record` is the file in which the
    check keeps how far it is, and `reach` hears of it: steps that are done, and all of them.
    `blocks` are the stream's.
    """

    connect: Callable[[], Agent]
    reference: Callable[[], AbstractContextManager[BuiltReference | None]]
    record: Path
    reach: Callable[[int, int], None]
    blocks: int = 1 << 32


class Bench(Struct, frozen=True):
    """The recipe of what is on trial, what it became, and the jail to compile further in.

    `counted` launches an agent whose memory accesses and instructions are counted; None
    where the target cannot. `roomy` launches one that may map more than four gigabytes,
    `unsealed` one that may start threads and handle signals.
    `sanitized` gives what launches the package with sanitizers, of threads or of memory.
    `shadowed` launches it with MemorySanitizer, which looks at addresses, too, or not at them.
    `starved` gives what launches it with allocations that can be made to fail, and `plain`
    launches it on an emulated processor without extensions.
    `large` launches one that may write to more than four gigabytes.
    `guises` launch it as agents are that are timed, and as a user's programs, each with words
    for it.
    `traced` launches one whose instructions and accesses are traced, and says function and line,
    and the instruction, of an address; `lacks` says whether none of the package's instructions are
    of a kind that is made visible.
    `other_recipes` are those of every compiler that is here, at every level. `long` is there
    if the user has hours. `in_pieces` says of a package whose wrapper can cut messages whether
    they give the same in pieces.
    """

    recipe: Recipe
    build: Build
    jail: Jail
    counted: Callable[[], AbstractContextManager[CountedAgent]] | None = None
    roomy: Callable[[], Agent] | None = None
    unsealed: Callable[[], Agent] | None = None
    valgrind: UnderValgrind | None = None
    sanitized: Sanitized | None = None
    shadowed: Shadowed | None = None
    traced: Traced | None = None
    lacks: Callable[[Visible], bool] | None = None
    other_recipes: Callable[[], tuple[Recipe, ...]] = tuple
    starved: Starved | None = None
    plain: Plain | None = None
    large: Callable[[], Agent] | None = None
    guises: tuple[tuple[str, Callable[[], Agent]], ...] = ()
    long: LongRun | None = None
    in_pieces: Callable[..., str] | None = None

    @property
    def target(self) -> Target:
        """Where the code runs."""
        return self.recipe.target
