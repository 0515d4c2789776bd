# SPDX-License-Identifier: MIT
"""What the named checks say of a package, from the one run of its tests."""

import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec import field
from msgspec.structs import replace
from tests.unit.check.supercop.conftest import Function, Generator, Pointer, Toy, fault, opener
from tests.unit.check.supercop.toys import (
    AEAD,
    AEAD_CONSTANTS,
    KEM,
    KEM_CONSTANTS,
    hash_of,
    kem_dec,
    kem_enc,
    kem_keypair,
    verify,
)

from assay.check.check import run_checks
from assay.check.depth import Extent
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.supercop import outcomes
from assay.check.supercop.checks import CHECKS
from assay.check.supercop.salsa20 import core
from assay.check.supercop.settings import settings_of
from assay.model import (
    CheckResult,
    OperationDetails,
    OperationSubject,
    Package,
    PackageKind,
    PackageRole,
    Verdict,
)
from assay.model.compared import uncompared, unfinished

SHA256 = {"BYTES": 32}
SMALL = "0fb5122d471d9310c4ff212c64a73cc985f0826484c24f34b56cb1d39534ba24"
BIG = "55ff5e29282c4d7d192a20b427c000ec121fcda33dd96d53aa8857e3f2dd1469"
HASH = hash_of("sha256")[""]


class ToyTrial(OperationTrial):
    """A trial whose agents are toys; it counts them."""

    toy: Toy | None = None
    launches: list[int] = field(default_factory=list)

    @contextmanager
    def fresh_session(self, *, sealed: bool = True) -> Iterator[OperationSession]:
        """Lend a session with a new toy, which no seal would matter to."""
        del sealed
        assert self.toy
        self.launches.append(1)
        with opener(self.toy)() as session:
            yield session

    @contextmanager
    def session(self) -> Iterator[OperationSession]:
        """Lend a session."""
        with self.fresh_session() as fresh:
            yield fresh


def _no_agent() -> NoReturn:
    raise AssertionError("there is no agent")


def trial_of(toy: Toy, **details: object) -> ToyTrial:
    """Put a toy on trial."""
    more = OperationDetails(toy.operation, Path(), "c", "supercop", ())
    package = Package(
        f"{toy.operation}/toy/ref", "toy", "ref", f"{toy.operation}/toy/ref",
        PackageRole.SUBMISSION,
        "supercop", PackageKind.OPERATION, Path(), "api.h", (), (), (), 1, None, (), "",
        details=replace(more, **details),
    )  # fmt: skip
    constants = tuple(sorted(toy.constants.items()))
    subject = OperationSubject(toy.operation, "toy", "ref", constants, (), 0)
    return ToyTrial(package, subject, connect=_no_agent, toy=toy)


def results(trial: ToyTrial) -> dict[str, CheckResult]:
    """Run all checks."""
    return {one.check: one for one in run_checks(CHECKS, trial)}


def failed(found: dict[str, CheckResult]) -> set[str]:
    """Name the checks that failed."""
    return {name for name, one in found.items() if one.verdict is Verdict.FAIL}


def test_an_honest_hash_passes_what_is_asked_of_hashes() -> None:
    """An honest hash passes what is asked of hashes, and runs twice for all checks."""
    trial = trial_of(
        Toy("crypto_hash", SHA256, hash_of("sha256")), checksum_small=SMALL, checksum_big=BIG
    )
    found = results(trial)
    passed = {name for name, one in found.items() if one.verdict is Verdict.PASS}
    assert passed == {
        "checksum/small", "checksum/big", "supercop/returns", "calls/deterministic",
        "supercop/inputs", "supercop/margins", "supercop/overlap", "supercop/misaligned",
    }  # fmt: skip
    assert failed(found) == set()
    assert len(trial.launches) == 2


def test_a_short_trial_asks_for_forgeries_unless_their_check_is_not_run() -> None:
    """A short trial asks for forgeries unless their check is not run."""
    calls: list[int] = []

    def counted(*given: object) -> int | None:
        calls.append(1)
        return AEAD["_decrypt"](*given)

    toy = Toy("crypto_aead", AEAD_CONSTANTS, AEAD | {"_decrypt": counted})
    made = []
    for only in (("",), ("checksum/", "supercop/forgeries"), ("checksum/",)):
        trial = replace(trial_of(toy, loops=(0, 5)), extent=Extent(brief=True, only=only))
        results(trial)
        made.append(len(calls))
        calls.clear()
    assert made == [5 * 4, 5 * 4, 5]


