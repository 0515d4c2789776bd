# SPDX-License-Identifier: MIT
"""Traces: the instructions of a package and of what it calls, and the addresses they access.

QEMU's plugin and the AVR runner write them into a file without a name, as they do counts, and the
bench empties it between requests (harness/counting/counts.h).
"""

import mmap
import os
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.execute.counting import VERSION, Counting
from assay.execute.ranges import AddressRange
from assay.execute.staging import unnamed_file

HEADER = struct.Struct("<4sIQQQ")
USED = struct.Struct("<QQ")
USED_AT = HEADER.size - USED.size
RECORD_BYTES = 8
DECLASSIFY = "crypto_declassify"
MAGIC = b"ASTR"
ROOM = 1 << 25  # records; of what is more there is a digest

Trace = NDArray[np.uint64]


class Tracing(Counting):
    """The trace of one launch, beside its counters."""

    def __init__(self, package: Sequence[AddressRange], agent: Sequence[AddressRange]) -> None:
        """Make an empty trace of a package's code and of what it calls, but for the agent's.

        The function by which packages make bytes public is not left out: it shows them.
        """
        super().__init__((*package, *(one for one in agent if one.name != DECLASSIFY)))
        self._first_of_agent = 1 + len(package)
        self._package = _bounds(package)
        self._declassify = _bounds([one for one in agent if one.name == DECLASSIFY])
        size = HEADER.size + ROOM * RECORD_BYTES
        head = HEADER.pack(MAGIC, VERSION, ROOM, 0, 0)
        self._trace = unnamed_file("assay-trace", head, fixed=False)
        os.ftruncate(self._trace, size)
        self._records = mmap.mmap(self._trace, size)

    def close(self) -> None:
        """Release the memory."""
        super().close()
        self._records.close()
        os.close(self._trace)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that the emulator has to inherit, under the same numbers."""
        return (*super().descriptors, self._trace)

    def plugin_words(self, folder: Path) -> list[str]:
        """Return what to insert behind qemu's name; the plugin is copied into `folder`."""
        *words, last = super().plugin_words(folder)
        return [*words, f"{last},trace=fd:{self._trace},agent={self._first_of_agent}"]

    def simavr_words(self, program: Path, folder: Path, *options: str) -> list[str]:
        """Return the command that runs an AVR program; the runner is copied into `folder`."""
        traced = ("--trace", f"fd:{self._trace}", "--agent", str(self._first_of_agent))
        return super().simavr_words(program, folder, *options, *traced)

    def begin(self) -> None:
        """Empty the trace. Between an answer and the next request nothing is written to it."""
        self._records[USED_AT : HEADER.size] = USED.pack(0, 0)

    def taken(self) -> tuple[Trace, int]:
        """Return the trace since it was emptied, and a digest of the rest; 0 if there is none."""
        used, rest = USED.unpack(self._records[USED_AT : HEADER.size])
        end = HEADER.size + min(used, ROOM) * RECORD_BYTES
        return np.frombuffer(self._records[HEADER.size : end], np.uint64), rest

    def of_package(self, addresses: Trace) -> NDArray[np.bool_]:
        """Return which addresses are of the package's own code, and not of what it calls."""
        return _within(addresses, *self._package)

    def of_declassify(self, addresses: Trace) -> NDArray[np.bool_]:
        """Return which addresses are of the function that shows what is made public."""
        return _within(addresses, *self._declassify)


def _bounds(ranges: Sequence[AddressRange]) -> tuple[Trace, Trace]:
    """Return where ranges start and end; they are in order."""
    starts, ends = ([one.start for one in ranges], [one.end for one in ranges])
    return np.array(starts, np.uint64), np.array(ends, np.uint64)


def _within(addresses: Trace, starts: Trace, ends: Trace) -> NDArray[np.bool_]:
    if not starts.size:
        return np.zeros(len(addresses), np.bool_)
    at = np.searchsorted(starts, addresses, side="right")
    inside: NDArray[np.bool_] = (at > 0) & (addresses < ends[np.maximum(at, 1) - 1])
    return inside
