# SPDX-License-Identifier: MIT
"""Comparing computed vectors with a file: the first difference, readably.

Equality is byte for byte on every value; of the headers only the sizes and the
name count, so that files with an older `Profile:` line, or none, still serve.
A file with every v is compared where it has v; a file that lacks sizes or
vectors covers less, and the outcome says how much.
"""

from dataclasses import dataclass, replace

from assay.check.stream.vectors.inputs import VectorInput
from assay.check.stream.vectors.parse import Combination, Recorded
from assay.check.stream.vectors.produce import Computed
from assay.check.stream.vectors.text import vector_block
from assay.model import SizeChoice


@dataclass(frozen=True, slots=True)
class VectorDifference:
    """The first place where a vector is not what the file says."""

    sizes: SizeChoice
    set_number: int
    number: int
    label: str
    line: int
    expected: bytes
    actual: bytes

    def __str__(self) -> str:
        """Show both values, and mark the first byte that differs."""
        at = first_difference(self.expected, self.actual)
        title = f"Set {self.set_number}, vector# {self.number} (key/IV sizes {self.sizes}), "
        title += f"{self.label}, byte {at}; line {self.line} of the file:"
        expected, actual = _window(self.expected, at), _window(self.actual, at)
        return f"{title}\n  expected {expected}\n    actual {actual}"


def first_difference(one: bytes, other: bytes) -> int:
    """Return the index of the first byte that differs (the shorter's length if none does)."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _window(value: bytes, at: int) -> str:
    """Show the row of 16 bytes around `at`, the byte itself in brackets."""
    start = at // 16 * 16
    row = value[start : start + 16]
    digits = [f"{byte:02X}" for byte in row]
    if at - start < len(digits):
        digits[at - start] = f"[{digits[at - start]}]"
    return (" ".join(digits) or "(nothing)") + (" ..." if len(value) > start + 16 else "")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what was computed the file could confirm."""

    compared: int = 0
    right: int = 0
    not_in_file: int = 0
    only_in_file: int = 0
    difference: VectorDifference | None = None

    def with_outcome(self, difference: VectorDifference | None) -> "Coverage":
        """Count a vector that the file has."""
        first = self.difference or difference
        right = self.right + (difference is None)
        return replace(self, compared=self.compared + 1, right=right, difference=first)

    def with_strangers(self, count: int) -> "Coverage":
        """Count vectors of the file that belong to no set we know for this cipher."""
        return replace(self, only_in_file=count)

    def without_record(self) -> "Coverage":
        """Count a vector that the file lacks."""
        return replace(self, not_in_file=self.not_in_file + 1)


def index(combination: Combination) -> dict[tuple[int, int], Recorded]:
    """Find a combination's vectors by set and number."""
    return {(one.set_number, one.number): one for one in combination.vectors}


def compare_vector(
    sizes: SizeChoice, recorded: Recorded, done: Computed
) -> VectorDifference | None:
    """Compare one vector with its record; both are seen as the file would show them."""
    mac = done.mac.data if done.mac else None
    actual = printed_values(done.vector, done.ciphertext.data, mac)
    for label in dict.fromkeys((*recorded.values, *actual)):
        ours, theirs = actual.get(label, b""), recorded.values.get(label, b"")
        if ours != theirs:
            where = (sizes, recorded.set_number, recorded.number, label, recorded.line)
            return VectorDifference(*where, theirs, ours)
    return None


def printed_values(vector: VectorInput, ciphertext: bytes, mac: bytes | None) -> dict[str, bytes]:
    """Return the labelled values as the file would show them."""
    values: dict[str, bytes] = {}
    label = ""
    for line in vector_block(vector, ciphertext, mac).splitlines()[1:]:
        name, equals, digits = line.partition(" = ")
        label = name.strip() if equals else label
        values[label] = values.get(label, b"") + bytes.fromhex(digits if equals else line)
    return values
