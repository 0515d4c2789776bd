# SPDX-License-Identifier: MIT
"""Verified vectors of hashes: our own line format, and the KAT files of the SHA-3 competition.

Our own: `out=<bits> len=<bits> msg=<hex or -> md=<hex>` on each line, `#` begins
a comment. A KAT file has `Len =`, `Msg =` and `MD =` lines; the length of MD is
the size. Bits of a last partial byte come first at its top.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.errors import VectorFormatError

_LINE = re.compile(
    r"out=(?P<out>\d+) len=(?P<len>\d+) msg=(?P<msg>[0-9a-fA-F]*|-) md=(?P<md>[0-9a-fA-F]+)"
)
_KAT = re.compile(
    r"^Len\s*=\s*(?P<len>\d+)\s*\nMsg\s*=\s*(?P<msg>[0-9a-fA-F]*)\s*\nMD\s*=\s*(?P<md>[0-9a-fA-F]+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Vector:
    """A message of `bits` bits and its digest; `place` is where it stands in the file."""

    out_bits: int
    bits: int
    message: bytes
    digest: bytes
    place: str

    @property
    def whole(self) -> bytes:
        """Give the whole bytes of the message."""
        return self.message[: self.bits // 8]

    @property
    def rest(self) -> tuple[int, int]:
        """Give the last partial byte and how many of its bits count."""
        count = self.bits % 8
        return (self.message[self.bits // 8] if count else 0), count


@cache
def read_vectors(path: Path) -> tuple[Vector, ...]:
    """Read a file in either format; VectorFormatError names the line that is wrong."""
    text = path.read_text(encoding="ascii", errors="replace")
    found = tuple(_kat(text, path)) if _KAT.search(text) else tuple(_lines(text, path))
    if not found:
        raise VectorFormatError(f"{path} has no vectors", "docs/vectors.md shows the formats.")
    return found


def _kat(text: str, path: Path) -> list[Vector]:
    return [
        _vector(f"{path.name}, Len = {m['len']}", len(m["md"]) * 4, m["len"], m["msg"], m["md"])
        for m in _KAT.finditer(text)
    ]


def _lines(text: str, path: Path) -> list[Vector]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise VectorFormatError(
                f"{path}:{number} is no vector: {line[:60]!a}", "docs/vectors.md shows the form."
            )
        message = match["msg"].replace("-", "")
        found.append(
            _vector(f"{path.name}:{number}", int(match["out"]), match["len"], message, match["md"])
        )
    return found


def _vector(place: str, out_bits: int, bits: str, message: str, digest: str) -> Vector:
    data = bytes.fromhex(message + "0" * (len(message) % 2))
    if len(digest) * 4 != out_bits or len(data) * 8 < int(bits):
        raise VectorFormatError(
            f"{place}: {len(digest) * 4} bits of digest for a size of {out_bits}, "
            f"{len(data)} bytes of message for {bits} bits",
            "Correct the line.",
        )
    return Vector(out_bits, int(bits), data, bytes.fromhex(digest), place)
