# SPDX-License-Identifier: MIT
"""Beats: two short loops behind every timed batch, so that each batch is judged by itself.

A neighbour comes and goes within milliseconds, between the canaries around a group; the
clock of the core does so, too. A batch counts if the beats beside it are those of a quiet
core; what the batch took is never looked at, so that favours no figure. How many cycles a
tick was is known from the chain of additions, for each group.
"""

import itertools
import statistics
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from assay.execute.protocol import LATENCY, THROUGHPUT, PayloadReader

LATENCY_THOUSANDS, THROUGHPUT_THOUSANDS = 7, 16  # operations: 2 or 3 microseconds each
CYCLES = 1  # of an addition in a chain, on every core (harness/meter/loops.c)
BEAT_BOUND = 0.04  # above a quiet core: a neighbour uses that much of it
FURTHER = 1  # beats beyond the one before a batch and the one behind it
LEAST_SHARE = 0.5  # of a group's batches, for the others to be left out
FINE = 1e8  # ticks per second; with fewer, one tick more or less is as much as a neighbour
BEATS = b"".join(
    (
        bytes([2, LATENCY]) + LATENCY_THOUSANDS.to_bytes(4, "little"),
        bytes([THROUGHPUT]) + THROUGHPUT_THOUSANDS.to_bytes(4, "little"),
    )
)
NO_BEATS = bytes([0])


class Beat(Struct, frozen=True):
    """A batch, or the warm-up, and the loops behind it: ticks per operation, 0 without loops."""

    ticks: int
    latency: float
    throughput: float

    @property
    def share(self) -> float:
        """Return throughput in units of latency, which no change of the clock moves."""
        return self.throughput / self.latency if self.latency else 0.0


class Rhythm(Struct, frozen=True):
    """The beats of a group beside those of a quiet core: which batches count.

    The group is `steady` if enough of them do. `share` is the median of the beats behind
    them, or of all if too few batches count, and so is `cycles_per_tick` (None: not known).
    `away` is whether the agent was taken off the processor meanwhile.
    """

    counting: tuple[bool, ...]
    steady: bool
    share: float
    cycles_per_tick: float | None
    away: bool = False

    @property
    def quiet(self) -> bool:
        """Return whether the beats say that nobody disturbed the group."""
        return self.steady and self.share > 0.0 and not self.away


def unheard(beats: Sequence[Beat]) -> Rhythm:
    """Let all batches count, of which no beat says anything."""
    return Rhythm((True,) * (len(beats) - 1), steady=True, share=0.0, cycles_per_tick=None)


def rhythm(beats: Sequence[Beat], quiet: float) -> Rhythm:
    """Judge batches by the beats around them, `quiet` being the share of a quiet core.

    The first beat is that of the warm-up, which is no batch.
    """
    low = [0.0 < beat.share <= quiet * (1 + BEAT_BOUND) for beat in beats]
    around = [low[max(0, at - FURTHER) : at + 2 + FURTHER] for at in range(len(beats) - 1)]
    counting = tuple(map(all, around))
    behind = list(itertools.compress(beats[1:], counting))
    steady = len(behind) >= LEAST_SHARE * len(counting)
    kept = behind if steady else beats
    latency = statistics.median(beat.latency for beat in kept)
    share = statistics.median(beat.share for beat in kept)
    return Rhythm(counting, steady, share, CYCLES / latency if latency else None)


def beats_for(ticks_per_second: float) -> bytes:
    """Ask for beats where the counter is fine enough for such short loops."""
    return BEATS if ticks_per_second >= FINE else NO_BEATS


def read_series(reader: PayloadReader, samples: int, asked: bytes) -> list[Beat]:
    """Read the warm-up, and every sample; the loops took no time where none was asked for."""
    found: list[Beat] = []
    for _ in range(samples + 1):
        ticks = reader.number(8)
        latency, throughput = (reader.number(8) if asked == BEATS else 0 for _ in range(2))
        found.append(
            Beat(
                ticks,
                latency / (1000 * LATENCY_THOUSANDS),
                throughput / (1000 * THROUGHPUT_THOUSANDS),
            )
        )
    return found


def no_slower(beats: Sequence[Beat], latency: float, throughput: float) -> list[Beat]:
    """Return beats with no loop slower than these: ticks per operation."""
    return [
        replace(
            beat,
            latency=min(beat.latency, latency),
            throughput=min(beat.throughput, throughput),
        )
        for beat in beats
    ]


def beat_ticks(series: Sequence[Beat]) -> float:
    """Return the ticks that went into the loops alone."""
    return sum(
        1000 * (one.latency * LATENCY_THOUSANDS + one.throughput * THROUGHPUT_THOUSANDS)
        for one in series
    )
