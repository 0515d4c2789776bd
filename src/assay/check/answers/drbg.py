# SPDX-License-Identifier: MIT
"""NIST's generator behind the KAT files of post-quantum submissions: CTR_DRBG with AES-256.

NIST SP 800-90A, section 10.2.1, without derivation function, reseeding, personalisation
and additional input; every call of `randombytes` is one request (section 10.2.1.5.1), so
what comes depends on the lengths of the calls before. AES is the `cryptography` package's.
"""

from assay.errors import MachineError

KEY_BYTES = 32
BLOCK_BYTES = 16
SEED_BYTES = KEY_BYTES + BLOCK_BYTES


class CtrDrbg:
    """The generator, begun with 48 bytes."""

    def __init__(self, entropy: bytes) -> None:
        """Instantiate; ValueError unless there are 48 bytes."""
        if len(entropy) != SEED_BYTES:
            raise ValueError(f"{len(entropy)} bytes of entropy, not {SEED_BYTES}")
        self._key, self._counter = bytes(KEY_BYTES), 0
        self._update(entropy)

    def generate(self, length: int) -> bytes:
        """Answer one request for so many bytes."""
        count = -(-length // BLOCK_BYTES)
        blocks = self._blocks(count + SEED_BYTES // BLOCK_BYTES)
        self._take(blocks[count * BLOCK_BYTES :])
        return blocks[:length]

    def _update(self, data: bytes) -> None:
        fresh = self._blocks(SEED_BYTES // BLOCK_BYTES)
        mixed = bytes(a ^ b for a, b in zip(fresh, data, strict=True))
        self._take(mixed)

    def _take(self, state: bytes) -> None:
        self._key, self._counter = state[:KEY_BYTES], int.from_bytes(state[KEY_BYTES:], "big")

    def _blocks(self, count: int) -> bytes:
        """Encrypt the next `count` values of the counter."""
        counters = (self._counter + i & ((1 << 128) - 1) for i in range(1, count + 1))
        plain = b"".join(value.to_bytes(BLOCK_BYTES, "big") for value in counters)
        self._counter = (self._counter + count) & ((1 << 128) - 1)
        return _aes(self._key, plain)


def stream(entropy: bytes, lengths: tuple[int, ...]) -> bytes:
    """Return what calls of `randombytes` for these lengths return, joined."""
    generator = CtrDrbg(entropy)
    return b"".join(generator.generate(length) for length in lengths)


def _aes(key: bytes, plain: bytes) -> bytes:
    try:
        from cryptography.hazmat.primitives.ciphers import (  # noqa: PLC0415 (only KATs need it)
            Cipher,
            algorithms,
            modes,
        )
    except ImportError:
        raise MachineError(
            "the seeds of KAT files need AES-256, and the package `cryptography` is not there",
            "pip install cryptography",
        ) from None
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 (single blocks)
    return encryptor.update(plain)
