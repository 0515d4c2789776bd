# SPDX-License-Identifier: MIT
"""What is timed is compared with what is not: names and counts of samples, never times."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from platform import machine
from random import Random

import pytest
from tests.unit.check.operation.driving.conftest import Drive
from tests.unit.check.operation.driving.timed import (
    CREDULOUS,
    CREDULOUS_API,
    FORGETFUL,
    FORGETFUL_API,
    HONEST_HASH,
    MEMOISING_HASH,
    REMEMBERING,
    REWINDING_HASH,
    SIGN,
    SIGN_API,
    STUMBLING_HASH,
    TIRING_HASH,
    written_hash,
)

from assay.check.operation.routines import MILLION, group
from assay.check.operation.session import OperationSession
from assay.measure.audit import WrongOutput
from assay.measure.operation.bed import Bed, fresh_inputs
from assay.measure.operation.challenge import Challenge, Challenger
from assay.measure.operation.measures import score, take, take_group
from assay.measure.operation.request_size import CACHED_BYTES
from assay.measure.operation.rounds import GroupTiming
from assay.measure.operation.timing import OperationEffort, Timing, put, time_task
from assay.model import Package, Sample
from assay.timing.agent import AroundTiming, TimedAgent
from assay.timing.beats import Beat, Rhythm, unheard
from assay.timing.clock import choose_counter, select, steady_counters
from assay.timing.witness import AgentLied

EFFORT = OperationEffort(samples=15)
Taken = Callable[..., dict[str, Sample]]


@pytest.fixture
def taken(drive: Drive) -> Taken:
    """Give the function that times a group of a package, and gives its samples by measure."""

    def take_one(package: Package, size: int, second: int = 0) -> dict[str, Sample]:
        with ExitStack() as stack:
            timed, proof = (stack.enter_context(drive.speaking(package)) for _ in range(2))
            wanted = group(timed.subject, size, second)
            found = take_group(timed, proof, wanted, EFFORT, Random(1))
            assert found.timed_ticks > 0
            return {one.measure: one for one in found.samples}

    return take_one


def written_signature(
    drive: Drive, *, before: str = "", more: str = "", length: str = ""
) -> Package:
    """Write a signature of 1 to 8 bytes."""
    files = {"api.h": SIGN_API, "sign.c": SIGN % (before, more, length)}
    return drive.written("crypto_sign/short/ref", files)


def test_a_hash_has_one_measure(drive: Drive, taken: Taken) -> None:
    """With as many samples as were asked for."""
    samples = taken(written_hash(drive, HONEST_HASH), 64)
    assert list(samples) == ["cycles/64"]
    sample = samples["cycles/64"]
    assert (len(sample.ticks), sample.block_bytes) == (15, 64)
    assert sample.tests >= 1


@pytest.mark.parametrize("length", [0, 8, 5000])
def test_an_honest_hash_is_timed_whatever_the_length(
    drive: Drive, taken: Taken, length: int
) -> None:
    """Of nothing, of little, and of more than the caches' share."""
    assert list(taken(written_hash(drive, HONEST_HASH), length)) == [f"cycles/{length}"]


@pytest.mark.parametrize(
    "source", [MEMOISING_HASH, TIRING_HASH], ids=["memoises by address", "tires"]
)
def test_a_hash_that_writes_something_else_while_it_is_timed_is_refused(
    drive: Drive, taken: Taken, source: str
) -> None:
    """The proof is an agent that is not timed."""
    with pytest.raises(WrongOutput, match="wrote another `h` than when it was not"):
        taken(written_hash(drive, source), 64)


def test_a_hash_that_returns_something_else_while_it_is_timed_is_refused(
    drive: Drive, taken: Taken
) -> None:
    """Every call's result counts."""
    with pytest.raises(WrongOutput, match=r"it returned \[0, 1\], not 0"):
        taken(written_hash(drive, STUMBLING_HASH), 64)


def made_bed(session: OperationSession, size: int, calls: int, samples: int) -> Bed:
    """Make the bed of a group in an agent."""
    bed = Bed(session, group(session.subject, size), calls, samples)
    bed.make()
    return bed


