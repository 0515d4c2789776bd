# SPDX-License-Identifier: MIT
"""Where a long keystream is looked at, where one can stop, and how far it was made.

The stream is cut into legs. Powers of two, where counters overflow, lie within legs, so that a
call goes across them. Numbers of blocks and bytes are counted from the beginning of the stream.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

BLOCKS = 1 << 32
BEYOND = 1 << 12
SHIFT = 48  # in blocks: no leg ends at a power of two, nor anywhere else where counters carry
FIRST_POWER = 8
RANDOM_WINDOWS = 16
WINDOW = 64
AROUND = 4  # blocks before a power of two, and as many from there on
LEAST_BYTES = 32  # of them: fewer could be equal by chance


@dataclass(frozen=True, slots=True)
class Window:
    """Some bytes of the stream."""

    begin: int
    size: int

    @property
    def end(self) -> int:
        """Return the first byte behind it."""
        return self.begin + self.size


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of the stream, in bytes, and the windows in it that are looked at."""

    number: int
    begin: int
    end: int
    windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """A stream of `blocks` blocks of `unit` bytes each, and a little more, in so many legs."""

    unit: int
    seed: int
    blocks: int = BLOCKS
    legs: int = 256

    def __iter__(self) -> Iterator[Leg]:
        """Yield the legs in turn."""
        for number in range(self.legs):
            begin, end = self._end(number - 1), self._end(number)
            yield Leg(number, begin, end, self._windows(number, begin, end))

    @property
    def around(self) -> int:
        """Return how many bytes are looked at before a power of two, and from there on."""
        return max(AROUND, -(-LEAST_BYTES // self.unit)) * self.unit

    def _end(self, number: int) -> int:
        """Return the byte at which a leg ends."""
        if number < 0:
            return 0
        beyond = BEYOND if number == self.legs - 1 else SHIFT
        return ((number + 1) * (self.blocks // self.legs) + beyond) * self.unit

    def _windows(self, number: int, begin: int, end: int) -> tuple[Window, ...]:
        random = Random(f"{self.seed} {number}")
        chosen = [Window(begin, self.around)]
        chosen += [Window(random.randrange(begin, end), WINDOW) for _ in range(RANDOM_WINDOWS)]
        chosen += [Window(at - self.around, 2 * self.around) for at in self.carries()]
        return tuple(one for one in chosen if begin <= one.begin and one.end <= end)

    def carries(self) -> Iterator[int]:
        """Yield the bytes before which 2^n blocks lie, and those before which 2^n bytes do."""
        size = self.blocks * self.unit
        blocks = {self.unit << power for power in range(FIRST_POWER, size.bit_length())}
        powers = {1 << power for power in range(31, size.bit_length())}
        yield from sorted(at for at in blocks | powers if at <= size)

    def powers(self) -> Iterator[tuple[int, int]]:
        """Yield n, and the byte before which 2^n blocks lie."""
        for power in range(FIRST_POWER, self.blocks.bit_length()):
            yield power, self.unit << power


@dataclass(frozen=True, slots=True)
class Milestone:
    """The legs that are done, what the stream began with, and both contexts, in hexadecimal.

    `first` are the first blocks of the stream; `repeats` is n if they came again after 2^n
    blocks.
    """

    legs: int
    seed: int
    key: str
    iv: str
    contexts: tuple[str, str] = ("", "")
    first: str = ""
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The file with the last milestone."""

    path: Path

    def read(self) -> Milestone | None:
        """Return the milestone that an earlier command reached; None if there is none."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
            return Milestone(**{**found, "contexts": tuple(found["contexts"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, milestone: Milestone) -> None:
        """Replace the milestone; an interrupted command leaves the one before."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(asdict(milestone)), "utf-8")
        partial.replace(self.path)

    def remove(self) -> None:
        """Forget it: the check has an answer."""
        self.path.unlink(missing_ok=True)
