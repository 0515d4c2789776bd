# SPDX-License-Identifier: MIT
"""Inputs that cannot be read before their call: each is masked by what the call before writes.

The agent takes the mask off right before a call (harness/agent/operation_timing.c), and can only
do so once the call before has written all of its outputs, and once the sample has begun: masks
follow from a seed for each sample as well, which is in no memory before. So calls of a sample
cannot be made together, wherever code looks for their inputs. What calls write does not show all
of their work where they open, verify or refuse; there a sample is one call (`parts.py`). Of
`crypto_verify` several are in a sample: its inputs have masks of their own, so that comparing what
is masked says nothing, and taking off a mask costs more than comparing.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from assay.check.operation.routines import function_of
from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenge
from assay.model.api import Way

Words = npt.NDArray[np.uint64]

ROW_WORDS, ROW_BYTES = 4, 32
STEP = 0x9E3779B97F4A7C15  # of splitmix64 (Steele, Lea, Flood 2014)
SHIFTED = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
MOST_PLAIN = 255  # rows: requests have a byte for it
TURN = 7  # bits between two rows of an output
OF_SLICE = 0xD1342543DE82EF95
_WORD = np.dtype("<u8")


def masked(bed: Bed, challenge: Challenge) -> dict[str, bytes]:
    """Mask the inputs of a challenge by its outputs, slice by slice: pools as the agent gets them.

    Zeros with which every slice begins stay as they are: they would show the mask.
    """
    masks, pools = _masks(bed, challenge), dict(challenge.inputs)
    for name in set(_arguments(bed, challenge, Way.IN, Way.BOTH)) & pools.keys():
        if bed.stride(name):
            mask = np.roll(masks, -challenge.task.arguments.index(name), axis=1)
            rows = _rows(bed, name, pools[name])
            rows[:, _leading_zeros(rows) :] ^= mask[:, None, :]
            pools[name] = rows.astype(_WORD).tobytes()
    return pools


def plain_rows(bed: Bed, challenge: Challenge, name: str) -> int:
    """Return how many rows of every slice of a variable are not masked."""
    data = challenge.inputs.get(name, b"")
    return _leading_zeros(_rows(bed, name, data)) if data and bed.stride(name) else 0


def _masks(bed: Bed, challenge: Challenge) -> Words:
    """Return the mask of each slice: it follows from all that the slice before must write."""
    factors = np.array([STEP + 2 * word for word in range(ROW_WORDS)], dtype=np.uint64)
    steps = np.arange(ROW_WORDS, dtype=np.uint64) * np.uint64(STEP)
    written = _folded(bed, challenge)
    written[1:], written[0] = written[:-1].copy(), 0
    keys = (written * factors).sum(axis=1, dtype=np.uint64)
    keys += np.arange(bed.slices, dtype=np.uint64) * np.uint64(OF_SLICE)
    keys += np.repeat(np.array(challenge.mask_seeds, dtype=np.uint64), bed.calls)
    return _mixed(keys[:, None] + steps)


def _folded(bed: Bed, challenge: Challenge) -> Words:
    """Fold the outputs of each slice into a row."""
    folded = np.zeros((bed.slices, ROW_WORDS), dtype=np.uint64)
    unknown = challenge.task.forged or challenge.other
    for name in () if unknown else _arguments(bed, challenge, Way.OUT, Way.BOTH):
        if not bed.stride(name):
            continue
        for row in _rows(bed, name, challenge.outputs[name]).swapaxes(0, 1):
            folded = (folded << np.uint64(TURN) | folded >> np.uint64(64 - TURN)) ^ row
    return folded


def _mixed(words: Words) -> Words:
    for shift, factor in SHIFTED:
        words = (words ^ words >> np.uint64(shift)) * np.uint64(factor)
    return words ^ words >> np.uint64(31)


def _rows(bed: Bed, name: str, data: bytes) -> Words:
    shape = (bed.slices, bed.stride(name) // ROW_BYTES, ROW_WORDS)
    return np.frombuffer(data, dtype=_WORD).reshape(shape).astype(np.uint64)


def _leading_zeros(rows: Words) -> int:
    """Return how many rows of every slice begin with zeros."""
    zeros = (rows[:, :, 0] == 0).all(axis=0)
    return min(MOST_PLAIN, int(np.argmin([*zeros, False])))


def _arguments(bed: Bed, challenge: Challenge, *ways: Way) -> Iterator[str]:
    function = function_of(bed.session.subject, challenge.task.suffix)
    arguments: Iterable[str] = challenge.task.arguments
    for name, parameter in zip(arguments, function.parameters, strict=True):
        if parameter.way in ways:
            yield name
