# SPDX-License-Identifier: MIT
"""Agents compiled by clang with MemorySanitizer, and what it says of secrets.

MemorySanitizer (Stepanov and Serebryany, 2015) follows undefined bits in the code of the compiler
before the back end, so it meets no instruction that it does not know. It reports branches,
addresses and divisors alike: which are addresses shows a second build that does not look at
these, and which are divisors the division that the line has.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from assay.execute.agent import Agent
from assay.execute.disassembly import Disassembly
from assay.execute.jail import Jail
from assay.execute.patience import Patience
from assay.execute.sanitizers import Findings, under_sanitizers
from assay.execute.valgrind import MOST_PLACES, Complaint

BRANCH = "Conditional jump depends on a secret, says MemorySanitizer"
ADDRESS = "Use of an address that depends on a secret, says MemorySanitizer"
DIVISION = "Division by what depends on a secret, says MemorySanitizer"
FRAMES = 3
_REPORT = re.compile(r"^==\d+==WARNING: MemorySanitizer: ", re.MULTILINE)
_FRAME = re.compile(r"^#\d+@0x(?P<at>[0-9a-f]+)$", re.MULTILINE)


class ShadowOutput(Struct, frozen=True):
    """What MemorySanitizer has written so far of an agent."""

    findings: Findings
    program: Path

    @property
    def translated(self) -> int:
        """Return what grows when code of the package is met for the first time: a byte each."""
        return os.fstat(self.findings.descriptor).st_size

    def read(self) -> tuple[Complaint, ...]:
        """Return all places, as often as the code has them; as branches, or as divisions."""
        stacks = [
            tuple(int(frame["at"], 16) - 1 for frame in _FRAME.finditer(part))[:FRAMES]
            for part in _REPORT.split(self.findings.text)[1:]
        ]
        shown = Disassembly(self.program)
        every = sorted({at for stack in stacks for at in stack})
        lines = shown.lines_of(every)
        divides = shown.dividing_lines
        return tuple(_complaint([lines[at] for at in stack], divides) for stack in stacks if stack)


def _complaint(stack: Iterable[Sequence[str]], divides: frozenset[str]) -> Complaint:
    """Make a complaint of the frames of calls, each with those of calls that were inlined."""
    where = tuple(frame for frames in stack for frame in frames)[:FRAMES]
    what = DIVISION if where[0] in divides else BRANCH
    return Complaint(what, True, True, where)


@contextmanager
def under_memory_sanitizer(
    agent: Path, jail: Jail, patience: Patience | None = None
) -> Iterator[tuple[Agent, ShadowOutput]]:
    """Launch an agent that was compiled so."""
    with under_sanitizers(agent, jail, patience) as (connect, findings), connect() as opened:
        yield opened, ShadowOutput(findings, agent)


def told_apart(every: Iterable[Complaint], others: Iterable[Complaint]) -> Iterator[Complaint]:
    """Yield each place once and for each kind; `others` are of a build that sees no addresses.

    What is there less often than in `every` is an address.
    """
    left = Counter(one.where[0] for one in others)
    known: dict[tuple[str, str], None] = {}
    for one in every:
        place = one.where[0]
        left[place] -= 1
        found = one if left[place] >= 0 else replace(one, what=ADDRESS)
        if (found.what, place) not in known and len(known) < MOST_PLACES:
            known[found.what, place] = None
            yield found