def require_account_of(drive: Drive, package: Package, size: int) -> None:
    """Time a group with a real counter, and judge what the agent reports."""
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        counter = choose_counter(steady_counters(timed.agent))
        select(timed.agent, counter)
        effort = OperationEffort(15, counter.step_ticks, counter.ticks_per_second)
        calls = 1 + CACHED_BYTES // (size + 64)  # about as many as a launch has
        bed, other = (made_bed(one, size, calls, 15) for one in (timed, proof))
        GroupTiming(bed, Challenger(other), effort, Random(3)).rounds(accounted=True)


@pytest.mark.skipif(machine() != "x86_64", reason="the liar reads the counter of x86-64")
@pytest.mark.parametrize("size", [1000, 16384])
def test_code_that_moves_the_begin_of_its_time_is_found_by_the_kernels_account(
    drive: Drive, size: int
) -> None:
    """Its outputs are right, and so is the number of its calls."""
    with pytest.raises(AgentLied, match=r"it reports .* and used .* of the processor"):
        require_account_of(drive, written_hash(drive, REWINDING_HASH), size)


@pytest.mark.parametrize(
    ("place", "size"),
    [
        ("crypto_verify/16/ref", 0),
        ("crypto_hash/sha256/small", 64),
        ("crypto_hash/sha256/small", 16384),
        ("crypto_aead/chacha20poly1305/ref", 1536),
        ("crypto_kem/mlkem768/ref", 0),
        ("crypto_scalarmult/curve25519/ref", 0),
    ],
)
def test_the_account_of_honest_code_fits(drive: Drive, place: str, size: int) -> None:
    """Whether its calls take nanoseconds or milliseconds."""
    require_account_of(drive, drive.shipped(place), size)


def test_every_timed_call_works_on_the_input_of_its_own_slice(drive: Drive) -> None:
    """The digests are those of another library, and nothing is written beside them."""
    with drive.speaking(drive.shipped("crypto_hash/sha256/small")) as session:
        bed = made_bed(session, 100, calls=3, samples=4)
        inputs = fresh_inputs(bed, Random(7))
        messages = [inputs["m"][at : at + 100] for at in range(0, 15 * 128, 128)]
        assert len(set(messages)) == 15
        right = b"".join(hashlib.sha256(one).digest().ljust(64, b"\0") for one in messages)
        task, seeds = bed.group.tasks[0], (1, 2, 3, 4, 5)
        challenge = Challenge(task, inputs, (), bytes(32), {"h": right}, mask_seeds=seeds)
        put(bed, challenge)
        time_task(bed, challenge, EFFORT)
        assert session.agent.read(bed.pools["h"]) == right


def test_signatures_of_various_lengths_are_opened_with_theirs(drive: Drive, taken: Taken) -> None:
    """Random bytes are counted, and the length is a measure."""
    samples = taken(written_signature(drive), 59)
    assert set(samples) == {
        f"{name}/59"
        for name in (
            "keypair_cycles", "keypair_randombytes", "keypair_randomcalls",
            "cycles", "randombytes", "randomcalls", "bytes",
            "open_cycles", "open_randombytes", "open_randomcalls",
        )
    }  # fmt: skip
    assert set(samples["keypair_randombytes/59"].ticks) == {32}
    assert set(samples["keypair_randomcalls/59"].ticks) == {1}
    assert set(samples["randombytes/59"].ticks) == {0}
    (length,) = samples["bytes/59"].ticks
    assert 59 < length <= 67


def test_a_signature_that_grows_from_call_to_call_is_refused(drive: Drive, taken: Taken) -> None:
    """The other agent has made fewer of them."""
    package = written_signature(drive, before="static unsigned n;", more=" + (n++ > 3)")
    with pytest.raises(WrongOutput):
        taken(package, 59)


def test_forgeries_are_timed_and_must_be_refused(drive: Drive, taken: Taken) -> None:
    """A box without a seal has no figures."""
    honest = taken(drive.shipped("crypto_secretbox/xsalsa20poly1305/ref"), 64)
    assert set(honest) == {"cycles/64", "open_cycles/64", "forgery_open_cycles/64"}
    files = {"api.h": CREDULOUS_API, "box.c": CREDULOUS}
    credulous = drive.written("crypto_secretbox/credulous/ref", files)
    with pytest.raises(WrongOutput, match=r"it returned \[0\], not -1"):
        taken(credulous, 64)