def test_slow_code_has_its_checksum_compared_and_a_remark_on_what_was_left_out() -> None:
    """Slow code has its checksum compared, and a remark where calls were not repeated."""
    toy = Toy("crypto_hash", SHA256, hash_of("sha256"), call_seconds=0.05)
    found = results(trial_of(toy, checksum_small=SMALL, checksum_big=BIG))
    assert failed(found) == set()
    remarks = {name: one.reason for name, one in found.items() if "slow" in one.reason}
    text = "the code is slow: 532 of 576 inputs left out"
    assert remarks == dict.fromkeys(("calls/deterministic", "supercop/overlap"), text)


def test_among_many_slow_code_passes_with_the_small_checksum_and_says_what_is_left_out() -> None:
    """A hurried trial ends the big run early; what was tried of it is judged."""
    toy = Toy("crypto_hash", SHA256, hash_of("sha256"), call_seconds=0.1)
    trial = replace(
        trial_of(toy, checksum_small=SMALL, checksum_big=BIG), extent=Extent(hurried=True)
    )
    found = results(trial)
    assert failed(found) == set()
    assert found["checksum/small"].verdict is Verdict.PASS
    assert found["checksum/big"].verdict is Verdict.SKIPPED
    left = re.search(r"slow: (\d+) of 576 inputs left out", found["checksum/big"].reason)
    assert left
    assert 0 < int(left[1]) < 576 - 64
    assert left[0] in found["supercop/returns"].reason
    assert unfinished(found.values())
    alone = results(replace(trial, extent=Extent(), notes={}))
    assert alone["checksum/big"].verdict is Verdict.PASS
    assert not unfinished(alone.values())


def test_among_many_code_too_slow_for_the_small_checksum_is_open() -> None:
    """Nothing was compared then, whatever the tree has to compare with."""
    toy = Toy("crypto_hash", SHA256, hash_of("sha256"), call_seconds=2.0)
    trial = replace(
        trial_of(toy, checksum_small=SMALL, checksum_big=BIG), extent=Extent(hurried=True)
    )
    found = results(trial)
    assert found["checksum/small"].verdict is Verdict.OPEN
    assert uncompared(found.values())
    assert found["checksum/big"].verdict is Verdict.SKIPPED
    assert found["supercop/returns"].verdict is Verdict.PASS
    assert len(trial.launches) == 1


def test_wrong_outputs_that_were_tried_fail_however_slow_the_code_is() -> None:
    """Behaviour that is wrong by itself is found in what a hurried trial asks."""

    def greedy(out: Pointer, *given: object) -> int | None:
        out.write(bytes(8), 32)
        return HASH(out, *given)

    toy = Toy("crypto_hash", SHA256, {"": greedy}, call_seconds=2.0)
    found = results(replace(trial_of(toy, checksum_small=SMALL), extent=Extent(hurried=True)))
    assert failed(found) == {"supercop/margins"}


def test_forgeries_of_slow_code_are_left_out_only_where_nobody_hashes_them() -> None:
    """Slow AEADs have a remark on forgeries, slow KEMs have none: theirs are hashed."""
    for toy, told in (
        (Toy("crypto_aead", AEAD_CONSTANTS, AEAD, call_seconds=1.0), True),
        (Toy("crypto_kem", KEM_CONSTANTS, KEM, frozenset({"_keypair", "_enc"}), 1.0), False),
    ):
        found = results(trial_of(toy, loops=(1, 16)))
        assert failed(found) == set()
        reasons = (one.reason for name, one in found.items() if name.endswith("/forgeries"))
        assert any("15 of 17" in reason for reason in reasons) is told
        assert "15 of 17" in found["calls/deterministic"].reason


