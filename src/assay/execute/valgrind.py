# SPDX-License-Identifier: MIT
"""Agents under valgrind's memcheck: uses of uninitialised and of secret bytes.

Valgrind writes its report into a file without a name, which it keeps out of reach of
the code that it runs. Secrets are bytes that the agent declares undefined (Langley,
ctgrind, 2010): whatever branches on them, or uses them as an address, is reported.
"""

import os
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct as Layout

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import MachineError
from assay.execute.agent import Agent, AgentError, Buffer, PendingAnswer
from assay.execute.calls import Calls
from assay.execute.disassembly import Disassembly
from assay.execute.jail import LARGE_LIMITS, Jail
from assay.execute.patience import Patience
from assay.execute.pipe import ProcessPipe
from assay.execute.protocol import PayloadReader, Request
from assay.execute.staging import unnamed_file

PATIENCE_SECONDS = 300.0
# A leak is reported once for each way that leads there: HQC's has 644 of them in 3 MB.
LIMITS = replace(LARGE_LIMITS, file_bytes=32 << 20)
MOST_PLACES = 1000  # that are kept, of secrets and of other complaints each
UNWRITTEN = "allocation"  # on the stack or the heap: where bytes come from that nobody wrote
OPTIONS = (
    "-q",
    "--track-origins=yes",
    "--error-limit=no",
    "--partial-loads-ok=yes",  # aligned ones that begin in a buffer, see memory/bounds
    "--num-callers=6",
    "--max-stackframe=16777216",
    "--child-silent-after-fork=yes",
    "--xml=yes",
    # A line in the log for each piece of code that it translates, and nothing of the translation.
    "--trace-flags=00000001",
    "--trace-notbelow=2000000000",
)
UNINITIALISED = "uninitialised"  # what is said of a system call may also be "unaddressable"
# What it says of a vector that is shifted by a secret distance, which takes one time whatever that
# is, and what comes of it stays secret; an address has as many bytes as a pointer (memcheck's
# mc_translate.c).
SHIFTED = "Use of uninitialised value of size 1"
WAITING = "hal_process_asked"  # the agent looks for requests, in its own memory alone
UNKNOWN = "?"
INVALID = ("Invalid read", "Invalid write")
TRANSLATES = "==== SB"
ITS_OWN = re.compile(r"(?:valgrind: |Valgrind's |vex )")
MARKED = Layout("<BIIB")  # a buffer, an offset, a length, and what is done to these bytes
_PROCESS = re.compile(r"^(?:==|--)\d+(?:==|--) ?")
TAIL_BYTES, SHOWN_LINES = 64 << 10, 3
FENCE = 2


@dataclass(frozen=True, slots=True)
class Complaint:
    """One place in the code: what is wrong there, and where the bytes come from.

    `secret` is whether they may have been declared secret: all that is undefined and does
    not come from memory that nobody wrote. `where` is the innermost frames, with source
    lines if the code has them, and `instruction` the first one there that was complained of.
    """

    what: str
    secret: bool
    undefined: bool
    where: tuple[str, ...]
    instruction: str = field(default="", compare=False)

    @property
    def beyond(self) -> bool:
        """Return whether it is about memory that is not the code's to read or write."""
        return self.what.startswith(INVALID)

    @property
    def writes(self) -> bool:
        """Return whether memory is written that is not the code's."""
        return self.what.startswith(INVALID[1])


class ValgrindOutput(Struct):
    """What valgrind has written so far."""

    descriptor: int
    program: Path | None = None
    log: int | None = None

    @property
    def translated(self) -> int:
        """Return what grows when code is met for the first time: bytes of the log of it.

        Code is translated when it is first about to be executed, and told a line each time; what
        the agent executes counts as well, which has met all of its own soon.
        """
        return 0 if self.log is None else os.fstat(self.log).st_size

    def read(self) -> tuple[Complaint, ...]:
        """Return all complaints, each place once; of a report that is cut off the whole ones."""
        size = min(os.fstat(self.descriptor).st_size, LIMITS.file_bytes)
        text = os.pread(self.descriptor, size, 0).decode("utf-8", "replace")
        kept: dict[bool, dict[Complaint, None]] = {True: {}, False: {}}
        shown = Disassembly(self.program).at if self.program else lambda _: ""
        for one in _complaints(text, shown):
            if len(kept[one.secret]) < MOST_PLACES:
                kept[one.secret].setdefault(one)
        return (*kept[True], *kept[False])


def valgrind() -> str:
    """Find valgrind; MachineError with the cure if it is not there."""
    found = shutil.which("valgrind")
    if found is None:
        raise MachineError("valgrind is not installed", "apt-get install valgrind")
    return found