def test_what_a_timed_call_is_given_was_never_seen_before_in_its_process(
    drive: Drive, taken: Taken
) -> None:
    """What it opens was sealed elsewhere: a table of what it sealed itself wins nothing.

    The box returns -2 if a nonce comes twice; where the results are not asked for, it may.
    """
    files = {"api.h": CREDULOUS_API, "box.c": REMEMBERING}
    package = drive.written("crypto_secretbox/remembering/ref", files)
    samples = taken(package, 64)
    assert set(samples) == {"cycles/64", "open_cycles/64", "forgery_open_cycles/64"}
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        bed, other = (made_bed(one, 64, 4, 15) for one in (timed, proof))
        challenge = Challenger(other).make(bed.group.tasks[1], Random(5))
        put(bed, challenge)
        time_task(bed, challenge, EFFORT)
        with pytest.raises(WrongOutput, match=r"returned -1, though its inputs are to"):
            time_task(bed, challenge, EFFORT)


def test_authenticated_encryption_is_timed_in_three_directions(drive: Drive, taken: Taken) -> None:
    """The ciphertext is longer by the tag."""
    samples = taken(drive.shipped("crypto_aead/chacha20poly1305/ref"), 40, 24)
    size = 24 * MILLION + 40
    assert set(samples) == {
        f"{name}/{size}"
        for name in ("encrypt_cycles", "encrypt_bytes", "decrypt_cycles", "forgery_decrypt_cycles")
    }
    assert samples[f"encrypt_bytes/{size}"].ticks == (40 + 16,)


@pytest.mark.parametrize(
    ("encrypts", "decrypts", "said"),
    [
        # in every seventh call, which is not the same one in both agents
        ("if (++encrypted % 7 == 0) *clen = -16ull; else", "", "_encrypt wrote lengths up to 184"),
        ("if (++encrypted % 7 == 0) *clen = 1; else", "", "_encrypt wrote another length"),
        ("if (++encrypted % 7)", "", "_encrypt wrote lengths up to 184"),  # none at all
        ("", "if (++decrypted % 7 == 0) *mlen = -16ull; else", "_decrypt wrote lengths up to 184"),
        ("", "if (++decrypted % 7 == 0) *mlen = 0; else", "_decrypt wrote lengths .* must be 40"),
        # always
        ("if (1) *clen = -16ull; else", "", "_encrypt wrote lengths up to 184467.* at most 56"),
        ("if (1) *clen = mlen + 17; else", "", "_encrypt wrote lengths up to 57.* at most 56"),
        ("", "if (1) *mlen = last - 1; else", "_decrypt wrote lengths up to 39.* must be 40"),
    ],
)
def test_a_length_that_is_not_the_one_of_the_proof_is_refused(
    drive: Drive, taken: Taken, encrypts: str, decrypts: str, said: str
) -> None:
    """Too long, too short or none: what is written of lengths is a figure as the ticks are."""
    files = {"api.h": FORGETFUL_API, "aead.c": FORGETFUL % (encrypts, decrypts)}
    with pytest.raises(WrongOutput, match=said):
        taken(drive.written("crypto_aead/forgetful/ref", files), 40)


def test_lengths_that_are_those_of_the_proof_are_figures(drive: Drive, taken: Taken) -> None:
    """The same code, telling the truth."""
    files = {"api.h": FORGETFUL_API, "aead.c": FORGETFUL % ("", "")}
    samples = taken(drive.written("crypto_aead/forgetful/ref", files), 40)
    assert samples["encrypt_bytes/40"].ticks == (56,)


@pytest.mark.parametrize("wrong", [" + %s * 3", " - %s * mlen"])
def test_a_signature_whose_length_is_wrong_while_it_is_timed_is_refused(
    drive: Drive, taken: Taken, wrong: str
) -> None:
    """Its bytes are those of the proof; only how many there are is not.

    Timed calls write each length to a place of its own, and the others all to one.
    """
    package = written_signature(drive, length=wrong % "((unsigned long)smlen / 8 % 7 == 3)")
    with pytest.raises(WrongOutput, match=r"crypto_sign wrote (another|length)|it returned"):
        taken(package, 59)


