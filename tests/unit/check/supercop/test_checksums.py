# SPDX-License-Identifier: MIT
"""Checksums of honest code are those that SUPERCOP's own programs print.

The functions come from the standard library and from `cryptography`, whose outputs
owe nothing to this repository.
"""

import pytest
from tests.unit.check.supercop.conftest import Pointer, Run, Toy, fault
from tests.unit.check.supercop.toys import (
    AEAD,
    AEAD_CONSTANTS,
    KEM,
    KEM_CONSTANTS,
    SCALARMULT,
    SIGN,
    STREAM,
    hash_of,
    shake256,
    sort,
)

from assay.check.budget import Budget

TOYS = {
    "sha256": Toy("crypto_hash", {"BYTES": 32}, hash_of("sha256")),
    "sha3_512": Toy("crypto_hash", {"BYTES": 64}, hash_of("sha3_512")),
    "shake256": Toy("crypto_xof", {}, {"": shake256}),
    "chacha20": Toy("crypto_stream", {"KEYBYTES": 32, "NONCEBYTES": 8}, STREAM),
    "curve25519": Toy("crypto_scalarmult", {"BYTES": 32, "SCALARBYTES": 32}, SCALARMULT),
    "ed25519": Toy(
        "crypto_sign",
        {"BYTES": 64, "PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 64, "DETERMINISTIC": 1},
        SIGN,
        frozenset({"_keypair"}),
    ),
    "int32": Toy("crypto_sort", {"BYTES": 4}, {"": sort}),
    "int16": Toy(
        "crypto_decode",
        {"ITEMS": 1, "ITEMBYTES": 2, "STRBYTES": 2},
        {"": lambda y, x: y.write(x.read(2))},
    ),
    "aead": Toy("crypto_aead", AEAD_CONSTANTS, AEAD),
    "kem": Toy("crypto_kem", KEM_CONSTANTS, KEM, frozenset({"_keypair", "_enc"})),
}
SMALL, BIG = False, True
FAULTY = 12  # of the calls of a hash; in the first loop there are three


@pytest.mark.parametrize(
    ("name", "big", "expected"),
    [
        ("sha256", SMALL, "0fb5122d471d9310c4ff212c64a73cc985f0826484c24f34b56cb1d39534ba24"),
        ("sha256", BIG, "55ff5e29282c4d7d192a20b427c000ec121fcda33dd96d53aa8857e3f2dd1469"),
        ("sha3_512", SMALL, "a2ad202e4c91b2b22a059308182b692a08c63ab839c2c0dbdc6e31fe1a9c14f4"),
        ("shake256", SMALL, "a3c4908bf4412d650a1f0a69587778b72aeea66db5a9991a4f0cf2d782ca65b9"),
        ("chacha20", SMALL, "022fe9b47a01f938ab0f62e248c51fd42c732a7a218017b504a1dcec912d9d82"),
        ("curve25519", SMALL, "a541e0997ead1f170fdfdc2bed3acf8cec8994ba57025a9cf51862afd615d53f"),
        ("ed25519", SMALL, "6d6cae511aa24af47411243ba5bc2a84f8e827dfe80aca92ec3769061471952a"),
        ("ed25519", BIG, "6dacbe42d112348ae7abf32ff69ac95041f2e6cd9fe91eeab9ca10dedf318812"),
        ("int32", SMALL, "3458da92fdba9924c019db57dd7079f7613df0e243f3b312d10d94781af8c29a"),
        ("int16", SMALL, "7f59625680d504bdd9bff199c54792455ddfd077779962836a92543c88bea2fa"),
    ],
)
def test_standard_functions_have_their_published_checksum(
    run: Run, name: str, big: bool, expected: str
) -> None:
    """Standard functions have their published checksum."""
    outcome = run(TOYS[name], big=big)
    assert (outcome.checksum, outcome.findings, outcome.stop) == (expected, {}, None)


@pytest.mark.parametrize("name", sorted(TOYS))
def test_nothing_is_found_in_honest_toys(run: Run, name: str) -> None:
    """Nothing is found in honest toys."""
    outcome = run(TOYS[name], loops=8)
    assert (outcome.findings, outcome.stop, outcome.loops) == ({}, None, 8)


def test_all_weights_change_the_checksum_of_a_core(run: Run) -> None:
    """All weights change the checksum of a core."""
    constants = {"OUTPUTBYTES": 8, "INPUTBYTES": 8, "KEYBYTES": 0, "CONSTBYTES": 0}
    toy = Toy("crypto_core", constants, {"": lambda h, n, *_: h.write(n.read(8))})
    plain, weighed = run(toy, loops=4), run(toy, loops=4, weights=True)
    assert weighed.findings == {}
    assert (plain.loops, weighed.loops) == (4, 4 + 2 * 9)
    assert plain.checksum != weighed.checksum


def test_inputs_of_every_weight_are_tried(run: Run) -> None:
    """Inputs of every weight are tried."""
    seen: list[str] = []

    def core(h: Pointer, n: Pointer, *_: object) -> None:
        seen.append("".join(str(byte & 1) for byte in n.read(3)))
        h.write(n.read(3))

    constants = {"OUTPUTBYTES": 3, "INPUTBYTES": 3, "KEYBYTES": 0, "CONSTBYTES": 0}
    run(Toy("crypto_core", constants, {"": core}), loops=0, weights=True)
    assert seen[::2] == ["000", "000", "100", "001", "110", "011", "111", "111"]


def test_a_big_endian_machine_has_the_same_checksum(run: Run) -> None:
    """A big endian machine has the same checksum."""

    def turn(count: int, data: bytes) -> bytes:
        words = (data[at : at + 4][::-1] for at in range(0, 4 * count, 4))
        return b"".join(words)

    def big_endian_sort(x: Pointer, count: int) -> None:
        x.write(turn(count, x.read(4 * count)))
        sort(x, count)
        x.write(turn(count, x.read(4 * count)))

    toy = Toy("crypto_sort", {"BYTES": 4}, {"": big_endian_sort})
    outcome = run(toy, loops=16, swapped=True)
    assert outcome.findings == {}
    assert outcome.checksum == run(TOYS["int32"], loops=16).checksum


@pytest.mark.parametrize("name", ["sha256", "ed25519"])
def test_calls_made_once_have_the_published_checksum(run: Run, name: str) -> None:
    """Calls made once have the published checksum of long inputs."""
    expected = {
        "sha256": "55ff5e29282c4d7d192a20b427c000ec121fcda33dd96d53aa8857e3f2dd1469",
        "ed25519": "6dacbe42d112348ae7abf32ff69ac95041f2e6cd9fe91eeab9ca10dedf318812",
    }
    outcome = run(TOYS[name], big=BIG, brief=True, bare=True)
    assert (outcome.checksum, outcome.findings, outcome.stop) == (expected[name], {}, None)


@pytest.mark.parametrize("name", sorted(TOYS))
def test_leaving_calls_out_does_not_change_the_checksum(run: Run, name: str) -> None:
    """Leaving calls out changes no checksum, and fewer are made."""
    whole, brief, bare = (
        run(TOYS[name], loops=8, **more)
        for more in ({}, {"brief": True}, {"brief": True, "bare": True})
    )
    assert whole.checksum == brief.checksum == bare.checksum
    assert whole.calls >= brief.calls >= bare.calls
    assert bare.findings == {}


def test_forgeries_are_left_out_only_where_nobody_hashes_them(run: Run) -> None:
    """Of two calls of an AEAD two are made instead of five; a KEM's forgeries are hashed."""
    aead, kem = (run(TOYS[name], loops=8, brief=True, bare=True) for name in ("aead", "kem"))
    assert aead.calls == 8 * 2
    assert kem.calls == 8 * (3 + 3)


@pytest.mark.parametrize("name", sorted(TOYS))
def test_slow_code_keeps_its_checksum_when_calls_are_not_repeated_any_more(
    run: Run, name: str
) -> None:
    """Slow code keeps its checksum when its calls are not repeated any more."""
    whole = run(TOYS[name], big=BIG, loops=16)
    slow = run(TOYS[name], big=BIG, loops=16, budget=Budget(-1.0))
    assert (slow.checksum, slow.findings, slow.stop) == (whole.checksum, {}, None)
    assert (whole.once_from, slow.once_from, slow.loops) == (None, 1, whole.loops)
    assert slow.calls <= whole.calls


def test_a_fault_in_calls_that_are_not_repeated_is_found(run: Run) -> None:
    """A fault in calls that are not repeated is found, with its loop."""
    calls: list[int] = []

    def crypto_hash(h: Pointer, _: object, length: int) -> int:
        calls.append(length)
        if len(calls) == FAULTY:
            lengths.append(length)
        if length in lengths:
            fault()
        h.write(bytes(32))
        return 0

    lengths: list[int] = []
    toy = Toy("crypto_hash", {"BYTES": 32}, {"": crypto_hash})
    stop = run(toy, big=BIG, loops=16, budget=Budget(-1.0)).stop
    assert stop is not None
    assert f"loop {FAULTY - 3} (bytes: h 32, m {lengths[0]}" in stop.account
