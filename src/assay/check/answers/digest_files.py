# SPDX-License-Identifier: MIT
"""Files of verified vectors of hashes.

Our own format: `out=<bits> len=<bits> msg=<hex or -> md=<hex>` on each line, `#` begins
a comment. KAT files, of the SHA-3 competition and of NIST, have `Len =`, `Msg =`
and `MD =` lines; the length of MD is the size, and without `Len =` the message is
whole bytes. Bits of a last partial byte come first at its top.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from assay.check.answers.texts import blocks, kept_while_unchanged
from assay.errors import VectorFormatError
from assay.package.known import family_of
from assay.package.text import read_vector_text

SHOWN = 60
_LINE = re.compile(
    r"out=(?P<out>\d+) len=(?P<len>\d+) msg=(?P<msg>[0-9a-fA-F]*|-) md=(?P<md>[0-9a-fA-F]+)"
)
_KAT = re.compile(r"(Len|Msg|MD)\s*=")
_HEX = re.compile(r"[0-9a-fA-F]*")
_CURE = "docs/reference/vectors.md shows the formats."


class Vector(Struct, frozen=True):
    """A message of `bits` bits and its digest; `place` is where it stands in the file."""

    out_bits: int
    bits: int
    message: bytes
    digest: bytes
    place: str

    @property
    def whole(self) -> bytes:
        """Return the whole bytes of the message."""
        return self.message[: self.bits // 8]

    @property
    def rest(self) -> tuple[int, int]:
        """Return the last partial byte and how many of its bits count."""
        count = self.bits % 8
        return (self.message[self.bits // 8] if count else 0), count


@kept_while_unchanged
def read_vectors(path: Path) -> tuple[Vector, ...]:
    """Read a file in either format; VectorFormatError names the line that is wrong."""
    lines = read_vector_text(path).removesuffix("\n").split("\n")
    is_kat = any(_KAT.match(line) for line in lines)
    found = tuple((_kat if is_kat else _ours)(lines, path))
    if not found:
        raise VectorFormatError(f"{path} has no vectors", _CURE)
    return found


def read_family(path: Path) -> tuple[Vector, ...]:
    """Read a file and those that belong to it, as the SHA-3 competition has one for each size."""
    return tuple(vector for one in family_of(path) for vector in read_vectors(one))


def _ours(lines: list[str], path: Path) -> Iterator[Vector]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise VectorFormatError(f"{path}:{number} is no vector: {line[:SHOWN]!a}", _CURE)
        message = match["msg"].replace("-", "")
        place = f"{path.name}:{number}"
        yield _vector(place, int(match["out"]), int(match["len"]), message, match["md"])


def _kat(lines: list[str], path: Path) -> Iterator[Vector]:
    """Read a KAT file: all digests have one length, or the file is damaged."""
    size = 0
    for block in blocks((one if _KAT.match(one) else "#" for one in lines), str(path)):
        values, at = block.values, block.lines
        for name, value in values.items():
            if not _HEX.fullmatch(value):
                line = lines[at[name] - 1][:SHOWN]
                raise VectorFormatError(f"{path}:{at[name]} is no number: {line!a}", _CURE)
        if "msg" not in values and "md" in values:
            raise VectorFormatError(f"{path}:{at['md']} has no message", _CURE)
        if "msg" in values and "md" not in values:
            raise VectorFormatError(f"{path}:{at['msg']}: the last message has no digest", _CURE)
        if "md" in values:
            size, message = size or len(values["md"]) * 4, values["msg"]
            stated = values.get("len", "")
            bits = int(stated) if stated.isdecimal() else len(message) * 4
            yield _vector(f"{path.name}:{at['md']}", size, bits, message, values["md"])


def _vector(place: str, out_bits: int, bits: int, message: str, digest: str) -> Vector:
    data = bytes.fromhex(message + "0" * (len(message) % 2))
    odd = not digest or len(digest) % 2
    if len(digest) * 4 != out_bits or odd or len(data) * 8 < bits:
        raise VectorFormatError(
            f"{place}: {len(digest) * 4} bits of digest for a size of {out_bits}, "
            f"{len(data)} bytes of message for {bits} bits",
            "Correct the line.",
        )
    return Vector(out_bits, bits, data, bytes.fromhex(digest), place)
