# SPDX-License-Identifier: MIT
"""Agents compiled with sanitizers, and what these say of the code and of secrets in it.

AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer (Serebryany et al., 2012
and 2009) write to standard error, which is a file without a name here. Whatever else the
code prints there is no report: it has not the form of one.

MemorySanitizer (Stepanov and Serebryany, 2015) follows undefined bits in the code of the compiler
before the back end, so it meets no instruction that it does not know. It reports branches,
addresses and divisors alike: which are addresses shows a second build that does not look at
these, and which are divisors the division that the line has.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from assay.execute.agent import Agent
from assay.execute.calls import Calls
from assay.execute.disassembly import Disassembly
from assay.execute.jail import LARGE_LIMITS, Jail
from assay.execute.patience import Patience
from assay.execute.pipe import ProcessPipe
from assay.execute.staging import unnamed_file
from assay.execute.valgrind import MOST_PLACES, Complaint

PATIENCE_SECONDS = 120.0
UNLIMITED = (1 << 64) - 1  # of addresses: shadow memory is terabytes of them
LARGEST_REPORT = 8 << 20
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1:handle_segv=0:handle_sigbus=0:"
    "handle_sigfpe=0:handle_sigill=0:handle_abort=0:hard_rss_limit_mb=3072",
    "UBSAN_OPTIONS": "print_stacktrace=0",
    "TSAN_OPTIONS": "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0",
    "MSAN_OPTIONS": "halt_on_error=0:symbolize=0:print_summary=0:stack_trace_format=#%n@%o:"
    "poison_in_malloc=0:poison_in_free=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0",
    "LSAN_OPTIONS": "detect_leaks=0",
}
_UNDEFINED = re.compile(r"^(?P<where>\S+:\d+:\d+): runtime error: (?P<what>.*)$", re.MULTILINE)
_ERROR = re.compile(r"^==\d+==ERROR: AddressSanitizer: (?P<what>\S+)", re.MULTILINE)
_ACCESS = re.compile(r"^(?P<what>(?:READ|WRITE) of size \d+)", re.MULTILINE)
_RACE = re.compile(r"^WARNING: ThreadSanitizer: (?P<what>[^(\n]+)", re.MULTILINE)
_FRAME = re.compile(r"^    #\d+ (?:0x[0-9a-f]+ in )?(?P<who>\S+) (?P<where>\S+)", re.MULTILINE)
BRANCH = "Conditional jump depends on a secret, says MemorySanitizer"
ADDRESS = "Use of an address that depends on a secret, says MemorySanitizer"
DIVISION = "Division by what depends on a secret, says MemorySanitizer"
FRAMES = 3
_REPORT = re.compile(r"^==\d+==WARNING: MemorySanitizer: ", re.MULTILINE)
_SHADOW_FRAME = re.compile(r"^#\d+@0x(?P<at>[0-9a-f]+)$", re.MULTILINE)


class SanitizerReport(Struct, frozen=True):
    """One report: which sanitizer (`address`, `undefined`, `thread`), what, and where."""

    tool: str
    what: str
    where: str


class Findings(Struct):
    """What has been reported so far by all agents of one use."""

    descriptor: int

    @property
    def text(self) -> str:
        """All that was written to standard error."""
        return os.pread(self.descriptor, LARGEST_REPORT, 0).decode("utf-8", "replace")

    def read(self) -> tuple[SanitizerReport, ...]:
        """Return all reports, each place once."""
        return tuple(dict.fromkeys(findings(self.text)))


@contextmanager
def under_sanitizers(
    agent: Path, jail: Jail, patience: Patience | None = None
) -> Iterator[tuple[Callable[[], Agent], Findings]]:
    """Yield a function that launches the agent, and what its launches report."""
    descriptor = unnamed_file("assay-sanitizers")
    limits = structs.replace(LARGE_LIMITS, memory_bytes=UNLIMITED, file_bytes=LARGEST_REPORT)
    settings = [f"{name}={value}" for name, value in SETTINGS.items()]
    shell = ["sh", "-c", f'exec "$0" "$@" 2>>/proc/self/fd/{descriptor}', str(agent)]

    def connect() -> Agent:
        pipe = ProcessPipe(
            ["env", *settings, *shell],
            agent.parent,
            jail,
            limits,
            inherited=(descriptor,),
            calls=Calls.TOOL,
        )
        return Agent(pipe, PATIENCE_SECONDS, patience=patience)

    try:
        yield connect, Findings(descriptor)
    finally:
        os.close(descriptor)


def findings(text: str) -> Iterator[SanitizerReport]:
    """Read reports: of each the kind of error, and the innermost place with a source line."""
    for found in _UNDEFINED.finditer(text):
        yield SanitizerReport("undefined", found["what"], _short(found["where"]))
    for pattern, tool in ((_ERROR, "address"), (_RACE, "thread")):
        starts = [*pattern.finditer(text)]
        ends = [*(one.start() for one in starts[1:]), len(text)]
        for found, end in zip(starts, ends, strict=False):
            body = text[found.end() : end]
            access = _ACCESS.search(body)
            what = found["what"].strip(" :") + (f", {access['what'].lower()}" if access else "")
            yield SanitizerReport(tool, what, _place(body))


def _place(body: str) -> str:
    """Return the first frame of the package: those of the sanitizer's own library come before."""
    frames = [one for one in _FRAME.finditer(body) if "sanitizer" not in one["where"]]
    if not frames:
        return "an unknown place"
    return f"{frames[0]['who']} ({_short(frames[0]['where'])})"


def _short(where: str) -> str:
    """Leave out the folders, which were the jail's."""
    return where.rsplit("/", 1)[-1]


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
            tuple(int(frame["at"], 16) - 1 for frame in _SHADOW_FRAME.finditer(part))[:FRAMES]
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
