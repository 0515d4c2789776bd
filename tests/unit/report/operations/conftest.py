# SPDX-License-Identifier: MIT
"""Records by hand: figures of one published run, and hostile names."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.report.operations.filled import Fake

from assay.model.supercop import Attempt, Fact, Measurement, ObjectSize, Record, Source, Subject
from assay.report.curves import Records
from assay.store import Store
from assay.summary.imported import series_from

PUBLISHED = Source("vm", "amd64", "20261120", "20260330")
OWN = Source("bench", "amd64", "20261121", "assay-0.1.0")
GCC = "gcc -march=native -O3 -fwrapv"
CLANG = "clang -march=native -O3 -fwrapv"
HOSTILE = "</script><img src=x onerror=alert(1)>"

# Medians in cycles for 576, 1536 and 4096 bytes.
HASHES = {
    ("sha256", "ref", GCC): (975, 2427, 6058),
    ("sha256", "dolbeau/amd64-sha", GCC): (1100, 2500, 6600),
    ("blake2b", "regs", CLANG): (1731, 4136, 10888),
    ("sha512", "ref", CLANG): (2002, 4903, 12545),
    ("md5", "openssl", GCC): (2262, 5443, 14148),
}
LENGTHS = (576, 1536, 4096)


def records_of(lines: Iterable[Record]) -> Records:
    """Give the series of database lines, and what was tried."""
    known = tuple(lines)
    tried = (one for one in known if isinstance(one, Attempt))
    return Records(tuple(series_from(known)), tuple(tried))


def subject(operation: str, place: str, compiler: str = GCC, *, leaks: bool = False) -> Subject:
    """Name a build: `sha256/ref` of an operation."""
    league = "timingleaks" if leaks else "constbranchindex"
    primitive = place.split("/", maxsplit=1)[0]
    return Subject(operation, primitive, league, f"{operation}/{place}", compiler)


def measured(
    whose: Subject,
    key: str,
    size: int | None,
    median: float,
    source: Source = PUBLISHED,
    unit: str = "cycles",
) -> Measurement:
    """Make a measurement whose quartiles are 1 % off."""
    return Measurement(
        source, whose, key, size, median * 0.99, median, median * 1.01, unit, (), 3
    )  # fmt: skip


def hashes(source: Source = PUBLISHED, factor: float = 1.0, unit: str = "cycles") -> Records:
    """Give hash functions at three lengths, the tries before them, and their sizes."""
    return records_of(hash_lines(source, factor, unit))


def hash_lines(
    source: Source = PUBLISHED, factor: float = 1.0, unit: str = "cycles"
) -> tuple[Record, ...]:
    """Give the lines that they are read from."""
    found: list[Record] = []
    for (primitive, name, compiler), medians in HASHES.items():
        whose = subject("crypto_hash", f"{primitive}/{name}", compiler, leaks=primitive == "md5")
        for length, median in zip(LENGTHS, medians, strict=True):
            found.append(measured(whose, "cycles", length, median * factor, source, unit))
        found.append(Attempt(source, whose, "ok", "0fb5", "55ff", medians[1] * factor))
        found.append(ObjectSize(source, whose, 2000, 16, 8, "hash.o"))
    bad = subject("crypto_hash", "blake2b/moon/xop/64")
    found.append(Attempt(source, bad, "tryfails", reason="error 132"))
    other = subject("crypto_hash", "blake2b/avx2-1")
    found.append(Attempt(source, other, "fails", "1111", "2222", 100.0))
    found.append(measured(other, "cycles", 576, 100, source, unit))
    found.append(Fact(source, bad, "cpuid", ("GenuineExample", "CPU")))
    return tuple(found)


def hostile() -> Records:
    """Give a hash function whose every name wants to be a script."""
    whose = Subject(
        "crypto_hash", HOSTILE, "timingleaks", f"crypto_hash/{HOSTILE}/=x", f"gcc {HOSTILE}"
    )
    source = replace(PUBLISHED, machine=HOSTILE)
    lengths = tuple(measured(whose, "cycles", size, 4.0 * size, source) for size in LENGTHS)
    failed = Attempt(source, replace(whose, compiler=HOSTILE), "tryfails", reason=HOSTILE)
    return records_of((*lengths, failed, Attempt(source, whose, "ok", score=4.0)))


def streams() -> Records:
    """Give two stream ciphers at every length up to 4096 bytes, in blocks of 64."""
    found = []
    for place, block, leaks in (("chacha20/ref", 25, False), ("hc128/200701b", 180, True)):
        whose = subject("crypto_stream", place, leaks=leaks)
        for size in range(4097):
            blocks = 300 + block * -(-size // 64)
            found.append(measured(whose, "xor_cycles", size, blocks))
    return records_of(found)


def aead() -> Records:
    """Give one cipher with associated data in three directions."""
    whose = subject("crypto_aead", "ascon128v12/opt64")
    found = []
    for key, cost in (("encrypt_cycles", 5), ("decrypt_cycles", 6), ("forgery_decrypt_cycles", 7)):
        for size in (64, 576, 1536):
            found.append(measured(whose, key, size, cost * size))
            found.append(measured(whose, key, size * 1_000_000, cost * size / 2))
            found.append(measured(whose, key, size * 1_000_001, cost * size * 2))
    return records_of(found)


def kems() -> Records:
    """Give two KEMs, the key pair's random bytes too."""
    found = []
    for name, medians in (
        ("mlkem768", (17147, 16684, 17573)),
        ("kyber768", (22442, 31148, 23892)),
    ):
        whose = subject("crypto_kem", f"{name}/avx2", CLANG)
        for key, median in zip(("keypair", "enc", "dec"), medians, strict=True):
            found.append(measured(whose, f"{key}_cycles", None, median))
        found.append(measured(whose, "keypair_randombytes", None, 64, unit="bytes"))
    return records_of(found)


EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture
def everything() -> Records:
    """Give two machines, one of them in ticks, all kinds of operations, hostile names."""
    own = hashes(OWN, 1.25, "ticks")
    return hashes() + own + hostile() + streams() + aead() + kems()


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    """Give a store to fill."""
    with Store.create(tmp_path / "results") as store:
        yield Fake(store)