def test_slow_code_that_draws_in_a_repeated_call_is_asked_again_in_full() -> None:
    """Slow code that draws random bytes in a repeated call keeps the checksum of all calls."""

    def dec(*given: Pointer, random: Generator) -> int:
        random.take(32)  # as a masked implementation does
        return kem_dec(*given)

    drawing = frozenset({"_keypair", "_enc", "_dec"})
    functions = KEM | {"_dec": dec}
    toy = Toy("crypto_kem", KEM_CONSTANTS, functions, drawing)
    loops = (1, 16)
    expected = results(trial_of(toy, loops=loops))["checksum/big"].reason.split()[-1]
    slow = dataclasses.replace(toy, call_seconds=1.0)
    found = results(trial_of(slow, loops=loops, checksum_big=expected))
    assert found["checksum/big"].verdict is Verdict.PASS
    assert "slow" not in found["calls/deterministic"].reason


def test_a_primitive_without_a_checksum_is_unknown() -> None:
    """A primitive without a checksum is unknown; the computed one is told."""
    found = results(trial_of(Toy("crypto_hash", SHA256, hash_of("sha256"))))
    assert found["checksum/small"].verdict is Verdict.OPEN
    assert SMALL in found["checksum/small"].reason


def test_another_function_has_another_checksum() -> None:
    """Another function has another checksum; both are shown."""
    toy = Toy("crypto_hash", SHA256, hash_of("sha3_256"))
    found = results(trial_of(toy, checksum_small=SMALL, checksum_big=BIG))
    assert failed(found) == {"checksum/small", "checksum/big"}
    assert f"expected {SMALL}" in found["checksum/small"].evidence


def test_loops_of_the_primitive_are_used() -> None:
    """Loops of the primitive are used."""
    calls: list[int] = []

    def counts(h: Pointer, m: Pointer, length: int) -> int | None:
        calls.append(length)
        return HASH(h, m, length)

    toy = Toy("crypto_hash", SHA256, {"": counts})
    results(trial_of(toy, loops=(2, 3)))
    assert len(calls) == 3 * (2 + 3)


def test_constants_that_nothing_depends_on_make_no_other_program() -> None:
    """Constants that nothing depends on make no other program."""
    one, other = (
        trial_of(Toy("crypto_stream", constants, {}))
        for constants in (
            {"KEYBYTES": 32, "NONCEBYTES": 8},
            {"KEYBYTES": 32, "NONCEBYTES": 8, "BEFORENMBYTES": 256},
        )
    )
    settings = [settings_of(each.subject, each.details, big=True) for each in (one, other)]
    assert settings[0] == settings[1]
    assert settings[0].constant("KEYBYTES") == 32


def test_a_fault_fails_one_check_and_the_others_are_not_reached() -> None:
    """A fault fails one check, and the others are not reached."""
    found = results(trial_of(Toy("crypto_hash", SHA256, {"": fault})))
    assert failed(found) == {"supercop/returns"}
    assert "SIGSEGV" in found["supercop/returns"].reason
    assert found["checksum/small"].reason.startswith("not reached")
    assert found["supercop/misaligned"].verdict is Verdict.SKIPPED


def test_a_fault_off_alignment_fails_its_own_check() -> None:
    """A fault off alignment fails its own check only."""

    def needs_alignment(h: Pointer, m: Pointer, length: int) -> int | None:
        return fault() if m.at % 16 else HASH(h, m, length)

    found = results(trial_of(Toy("crypto_hash", SHA256, {"": needs_alignment})))
    assert failed(found) == {"supercop/misaligned"}


def test_a_fault_at_a_damaged_ciphertext_of_a_kem_fails() -> None:
    """No check asks whether a KEM refuses, but whoever receives one must not fault."""
    sound: set[bytes] = set()

    def notes(c: Pointer, k: Pointer, pk: Pointer, random: Generator) -> int:
        result = kem_enc(c, k, pk, random=random)
        sound.add(bytes(c.read(40)))
        return result

    def faults_at_others(k: Pointer, c: Pointer, sk: Pointer) -> int:
        return kem_dec(k, c, sk) if bytes(c.read(40)) in sound else fault()

    functions = {**KEM, "_enc": notes, "_dec": faults_at_others}
    toy = Toy("crypto_kem", KEM_CONSTANTS, functions, frozenset({"_keypair", "_enc"}))
    assert failed(results(trial_of(toy))) == {"supercop/returns"}


