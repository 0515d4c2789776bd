# SPDX-License-Identifier: MIT
"""NIST's generator behind the KATs of post-quantum submissions, and giving a package its bytes.

The generator is CTR_DRBG with AES-256 (NIST SP 800-90A, section 10.2.1), without derivation
function, reseeding, personalisation and additional input; every call of `randombytes` is one
request (section 10.2.1.5.1), so what comes depends on the lengths of the calls before. AES is the
`cryptography` package's.

So the calls are made with any random bytes first, and their requests noted; then again with what
the generator gives to such requests, until the requests are those expected. Each round settles
at least one more of them.

Packages change: two requests for 32 bytes, when the file was made, may be one for 64 now.
So there are other ways to cut the generator's output, each tried where those before do not
give the known answer. All of them give the package bytes of this generator only: to equal
a known answer by chance is out of the question.
"""

from collections.abc import Callable

from assay.check.answers.asked import AskedPackage, Call, CallResults, Unfollowed
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


ROUNDS = 64
MOST_SUPPLIED = 65536  # the agent keeps no more
PIECE = 32

Requests = tuple[tuple[int, ...], ...]  # of each call, in order
Cut = Callable[[Requests], tuple[int, ...]]
Supply = Callable[[tuple[int, ...]], bytes]
"""What a generator that was seeded gives for requests of such lengths, joined."""


def as_asked(requests: Requests) -> tuple[int, ...]:
    """Cut as the package asks, which is NIST's way."""
    return tuple(length for call in requests for length in call)


def in_pieces(requests: Requests) -> tuple[int, ...]:
    """Cut long requests into pieces of 32 bytes."""
    pieces: list[int] = []
    for length in as_asked(requests):
        pieces += [PIECE] * (length // PIECE)
        pieces += [length % PIECE] if length % PIECE else []
    return tuple(pieces)


def call_by_call(requests: Requests) -> tuple[int, ...]:
    """Join the requests of each call to one."""
    return tuple(sum(call) for call in requests if call)


CUTS: tuple[Cut, ...] = (as_asked, in_pieces, call_by_call)


def settled(asked: AskedPackage, supply: Supply, cut: Cut, *calls: Call) -> CallResults:
    """Make the calls with the generator's bytes; Unfollowed if that does not settle."""
    requests = asked.requests
    for _ in range(ROUNDS):
        run = asked.calls(*calls, random=supply(cut(requests)))
        if not run.followed or run.drawn > MOST_SUPPLIED:
            raise Unfollowed("more requests for random bytes than can be followed")
        if run.requests == requests:
            return run
        asked.requests = requests = run.requests
    raise Unfollowed(f"requests for random bytes that change in each of {ROUNDS} rounds")
