# SPDX-License-Identifier: MIT
"""Programs: all chunks of the checksum tests of one operation with given constants.

A program is the same for every implementation with the same settings, and so is the
answer of every one that is right.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator

from assay.check.supercop.maker import Chunk, Maker
from assay.check.supercop.native import engine
from assay.check.supercop.plans import lay_out
from assay.check.supercop.settings import ProgramSettings

UNIT_BYTES = 400  # about what a call takes in memory besides its script
KEPT_BYTES = 144 << 20  # of one program
ALL_KEPT_BYTES = 224 << 20
KNOWN = 4096  # answers known to be right, of one program
PROGRAMS = 64


class Program:
    """A program, its chunks, and which answers to them are known to be right.

    Short programs keep their chunks. Long ones, and those that one slow code is asked, make
    them anew each time.
    """

    def __init__(self, settings: ProgramSettings) -> None:
        """Make nothing yet."""
        self.settings = settings
        self.kept: tuple[Chunk, ...] | None = None
        self.kept_bytes = 0
        self.known: dict[tuple[int, bytes, bytes], bytes] = {}

    @property
    def rooms(self) -> tuple[int, int]:
        """Return the sizes of both buffers in bytes."""
        longest = (self.settings.longest,) * self.settings.task.drawn
        return lay_out(self.settings, self.settings.lengths(longest)).sizes

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks in order."""
        kept = self.kept
        if kept is not None:
            yield from kept
            return
        made: list[Chunk] | None = None if self.settings.after else []
        total = 0
        maker = Maker(self.settings, engine())
        for chunk in maker.chunks():
            total += len(chunk.payload) + UNIT_BYTES * len(chunk.units)
            made = made if total + maker.plan_bytes <= KEPT_BYTES else None
            if made is not None:
                made.append(chunk)
            yield chunk
        if made is not None:
            self.keep(tuple(made), total + maker.plan_bytes)

    def keep(self, chunks: tuple[Chunk, ...], size_bytes: int) -> None:
        """Keep all chunks, which need so much memory; older programs may lose theirs."""
        self.kept, self.kept_bytes = chunks, size_bytes
        make_room(self)

    def lose(self) -> None:
        """Let go of the chunks."""
        self.kept, self.kept_bytes = None, 0

    def remember(self, key: tuple[int, bytes, bytes], state: bytes) -> None:
        """Note the state of the checksum after a chunk whose answer was right."""
        with _guard:
            if len(self.known) >= KNOWN:
                self.known.pop(next(iter(self.known)))
            self.known[key] = state


_programs: OrderedDict[ProgramSettings, Program] = OrderedDict()
_guard = threading.Lock()  # of the programs and of what they know: packages run in threads


def program(settings: ProgramSettings) -> Program:
    """Return the program with these settings, made once per process while memory allows."""
    if settings.after:
        return Program(settings)
    with _guard:
        found = _programs.setdefault(settings, Program(settings))
        _programs.move_to_end(settings)
        return found


def make_room(newest: Program) -> None:
    """Let go of the chunks of programs that were not used for the longest time."""
    total = 0
    with _guard:
        for one in reversed(_programs.values()):
            total += one.kept_bytes
            if total > ALL_KEPT_BYTES and one is not newest:
                one.lose()
        while len(_programs) > PROGRAMS:
            _programs.popitem(last=False)