def test_overlap_is_skipped_where_api_h_excludes_it() -> None:
    """Overlap is skipped where api.h excludes it."""
    toy = Toy("crypto_aead", AEAD_CONSTANTS | {"NOOVERLAP": 1}, AEAD)
    found = results(trial_of(toy, loops=(4, 4)))
    assert "NOOVERLAP" in found["supercop/overlap"].reason
    assert failed(found) == set()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make fewer comparisons, yet so many that a byte of 32 is drawn among them."""
    monkeypatch.setattr(outcomes, "LOOPS", (200, 300))


@pytest.mark.usefixtures("few")
def test_an_honest_comparison_has_the_checksum_of_nothing() -> None:
    """An honest comparison has the checksum of nothing."""
    toy = Toy("crypto_verify", SHA256, {"": verify})
    found = results(trial_of(toy, checksum_small="0" * 64, checksum_big="0" * 64))
    assert failed(found) == set()
    assert found["checksum/big"].verdict is Verdict.PASS


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("function", "check"),
    [
        (lambda x, y: 0 if x.read(31) == y.read(31) else -1, "supercop/returns"),
        (lambda x, y: 0 if x.read(32) == y.read(32) else 1, "supercop/returns"),
        (lambda x, y: verify(x, y) + (x.write(bytes(1)) or 0), "supercop/inputs"),
    ],
)
def test_a_wrong_comparison_is_found(function: Function, check: str) -> None:
    """A wrong comparison is found."""
    found = results(trial_of(Toy("crypto_verify", SHA256, {"": function})))
    assert check in failed(found)


def earlier_checksum(loops: int) -> str:
    """Fold what SUPERCOP's crypto_kem/try.c of 20170713 folds: p, s, c, k and t of each loop.

    It has no damaged ciphertexts. The fold is that of try-anything.c: 16 bytes at a time, then
    the rest with a one behind it and a changed state.
    """
    generator, state = Generator(bytes(32)), bytes(64)
    p, s, c, k, t = (Pointer(bytearray(size), 0) for size in (32, 32, 40, 32, 32))
    for _ in range(loops):
        kem_keypair(p, s, random=generator)
        kem_enc(c, k, p, random=generator)
        kem_dec(t, c, s)
        for one in (bytes(each.memory) for each in (p, s, c, k, t)):
            whole = len(one) // 16 * 16
            for at in range(0, whole, 16):
                state = core(one[at : at + 16], state[:32])
            rest = (one[whole:] + b"\1").ljust(16, b"\0")
            state = core(rest, bytes([state[0] ^ 1]) + state[1:32])
    return state[:32].hex()


def a_kem(**functions: Function) -> Toy:
    """Make a toy of crypto_kem with other functions."""
    return Toy("crypto_kem", KEM_CONSTANTS, KEM | functions, frozenset({"_keypair", "_enc"}))


def test_checksums_of_trees_from_before_the_tests_changed_are_compared() -> None:
    """All 118 KEMs of SUPERCOP 20190811 have other checksums than those of 20260330."""
    sums = {"checksum_small": earlier_checksum(8), "checksum_big": earlier_checksum(64)}
    found = results(trial_of(a_kem(), **sums))
    for name in ("checksum/small", "checksum/big"):
        assert found[name].verdict is Verdict.PASS
        assert "earlier tests" in found[name].reason
        assert "damaged ciphertexts" in found[name].reason


def test_a_wrong_kem_fails_beside_checksums_of_earlier_tests() -> None:
    """It is neither what the tests of today give nor what those of then gave."""

    def gives_another_key(c: Pointer, k: Pointer, pk: Pointer, *, random: Generator) -> int:
        kem_enc(c, k, pk, random=random)
        k.write(b"another")
        return 0

    sums = {"checksum_small": earlier_checksum(8), "checksum_big": earlier_checksum(64)}
    found = results(trial_of(a_kem(_enc=gives_another_key), **sums))
    assert {"checksum/small", "checksum/big"} <= failed(found)
