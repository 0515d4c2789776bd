# SPDX-License-Identifier: MIT
"""Published tables of measurements on microcontrollers to records: pqm4's and NIST's.

pqm4's `benchmarks.csv` has the mean, the least and the largest of some executions, which stand
for median and quartiles. A file `BOARD-aead-summary.csv` of NIST's benchmarking of lightweight
cryptography has one median, in microseconds or cycles as the board's timer has it; microseconds
become cycles of the board's clock.
"""

import csv
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field

from assay.imported.reader import LineTally
from assay.imported.values import NAME, BadLine, number
from assay.model.operation import Op
from assay.model.supercop import Measurement, ObjectSize, Record, Run, Source, Subject

PQM4_FIRST = "Speed Evaluation"
NIST_FIRST = "submission,variant,primary,implementation,config,flash,"
PQM4_BOARD = ("nucleo-l4r5zi", "cortex-m4")
SIGNED_BYTES = 59  # the message of pqm4's program `speed`
SCHEMES = {"Key Encapsulation Schemes": Op.KEM, "Signature Schemes": Op.SIGN}
FUNCTIONS: dict[str, tuple[str, ...]] = {
    Op.KEM: ("keypair", "enc", "dec"),
    Op.SIGN: ("keypair", "", "open"),
}
EXECUTIONS = re.compile(r"(.+?)(?: \(([0-9]{1,9}) executions\))?")
COLUMN = re.compile(r"(?:(enc|dec)\(([0-9]{1,6}):|h\()([0-9]{1,6})\)")
CYCLES = {"enc": "encrypt_cycles", "dec": "decrypt_cycles", None: "cycles"}
SUMMARY = re.compile(r"([a-zA-Z0-9_]+)-(aead|hash)-summary\.csv(?:\.gz)?")
REFERENCES = {"aes-gcm": "aes128gcmv1"}  # by SUPERCOP's name
DATA = 1_000_000  # SUPERCOP's sizes have the length of associated data above this
NONE = "-"
# Processor, and the clock in MHz where the timer has microseconds.
BOARDS = {
    "uno": ("avr5", 16),
    "nano_every": ("avrxmega3", 16),
    "mkrzero": ("cortex-m0plus", 1),
    "nano33ble": ("cortex-m4", 1),
    "dueUSB": ("cortex-m3", 84),
    "chipkit_uc32": ("mips32r2", 80),
    "chipkit_mx3": ("mips32r2", 80),
    "nodemcuv2": ("lx106", 1),
}


Read = Callable[[Sequence[str]], list[Record]]  # of the cells of a row; BadLine for what is none


class TableReader:
    """Reads the lines of one published table; `tally` counts them, as a LineReader's does."""

    def __init__(self, name: str, read: Read) -> None:
        """Read a file of a name."""
        self.tally = LineTally()
        self._name, self._row = name, read

    def runs(self, lines: Iterable[str | None]) -> Iterator[Run]:
        """Yield a run for each row; bad ones are counted, and reading goes on."""
        try:
            for line in lines:
                self.tally.lines += 1
                yield from self._run(line)
        except BadLine as why:  # the file is damaged here
            self.tally.complain(str(why))

    def _run(self, line: str | None) -> Iterator[Run]:
        try:
            if line is None:
                raise BadLine("it is too long")
            found = self._row(next(csv.reader([line]), []))
        except (BadLine, csv.Error) as why:
            self.tally.complain(str(why))
            return
        if found:
            about = f"{self._name}\n{found}"
            yield Run(tuple(found), hashlib.sha256(about.encode()).hexdigest())


def table_reader(name: str, first: str, date: str) -> TableReader | None:
    """Return a reader for a file by its name, its first line and its day; None for others."""
    if first.startswith(PQM4_FIRST):
        return TableReader(name, _Pqm4(Source(*PQM4_BOARD, date, "pqm4")).read)
    if not first.startswith(NIST_FIRST):
        return None
    found = SUMMARY.fullmatch(name)
    if found is None or found[1] not in BOARDS:
        return TableReader(name, _unnamed)
    abi, clock = BOARDS[found[1]]
    return TableReader(name, _Lightweight(Source(found[1], abi, date, "nist-lwc"), clock).read)


