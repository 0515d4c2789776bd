# SPDX-License-Identifier: MIT
"""Which instruction stands at an address of an agent that an instrument complains of."""

import re
import subprocess
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

SECONDS = 60
OF_LIBRARIES = (
    "__interceptor_",
    "__wrap_",
)  # what stands before their names where they are watched
PIE_BASE = 0x108000  # where valgrind loads a program whose first address is 0
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*?)\s*$", re.MULTILINE)
_DIVIDES = re.compile(r"^\s*[0-9a-f]+:\s+(?:v?i?div|call.*<__u?(?:div|mod))")
_REMARK = re.compile(r"\s+(?:#|//|@)\s.*$")  # `#1` is a number on Arm


class Disassembly:
    """The instructions of a program, by address; none without objdump."""

    def __init__(self, program: Path, prefix: str = "") -> None:
        """Read nothing yet; binutils of another machine's programs have a `prefix`."""
        self._program, self._prefix = program, prefix

    def at(self, address: int) -> str:
        """Return the instruction at an address of the running program; empty if there is none."""
        there = self._instructions
        return there.get(address, "") or there.get(address - PIE_BASE, "")

    @cached_property
    def listing(self) -> str:
        """All of it, as objdump prints it."""
        return self._said("objdump", "-d", "--no-show-raw-insn", str(self._program))

    def lacks(self, instructions: str) -> bool:
        """Return whether there is code, and none of it is what a regular expression says."""
        said = (text for _, text in _LINE.findall(self.listing))
        wanted = re.compile(f"(?:{instructions})" if instructions else "(?!)")
        return bool(self.listing) and not any(map(wanted.match, said))

    def line_of(self, address: int) -> str:
        """Return the function at an address, with the source line if that is known."""
        said = self._said("addr2line", "-C", "-f", "-e", str(self._program), hex(address))
        function, _, place = said.strip().partition("\n")
        return _shown(function, place) or hex(address)

    def lines_of(self, addresses: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return of each address the function with its line, and those it was inlined into."""
        words = ("-a", "-C", "-f", "-i", "-e", str(self._program), *map(hex, addresses))
        parts = re.split(r"^0x[0-9a-f]+\n", self._said("addr2line", *words), flags=re.MULTILINE)
        each = [part.splitlines() for part in parts[1:]] or [[]] * len(addresses)
        return {
            at: tuple(map(_shown, lines[::2], lines[1::2])) or (hex(at),)
            for at, lines in zip(addresses, each, strict=True)
        }

    @property
    def dividing_lines(self) -> frozenset[str]:
        """Return the places, as `lines_of` names them, with an integer division."""
        found = (line.split(":")[0] for line in self.listing.splitlines() if _DIVIDES.match(line))
        addresses = [int(one, 16) for one in found]
        return frozenset(one[0] for one in self.lines_of(addresses).values())

    def _said(self, tool: str, *words: str) -> str:
        try:
            done = subprocess.run(
                [self._prefix + tool, *words],
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout

    @cached_property
    def _instructions(self) -> dict[int, str]:
        return {
            int(at, 16): " ".join(_REMARK.sub("", text).split())
            for at, text in _LINE.findall(self.listing)
        }


def _shown(function: str, place: str) -> str:
    """Return a function with its source line, if that is known, as addr2line says them."""
    if function.startswith(OF_LIBRARIES):
        return re.sub(f"^(?:{'|'.join(OF_LIBRARIES)})", "", function)
    function = re.sub(r"\([^()]*\)(?: const)?$", "", function)  # of C++, as valgrind does
    file, _, line = place.rpartition("/")[2].partition(":")
    number = line.partition(" ")[0]
    return f"{function} ({file}:{number})" if number.isdecimal() else function