def test_a_key_encapsulation_draws_the_bytes_that_its_standard_says(
    drive: Drive, taken: Taken
) -> None:
    """FIPS 203: d and z of 32 bytes each, and m of 32."""
    samples = taken(drive.shipped("crypto_kem/mlkem768/ref"), 0)
    drawn = {name: set(one.ticks) for name, one in samples.items() if "randombytes" in name}
    assert drawn == {
        "keypair_randombytes/-": {64},
        "enc_randombytes/-": {32},
        "dec_randombytes/-": {0},
    }


@pytest.mark.parametrize(
    ("place", "measures"),
    [
        ("crypto_verify/16/ref", {"cycles/-"}),
        ("crypto_core/salsa20/ref", {"cycles/-"}),
        ("crypto_encode/int16/ref", {"cycles/-"}),
        ("crypto_sort/int32/ref", {"cycles/64"}),
        ("crypto_hashblocks/sha256/ref", {"cycles/64"}),
        ("crypto_stream/chacha20/ref", {"cycles/64", "xor_cycles/64"}),
        ("crypto_onetimeauth/poly1305/ref", {"cycles/64", "verify_cycles/64"}),
        ("crypto_rng/chacha20/ref", {"cycles/-"}),
    ],
)
def test_the_measures_of_an_operation_have_the_keys_of_database_lines(
    drive: Drive, taken: Taken, place: str, measures: set[str]
) -> None:
    """One package of each form."""
    assert set(taken(drive.shipped(place), 64)) == measures


def test_the_score_is_one_sample_of_all_calls_together(drive: Drive) -> None:
    """What is forged does not count."""
    package = drive.shipped("crypto_secretbox/xsalsa20poly1305/ref")
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        found = score(timed, proof, EFFORT, Random(2))
        listed = take(timed, proof, [group(timed.subject, 1536)], EFFORT, Random(2))
    (sample,) = found.samples
    assert (sample.measure, len(sample.ticks)) == ("score/-", 63)
    assert len(listed.samples) == 3


def test_many_samples_of_short_calls_fit_into_one_request(drive: Drive) -> None:
    """As many as the command line allows."""
    package = written_hash(drive, HONEST_HASH)
    many = OperationEffort(samples=4000, step_ticks=1)
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        wanted = group(timed.subject, 8)
        taken = take_group(timed, proof, wanted, many, Random(3))
    assert len(taken.samples[0].ticks) == 4000


class Unsettled(AroundTiming):
    """Watches an agent, and finds a neighbour beside its first groups."""

    def __init__(self, groups: int) -> None:
        """Find one beside so many."""
        self.left = groups

    def prepare(self) -> None:
        """Ask nothing."""

    def before(self) -> None:
        """Ask nothing."""

    def after(self) -> None:
        """Ask nothing."""

    def heard(self) -> Rhythm | None:
        """Judge a group."""
        self.left -= 1
        return unheard(()) if self.left < 0 else None

    def settled(self) -> bool:
        """Leave it to `heard`."""
        return True

    def believed(self, beats: Sequence[Beat]) -> list[Beat]:
        """Believe all."""
        return list(beats)

    def judged(self, beats: Sequence[Beat]) -> Rhythm | None:
        """Leave it to `heard`."""
        return unheard(beats)


def test_calls_that_were_timed_in_vain_count_as_time_spent_measuring(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three groups were timed for one that counts: the share of timed windows has all of them."""
    timings: list[Timing] = []

    def timed_and_heard(bed: Bed, task: Challenge, effort: OperationEffort) -> Timing:
        timings.append(time_task(bed, task, effort))
        return timings[-1]

    monkeypatch.setattr("assay.measure.operation.rounds.time_task", timed_and_heard)
    package = written_hash(drive, HONEST_HASH)
    with drive.speaking(package) as timed, drive.speaking(package) as proof:
        assert isinstance(timed.agent, TimedAgent)
        timed.agent.around_timing = Unsettled(2)
        wanted = group(timed.subject, 1536)
        taken = take_group(timed, proof, wanted, EFFORT, Random(4))
    counted = taken.samples[0].ticks
    groups = timings[-3:]  # those before found out how many calls make a sample
    assert [one.ticks == counted for one in groups] == [False, False, True]
    assert taken.timed_ticks == sum(one.warm_up + sum(one.ticks) for one in groups)