class _Pqm4(Struct):
    """Sections (speed, memory, hashing, size), in each of them KEMs and signatures."""

    source: Source
    section: str = ""
    operation: str = ""

    def read(self, cells: Sequence[str]) -> list[Record]:
        """Return what a row says; those of shares of hashing are read past."""
        first = cells[0] if cells else ""
        if first.endswith(" Evaluation"):
            self.section, self.operation = first.partition(" ")[0], ""
        elif first in SCHEMES:
            self.operation = SCHEMES[first]
        elif first and first != "Scheme":
            if not self.operation:
                raise BadLine("a row without a heading")
            return self._row(first, cells)
        return []

    def _row(self, first: str, cells: Sequence[str]) -> list[Record]:
        scheme, executions = _matched(EXECUTIONS, first).groups()
        primitive = re.sub(r"^ml-(kem|dsa)-", r"ml\1", scheme)
        subject = _subject(self.operation, primitive, cells[1] if len(cells) > 1 else "", "")
        values = [one for one in cells[2:] if one]
        names = FUNCTIONS[self.operation]
        if self.section == "Size":
            text, data, bss = map(number, values[:3])
            return [ObjectSize(self.source, subject, text, data, bss, "all.o")]
        if self.section == "Speed" and len(values) == 3 * len(names):
            launches = int(executions) if executions else None
            return [
                self._cycles(
                    subject, name, tuple(map(number, values[3 * at : 3 * at + 3])), launches
                )
                for at, name in enumerate(names)
            ]
        if self.section == "Memory" and len(values) == len(names):
            return [
                _one(self.source, subject, _key(name, "stack_bytes"), None, number(value), "bytes")
                for name, value in zip(names, values, strict=True)
            ]
        if self.section == "Hashing":
            return []
        raise BadLine(f"{len(values)} values, in a table of {self.section.lower()}")

    def _cycles(
        self, subject: Subject, name: str, found: tuple[int, ...], launches: int | None
    ) -> Measurement:
        """Take mean, least and largest for median and quartiles."""
        mean, least, most = found
        size = None if subject.operation == Op.KEM or name == "keypair" else SIGNED_BYTES
        key = _key(name, "cycles")
        return Measurement(
            *(self.source, subject, key, size, least, mean, most, "cycles", (mean,), launches)
        )


class _Lightweight(Struct):
    """One heading, and a row for each implementation and level of optimisation."""

    source: Source
    clock_mhz: int
    columns: list[tuple[int, str, int]] = field(default_factory=list)

    def read(self, cells: Sequence[str]) -> list[Record]:
        """Return what a row says: flash, and what it took for each length."""
        if ",".join(cells).startswith(NIST_FIRST):
            found = ((at, COLUMN.fullmatch(name)) for at, name in enumerate(cells))
            self.columns = [
                (at, CYCLES[one[1]], DATA * int(one[2] or 0) + int(one[3]))
                for at, one in found
                if one
            ]
            return []
        if len(cells) < 6 or not self.columns or len(cells) <= self.columns[-1][0]:
            raise BadLine(f"{len(cells)} cells, fewer than the heading has")
        operation = Op.HASH if self.columns[0][1] == "cycles" else Op.AEAD
        primitive = REFERENCES.get(cells[1], cells[1])
        subject = _subject(operation, primitive, cells[3], f"-{cells[4].capitalize()}")
        flash = ObjectSize(self.source, subject, number(cells[5]), 0, 0, "flash.o")
        timed = [(key, size, cells[at]) for at, key, size in self.columns if cells[at] != NONE]
        return [flash, *(self._cycles(subject, *one) for one in timed)]

    def _cycles(self, subject: Subject, key: str, size: int, value: str) -> Measurement:
        return _one(self.source, subject, key, size, number(value) * self.clock_mhz, "cycles")


def _unnamed(cells: Sequence[str]) -> list[Record]:
    """Raise BadLine: the name of a table of NIST's does not say what its numbers are."""
    raise BadLine(
        f"of {len(cells)} cells the unit is unknown: name the file BOARD-aead-summary.csv or "
        f"BOARD-hash-summary.csv as published; boards: {', '.join(BOARDS)}"
    )


def _key(function: str, what: str) -> str:
    return f"{function}_{what}" if function else what


def _one(
    source: Source, subject: Subject, key: str, size: int | None, value: int, unit: str
) -> Measurement:
    return Measurement(source, subject, key, size, value, value, value, unit, (value,), None)


def _subject(operation: str, primitive: str, implementation: str, compiler: str) -> Subject:
    for what, word in {"primitive": primitive, "implementation": implementation}.items():
        if not NAME.fullmatch(word):
            raise BadLine(f"{word[:40]!r} is no name of a {what}")
    place = f"{operation}/{primitive}/{implementation}"
    return Subject(operation, primitive, "", place, compiler)


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise BadLine(f"{text[:40]!r} is no name of a scheme")
    return found
