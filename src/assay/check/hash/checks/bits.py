# SPDX-License-Identifier: MIT
"""Whether the bits of `ub` that are no input are ignored (A.1.2)."""

from assay.check.check import Check, CheckFailed, CheckSkipped, Origin
from assay.check.hash.trial import HashTrial

WORD = 16  # the least an `unsigned` can have


def unused(trial: HashTrial) -> None:
    """Close with 0 to 7 bits, the rest of `ub` once clear and then full of anything."""
    if trial.refuses_bits:
        raise CheckSkipped("the code takes whole bytes only: see digest/partial-bytes")
    for size in trial.few_sizes:
        for length in (0, 63, 64) if trial.thorough else (1,):
            message = trial.bytes(length)
            with trial.desk(length, size) as desk:
                for count in range(8):
                    bits = trial.random.randrange(256) & ~(0xFF >> count)
                    plain = desk.digest(message, bits, count)
                    for other in _others(trial, bits, count):
                        got = desk.digest(message, other, count)
                        if got != plain:
                            raise CheckFailed(
                                f"with n = {count} the digest depends on bits of ub that are "
                                f"no input: {bits:#x} and {other:#x} differ",
                                f"message  {message.hex()}\n{bits:#06x}   {plain.hex()}\n"
                                f"{other:#06x}   {got.hex()}",
                            )


def _others(trial: HashTrial, bits: int, count: int) -> tuple[int, ...]:
    """Return values of `ub` with the same input bits: below them, above a byte, and both."""
    low = 0xFF >> count
    garbage = trial.random.getrandbits(WORD) & (low | 0xFF00)
    return bits | low, bits | 0xFF00, bits | garbage


CHECKS = (
    Check(
        name="close/unused-bits",
        asks="Are the bits of the last byte that are no input ignored?",
        why="The paper's example: the bits 1101 may be given as 208 and as 4565, with more bits "
        "above the byte.",
        cure="Mask: ((ub >> (7 - n)) | 1) << (7 - n), and take the low byte.",
        run=unused,
        origin=Origin.PAPER,
    ),
)