class LoggedPipe(ProcessPipe):
    """An agent under valgrind, whose own last words stand in the log."""

    log: int | None = None

    def close(self) -> str:
        """End the agent and say how it ended, with what valgrind said of itself."""
        account = super().close()
        said = "" if self.log is None else last_words(self.log)
        return f"{account}; valgrind said: {said}" if said else account


def last_words(log: int) -> str:
    """Return what valgrind says of its own end; nothing where it says nothing.

    Only lines that name it count, and what follows the first of them: before that stand figures
    of its memory and stacks of its own functions.
    """
    start = max(0, os.fstat(log).st_size - TAIL_BYTES)
    text = os.pread(log, TAIL_BYTES, start).decode("ascii", "replace")
    lines = [_PROCESS.sub("", one).strip() for one in text.splitlines()]
    lines = [one for one in lines if one and not one.startswith(TRANSLATES)]
    first = next((at for at, one in enumerate(lines) if ITS_OWN.match(one)), len(lines))
    return " ".join(lines[first : first + SHOWN_LINES])


@contextmanager
def under_valgrind(
    agent: Path, jail: Jail, patience: Patience | None = None
) -> Iterator[tuple[Agent, ValgrindOutput]]:
    """Launch an agent of this machine under memcheck."""
    descriptor, log = unnamed_file("assay-memcheck"), unnamed_file("assay-translated")
    try:
        files = f"--xml-fd={descriptor}", f"--log-fd={log}"
        words = [valgrind(), *OPTIONS, *files, str(agent)]
        pipe = LoggedPipe(
            words,
            agent.parent,
            jail,
            LIMITS,
            inherited=(descriptor, log),
            lingers=True,
            calls=Calls.TOOL,
        )
        pipe.log = log
        with Agent(pipe, PATIENCE_SECONDS, patience=patience) as opened:
            yield opened, ValgrindOutput(descriptor, agent, log)
    finally:
        os.close(descriptor)
        os.close(log)


class Marked(Struct, frozen=True):
    """What valgrind knew of bytes before they were marked; looking at it sends what is queued."""

    answer: PendingAnswer

    @property
    def heard(self) -> bool:
        """Return whether valgrind runs the agent, and so heard of it."""
        return bool(PayloadReader(self.answer.data).number(1))

    @property
    def undefined(self) -> int:
        """Return how many of the bytes were undefined, which is how secret ones are known."""
        reader = PayloadReader(self.answer.data)
        reader.number(1)
        return reader.number(4)


def mark(agent: Agent, buffer: Buffer, length: int | None = None, *, secret: bool) -> Marked:
    """Declare the first bytes of a buffer (all by default) secret, or public, later.

    Gives how many of them were undefined before; nothing happens where there is no valgrind.
    """
    length = buffer.size_bytes if length is None else length
    payload = MARKED.pack(buffer.number, 0, length, secret)
    answer = PendingAnswer(agent)
    agent.later(Request.MARK, payload, lambda: f"marking {buffer.label}", answer)
    return Marked(answer)


def fence(agent: Agent, buffer: Buffer, length: int) -> None:
    """Have valgrind complain of what is read or written outside of a buffer's first bytes."""
    payload = MARKED.pack(buffer.number, 0, length, FENCE)
    agent.later(Request.MARK, payload, lambda: f"fencing {buffer.label}")


def _complaints(text: str, shown: Callable[[int], str]) -> Iterator[Complaint]:
    """Read the report error by error: while the agent lives the document has no end."""
    for part in text.split("<error>")[1:]:
        body, end, _ = part.partition("</error>")
        if not end:
            continue
        try:
            element = ET.fromstring(f"<error>{body}</error>")  # noqa: S314 - without a DTD
            waits = any(frame.findtext("fn") == WAITING for frame in element.iter("frame"))
            made = None if waits else _complaint(element, shown)
        except (ET.ParseError, ValueError) as error:  # valgrind's files can be reached by the code
            raise AgentError(f"valgrind's report is damaged: {error}") from None
        if made is not None and not (made.secret and made.what == SHIFTED):
            yield made


def _complaint(error: ET.Element, shown: Callable[[int], str]) -> Complaint:
    kind = error.findtext("kind") or ""
    stacks = error.findall("stack")
    what = error.findtext("what") or error.findtext("xwhat/text") or kind
    origin = error.findtext("auxwhat") or ""
    frames = tuple(map(_frame, stacks[0].findall("frame"))) if stacks else ()
    undefined = kind.startswith("Uninit") or (kind == "SyscallParam" and UNINITIALISED in what)
    secret = undefined and UNWRITTEN not in origin
    place = error.findtext("stack/frame/ip") if secret else None
    instruction = shown(int(place, 16)) if place else ""
    return Complaint(what, secret, undefined, frames[:3], instruction)


def _frame(frame: ET.Element) -> str:
    function, file = frame.findtext("fn") or UNKNOWN, frame.findtext("file")
    line = frame.findtext("line")
    return f"{function} ({file}:{line})" if file and line else function
