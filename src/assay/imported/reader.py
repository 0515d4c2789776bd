# SPDX-License-Identifier: MIT
"""Database lines to records: a stream of lines in, a stream of runs out.

Lines about a try name implementation and compiler themselves. Those of a measurement do
not: they follow a heading, `implementation ...` to `compiler ...`, with the same head.
"""

import hashlib
from collections.abc import Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from assay.imported import entries
from assay.imported.values import BadLine, Head, command_of, head_of, split
from assay.model.supercop import Attempt, Fact, Measurement, Record, Run

# A run that is longer is handed on in pieces, so that no file can fill the memory.
RUN_CHARACTERS = 1 << 23
SHOWN = 5
LOG = "+"


class LineTally(Struct):
    """What came of the lines; `shown` are the first bad ones, as `(line number, reason)`."""

    lines: int = 0
    log: int = 0
    bad: int = 0
    shown: list[tuple[int, str]] = field(default_factory=list)

    def complain(self, reason: str) -> None:
        """Count the line just read as a bad one."""
        self.bad += 1
        if len(self.shown) < SHOWN:
            self.shown.append((self.lines, reason))


class _Heading(Struct):
    """What a measurement's heading has said so far."""

    implementation: str = ""
    compiler: str = ""
    counter: str = ""


class LineReader:
    """Reads the lines of one file; `tally` counts them."""

    def __init__(self) -> None:
        """Start with no lines."""
        self.tally = LineTally()
        self._headings: dict[str, _Heading] = {}
        self._run: tuple[str, ...] = ()
        self._records: list[Record] = []
        self._reasons: list[str] = []
        self._digest = hashlib.sha256()
        self._characters = 0

    def runs(self, lines: Iterable[str | None]) -> Iterator[Run]:
        """Yield the runs of all lines (without their ends), in order; None is one too long.

        Bad lines are counted, and reading goes on; a BadLine that `lines` raises is the last.
        """
        try:
            for line in _joined(lines, self.tally):
                if line is None:
                    self.tally.complain("it is too long")
                elif line.startswith(LOG) or not line:
                    self.tally.log += 1
                else:
                    yield from self._read(line)
        except BadLine as why:
            self.tally.complain(str(why))
        yield from self._finish()

    def _read(self, line: str) -> Iterator[Run]:
        """Add one line to the run that it belongs to."""
        try:
            text, key, rest = split(line)
            words = tuple(rest[1:].split(" ")) if rest else ()
            head = head_of(text)
            if key in entries.NAMING:
                implementation, compiler, words = entries.names(key, words)
                run: tuple[str, ...] = (text, implementation, compiler)
                record = self._tried(head, run, key, words)
            else:
                run = (text,)
                record = self._measured(text, head, key, words)
        except BadLine as why:
            self.tally.complain(str(why))
            return
        if run != self._run or key == "implementation" or self._characters > RUN_CHARACTERS:
            yield from self._finish()
        self._run = run
        self._add(line, key, record)

    def _tried(self, head: Head, run: tuple[str, ...], key: str, words: tuple[str, ...]) -> Record:
        """Read a line about a try."""
        source, subject = head.source, head.subject(run[1], command_of(run[2]))
        if key == "tryfails":
            return Attempt(source, subject, key, reason=" ".join(words))
        return entries.tried(source, subject, key, words)

    def _measured(self, text: str, head: Head, key: str, words: tuple[str, ...]) -> Record:
        """Read a line of a measurement or of its heading."""
        if key == "implementation":
            named = words[0] if words and words[0] != "-" else ""
            self._headings[text] = _Heading(named)
        heading = self._headings.setdefault(text, _Heading())
        if key == "compiler" and words:
            heading.compiler = command_of(words[0])
        elif key == "cpucycles_implementation" and words:
            heading.counter = words[0]
        subject = head.subject(heading.implementation, heading.compiler)
        return entries.measured(head.source, subject, key, words, heading.counter)

    def _add(self, line: str, key: str, record: Record) -> None:
        """Put a record into the current run; messages of one failure become one record."""
        self._digest.update(line.encode() + b"\n")
        self._characters += len(line)
        if key == "tryfails" and isinstance(record, Attempt):
            if self._reasons and not record.reason.startswith("error "):
                self._reasons.append(record.reason)
                return
            self._settle()
            self._reasons.append(record.reason)
        else:
            self._settle()
        self._records.append(record)
        if key == "compiler":
            self._name_compiler(record)

    def _settle(self) -> None:
        """Complete the failure that stands last, if one does."""
        if self._reasons and isinstance(last := self._records[-1], Attempt):
            self._records[-1] = replace(last, reason="\n".join(self._reasons))
        self._reasons = []

    def _name_compiler(self, known: Record) -> None:
        """Enter the compiler into the heading's lines before the one that names it."""
        for place, record in enumerate(self._records):
            if isinstance(record, Fact | Measurement) and not record.subject.compiler:
                self._records[place] = replace(record, subject=known.subject)

    def _finish(self) -> Iterator[Run]:
        """Hand on what was collected."""
        if self._records:
            self._settle()
            yield Run(tuple(self._records), self._digest.hexdigest())
        self._records, self._reasons = [], []
        self._digest, self._characters = hashlib.sha256(), 0


def _joined(lines: Iterable[str | None], tally: LineTally) -> Iterator[str | None]:
    """Count lines, and repair those that SUPERCOP's data-run breaks after `try`.

    Versions up to 20260330 at least do so where checksumbig is wrong.
    """
    broken: str | None = None
    for line in lines:
        if broken is not None:
            if line is not None and line.startswith(" "):
                tally.lines += 1
                yield f"{broken} {line.lstrip(' ')}"
                broken = None
                continue
            yield broken
        tally.lines += 1
        broken = None
        if line is not None and line.endswith(" try") and line.count(" ") == 6:
            broken = line
        else:
            yield line
    if broken is not None:
        yield broken
