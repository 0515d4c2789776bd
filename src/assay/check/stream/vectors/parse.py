# SPDX-License-Identifier: MIT
"""Reading vector files: today's, and the older forms seen in the wild.

Older ones have no Profile line, or a `Preferred block length` line, or every v
instead of every ninth (docs/reference/vectors.md). Damage is reported with its
line.
"""

import re
from dataclasses import dataclass, field
from io import StringIO

from assay.errors import VectorFormatError
from assay.model import SizeChoice

HEADER = re.compile(r"(Primitive Name|Profile|Key size|IV size|MAC size|Preferred block length): ")
SET = re.compile(r"Test vectors -- set (\d+)$")
VECTOR = re.compile(r"Set (\d+), vector# *(\d+):$")
DATA = re.compile(r" *(\S+) = ([0-9A-Fa-f]*)$")
MORE = re.compile(r" +([0-9A-Fa-f]+)$")
NOISE = re.compile(r"$|[*=]+$|\*.*\*$|\(stream is generated")
END = "End of test vectors"


@dataclass(slots=True)
class Recorded:
    """One vector as a file has it: label to bytes, in the file's order."""

    set_number: int
    number: int
    line: int
    values: dict[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Combination:
    """One size combination of a file. `profile` is None in files without that line."""

    name: str
    line: int
    profile: str | None = None
    key_bits: int = 0
    iv_bits: int = 0
    mac_bits: int | None = None
    vectors: list[Recorded] = field(default_factory=list)
    ended: bool = False

    @property
    def sizes(self) -> SizeChoice:
        """The sizes that its headers state."""
        return SizeChoice(self.key_bits, self.iv_bits, self.mac_bits)


def parse(text: str) -> list[Combination]:
    """Read a whole file; VectorFormatError names the line that is damaged or missing."""
    reader = _FileReader()
    for number, line in enumerate(StringIO(text, newline="\n"), 1):
        reader.take(line.rstrip("\r\n"), number)
    reader.finish()
    return reader.combinations


class _FileReader:
    def __init__(self) -> None:
        self.combinations: list[Combination] = []
        self._label: str | None = None
        self._last_line = 0

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        self._last_line = number
        more = MORE.match(line)
        if more and self._label is not None:
            self._vector(number).values[self._label] += self._hex(more[1], number)
            return
        self._label = None
        data, vector = DATA.match(line), VECTOR.match(line)
        if HEADER.match(line):
            self._header(line, number)
        elif vector:
            self._open(number).vectors.append(Recorded(int(vector[1]), int(vector[2]), number))
        elif data:
            self._label = data[1]
            self._vector(number).values[data[1]] = self._hex(data[2], number)
        elif line == END:
            self._open(number).ended = True
        elif not NOISE.match(line) and not SET.match(line):
            raise VectorFormatError(
                f"line {number} is no part of a vector file: {line[:60]!r}", "Restore the file."
            )

    def finish(self) -> None:
        """Look at how the file ended."""
        if not self.combinations:
            raise VectorFormatError("no test vectors in the file", "Is it a vector file?")
        last = self.combinations[-1]
        if not last.ended:
            where = ""
            if last.vectors:
                where = f" after set {last.vectors[-1].set_number}, "
                where += f"vector# {last.vectors[-1].number}"
            raise VectorFormatError(
                f"the file is cut short at line {self._last_line}{where}: "
                f"{END!r} is missing for {last.sizes}",
                "Restore the file, or make it again (assay vectors PACKAGE -o FILE).",
            )

    def _header(self, line: str, number: int) -> None:
        label, _, value = line.partition(": ")
        if label == "Primitive Name":
            if self.combinations and not self.combinations[-1].ended:
                raise VectorFormatError(
                    f"line {number} begins new sizes before the last ones ended", "Restore it."
                )
            self.combinations.append(Combination(value, number))
            return
        current = self._open(number)
        if label == "Profile":
            current.profile = value
        elif label.endswith("size"):
            bits = value.removesuffix(" bits")
            if not bits.isdecimal():
                raise VectorFormatError(f"line {number} has no size: {line!r}", "Restore it.")
            setattr(current, f"{label.split()[0].lower()}_bits", int(bits))

    def _open(self, number: int) -> Combination:
        if not self.combinations:
            raise VectorFormatError(
                f"line {number} comes before any `Primitive Name:`", "Restore the file."
            )
        return self.combinations[-1]

    def _vector(self, number: int) -> Recorded:
        combination = self._open(number)
        if not combination.vectors:
            raise VectorFormatError(f"line {number} belongs to no vector", "Restore the file.")
        return combination.vectors[-1]

    def _hex(self, digits: str, number: int) -> bytes:
        if len(digits) % 2:
            raise VectorFormatError(
                f"line {number} has an odd number of digits", "Restore the file."
            )
        return bytes.fromhex(digits)
