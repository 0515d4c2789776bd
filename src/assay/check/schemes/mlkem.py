# SPDX-License-Identifier: MIT
"""What FIPS 203 says of ML-KEM's keys and ciphertexts, as far as hash functions compute it."""

from dataclasses import dataclass
from hashlib import shake_256

RANKS = {"mlkem512": 2, "mlkem768": 3, "mlkem1024": 4}
CIPHERTEXTS = {2: 768, 3: 1088, 4: 1568}
SIZE = 32
POLYNOMIAL = 384
NOT_REDUCED = b"\xff\xff\xff"  # two coefficients of 4095


@dataclass(frozen=True, slots=True)
class DecapsulationKey:
    """The parts of a secret key: K-PKE's, the public key, its hash, and z."""

    rank: int
    data: bytes

    @property
    def parts(self) -> dict[str, range]:
        """Where each part lies."""
        inner = POLYNOMIAL * self.rank
        hashed = 2 * inner + SIZE
        return {
            "K-PKE's key": range(inner),
            "the public key": range(inner, hashed),
            "the public key's hash": range(hashed, hashed + SIZE),
            "z": range(hashed + SIZE, hashed + 2 * SIZE),
        }

    def rejection(self, ciphertext: bytes) -> bytes:
        """Return J(z, c), which a ciphertext that nobody made decapsulates to."""
        return shake_256(self.data[-SIZE:] + ciphertext).digest(SIZE)
