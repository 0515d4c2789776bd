# SPDX-License-Identifier: MIT
"""Routines performed thousands of times inside an agent, with new bytes in some variables.

The agent draws them (`harness/agent/again.c`) and tells a digest of all outputs: a million calls
in the time that the pipe takes for some thousand. If two digests differ, halving finds the first
round that differs. The bench draws the same by SplitMix64 (Steele, Lea, Flood: Fast splittable
pseudorandom number generators, OOPSLA 2014).
"""

import time
from collections.abc import Callable, Iterator, Sequence

from assay.check.arena import Arena
from assay.check.routine import Routine
from assay.execute.circumstances import vary

WORD = (1 << 64) - 1
FIRST_ROUNDS, MORE = 1, 8  # a use may take a second
SLICE_SECONDS = 0.25


def digest(arena: Arena, routine: Routine, drawn: Sequence[str], seed: int, rounds: int) -> int:
    """Perform a routine that is laid and filled so many times; digest its outputs.

    AgentRefusal from an agent that cannot.
    """
    watched, changed = (
        [(arena.buffer(name), routine.variables[name].size) for name in names]
        for names in (routine.outputs, drawn)
    )
    requests = arena.requests(routine, drawn)
    return vary(arena.session.agent, requests, watched, changed, seed, rounds)


def first_that_differs(differ: Callable[[int], bool], rounds: int) -> int:
    """Return the number of a round, from 0, up to which digests agree and after which they differ.

    `differ` says it of so many rounds; of all of them they do.
    """
    low, high = 0, rounds  # they agree after `low` rounds, and differ after `high`
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if differ(middle) else (middle, high)
    return low


def in_slices(most: int, over: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """Yield how many rounds were made and how many come next, each time about a slice of time.

    It ends after `most`, or when time is `over`.
    """
    done, rounds = 0, FIRST_ROUNDS
    while done < most and not over():
        rounds, began = min(rounds, most - done), time.monotonic()
        yield done, rounds
        done += rounds
        slices = SLICE_SECONDS / max(time.monotonic() - began, 1e-3)
        rounds = min(rounds * MORE, max(1, int(rounds * slices)))


def drawn(seed: int, part: int, length: int) -> bytes:
    """Return the bytes of a part in the round of a seed; one in eight is one byte throughout."""
    words = _words(next(_words(seed + part)))
    first = next(words)
    if first % 8 == 0:
        return bytes([first >> 56]) * length
    return b"".join(next(words).to_bytes(8, "little") for _ in range(0, length, 8))[:length]


def _words(state: int) -> Iterator[int]:
    while True:
        state = (state + 0x9E3779B97F4A7C15) & WORD
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        yield word ^ (word >> 31)
