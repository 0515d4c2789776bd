# SPDX-License-Identifier: MIT
"""Computing the digests of a file's messages again, size by size."""

from dataclasses import dataclass
from pathlib import Path

from assay.check.hash.sizes import supported_sizes
from assay.check.hash.trial import HashTrial
from assay.check.hash.vectors.parse import Vector, read_vectors
from assay.check.hash.vectors.produce import digests

SHOWN_BYTES = 64


@dataclass(frozen=True, slots=True)
class WrongDigest:
    """A digest that is not what the file says."""

    vector: Vector
    actual: bytes

    def __str__(self) -> str:
        """Show place, message and both digests."""
        one = self.vector
        message = one.message[:SHOWN_BYTES].hex() or "(none)"
        dots = " ..." if len(one.message) > SHOWN_BYTES else ""
        return (
            f"{one.place}, a message of {one.bits} bits:\n   message {message}{dots}\n"
            f"  expected {one.digest.hex()}\n    actual {self.actual.hex()}"
        )


@dataclass(frozen=True, slots=True)
class SizeAgreement:
    """How many of a size's vectors agree; `supported` is whether the code writes such digests."""

    out_bits: int
    vectors: int
    agree: int
    difference: WrongDigest | None
    supported: bool = True


def verify_file(trial: HashTrial, path: Path) -> tuple[SizeAgreement, ...]:
    """Compare every vector of the file, the smallest size first.

    VectorFormatError says where the file is damaged.
    """
    vectors = read_vectors(path)
    sizes = sorted({one.out_bits for one in vectors})
    known = supported_sizes(trial.session, tuple(sizes))
    return tuple(
        _outcome(trial, size, [one for one in vectors if one.out_bits == size], known)
        for size in sizes
    )


def _outcome(
    trial: HashTrial, size: int, vectors: list[Vector], known: tuple[int, ...]
) -> SizeAgreement:
    if size not in known:
        return SizeAgreement(size, len(vectors), 0, None, supported=False)
    wrong = [
        WrongDigest(one, digest) for one, digest in digests(trial, vectors) if digest != one.digest
    ]
    return SizeAgreement(
        size, len(vectors), len(vectors) - len(wrong), wrong[0] if wrong else None
    )
