# SPDX-License-Identifier: MIT
"""Which shipped cipher competes with which primitives of `crypto_stream`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contest:
    """A primitive of SUPERCOP, the folder of ours, and the sizes that SUPERCOP gives it.

    `rivals` are further primitives that do the same work, though with other outputs.
    With `other_sums` ours is known to have other checksums, for the reason in `remark`.
    """

    primitive: str
    folder: str
    key_bytes: int
    nonce_bytes: int
    rivals: tuple[str, ...] = ()
    other_sums: bool = False
    remark: str = ""


COUNTER = "and against {}, whose counter is big-endian: equal work, other outputs"
TAIL = (
    "theirs encrypts the last bytes otherwise if 3 to 8 of them follow the last 16: there "
    "SUPERCOP's checksums are not those of the cipher, and ours is measured in spite of them"
)

CONTESTS = (
    Contest("hc128", "submissions/hc-128", 16, 16),
    Contest("rabbit", "submissions/rabbit", 16, 8),
    Contest("salsa2012", "submissions/salsa20-12", 32, 8),
    Contest("sosemanuk", "submissions/sosemanuk", 32, 16),
    Contest("trivium", "submissions/trivium", 10, 10),
    Contest("salsa20", "submissions/salsa20", 32, 8),
    Contest("hc256", "submissions/hc-256", 32, 16),
    Contest("chacha20", "submissions/chacha20", 32, 8),
    Contest("snow20", "benchmarks/snow-2.0", 32, 16),
    Contest(
        "aes128estream",
        "benchmarks/aes-ctr",
        16,
        16,
        rivals=("aes128ctr",),
        remark=COUNTER.format("aes128ctr"),
    ),
    Contest(
        "aes256estream",
        "benchmarks/aes-ctr",
        32,
        16,
        rivals=("aes256ctr",),
        remark=COUNTER.format("aes256ctr"),
    ),
    Contest("dragon", "submissions/dragon", 32, 32),
    Contest("lexv2", "submissions/lex-v2", 16, 16),
    Contest("nlsv2", "submissions/nls-v2", 16, 16),
    Contest("cryptmtv3", "submissions/cryptmt-v3", 32, 16, other_sums=True, remark=TAIL),
)
