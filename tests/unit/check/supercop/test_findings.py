# SPDX-License-Identifier: MIT
"""Every defect is found, under the question that is its own and no other."""

import hashlib

import pytest
from tests.unit.check.supercop.conftest import Function, Pointer, Run, Toy, fault, opener, settings
from tests.unit.check.supercop.toys import (
    AEAD,
    AEAD_CONSTANTS,
    KEM,
    KEM_CONSTANTS,
    REFUSED,
    STREAM,
    TAG_BYTES,
    chacha20,
    hash_of,
    kem_dec,
    mixed,
    pad,
    stream_xor,
)

from assay.check.supercop.judge import Case
from assay.check.supercop.outcomes import questions
from assay.check.supercop.program import Program
from assay.check.supercop.run import ProgramRunner

HASH = hash_of("sha256")[""]
STREAM_CONSTANTS = {"KEYBYTES": 32, "NONCEBYTES": 8}


def a_hash(function: Function) -> Toy:
    """Make a toy of crypto_hash."""
    return Toy("crypto_hash", {"BYTES": 32}, {"": function})


def an_aead(**functions: Function) -> Toy:
    """Make a toy of crypto_aead with other functions."""
    return Toy("crypto_aead", AEAD_CONSTANTS, AEAD | functions)


def a_kem(**functions: Function) -> Toy:
    """Make a toy of crypto_kem with other functions."""
    return Toy("crypto_kem", KEM_CONSTANTS, KEM | functions, frozenset({"_keypair", "_enc"}))


def returns_one(h: Pointer, m: Pointer, length: int) -> int:
    """Return what nobody expects."""
    HASH(h, m, length)
    return 1


def writes_behind(h: Pointer, m: Pointer, length: int) -> int:
    """Write three bytes behind the digest."""
    HASH(h, m, length)
    h.write(b"!", 35)
    return 0


def writes_before(h: Pointer, m: Pointer, length: int) -> int:
    """Write 16 bytes before the digest."""
    HASH(h, m, length)
    h.write(bytes([h.read(1, -16)[0] ^ 1]), -16)
    return 0


def changes_its_message(h: Pointer, m: Pointer, length: int) -> int:
    """Change the first byte of the message."""
    HASH(h, m, length)
    m.write(bytes([255 - byte for byte in m.read(min(length, 1))]))
    return 0


def reads_beyond(h: Pointer, m: Pointer, length: int) -> int | None:
    """Hash a byte too many."""
    return HASH(h, m, length + 1)


def leaves_a_byte(h: Pointer, m: Pointer, length: int) -> int:
    """Leave the last byte of the digest unwritten."""
    h.write(hashlib.sha256(m.read(length)).digest()[:31])
    return 0


def writes_too_early(h: Pointer, m: Pointer, length: int) -> int | None:
    """Clear the digest before the message is read."""
    h.write(bytes(32))
    return HASH(h, m, length)


def adds_one(c: Pointer, m: Pointer, length: int, n: Pointer, k: Pointer) -> int:
    """Flip a bit of every byte."""
    stream_xor(c, m, length, n, k)
    c.write(mixed(c.read(length), bytes([1]) * length))
    return 0


def accepts_everything(
    m: Pointer, size: list[int], nsec: Pointer, c: Pointer, length: int,
    _ad: Pointer, _adlen: int, npub: Pointer, k: Pointer,
) -> int:  # fmt: skip
    """Open without looking at the tag."""
    text = c.read(length - TAG_BYTES)
    text = mixed(text, pad(k, npub, len(text)))
    nsec.write(text[:4])
    m.write(text[4:])
    size[0] = len(text) - 4
    return 0


def forgets_the_secret_number(
    m: Pointer, size: list[int], nsec: Pointer, *more: object
) -> int | None:
    """Give zeros for the secret number."""
    result = AEAD["_decrypt"](m, size, nsec, *more)
    nsec.write(bytes(4))
    return result


def claims_more(c: Pointer, size: list[int], *more: object) -> int:
    """Give a length that is one too large."""
    AEAD["_encrypt"](c, size, *more)
    size[0] += 1
    return 0


def opens_to_another_length(m: Pointer, size: list[int], *more: object) -> int | None:
    """Give a length that is one off."""
    result = AEAD["_decrypt"](m, size, *more)
    size[0] ^= 1
    return result


def gives_another_key(k: Pointer, c: Pointer, sk: Pointer) -> int:
    """Clear a byte of the key."""
    kem_dec(k, c, sk)
    k.write(bytes(1), 5)
    return 0


def turns_round(x: Pointer, count: int) -> None:
    """Move the first item to the end."""
    data = x.read(4 * count)
    x.write(data[4:] + data[:4])


def adds_scalars(q: Pointer, n: Pointer, p: Pointer) -> int:
    """Hash both arguments, in their order."""
    q.write(hashlib.sha256(n.read(32) + p.read(32)).digest())
    return 0


def copies(q: Pointer, n: Pointer) -> int:
    """Use the scalar as the point."""
    q.write(n.read(32))
    return 0


@pytest.mark.parametrize(
    ("toy", "question", "words"),
    [
        (a_hash(returns_one), "supercop/returns", "returns 1, not 0"),
        (a_hash(writes_behind), "supercop/margins", "writes behind its output h"),
        (a_hash(writes_before), "supercop/margins", "writes before its output h"),
        (a_hash(changes_its_message), "supercop/inputs", "changes its input m"),
        (a_hash(reads_beyond), "calls/deterministic", "at another place gives another h"),
        (a_hash(writes_too_early), "supercop/overlap", "with h where m is"),
        (
            Toy("crypto_stream", STREAM_CONSTANTS, STREAM | {"_xor": adds_one}),
            "supercop/consistent",
            "differs from adding the stream",
        ),
        (an_aead(_decrypt=accepts_everything), "supercop/forgeries", "with c modified accepts"),
        (an_aead(_decrypt=forgets_the_secret_number), "supercop/round-trip", "r different from s"),
        (a_kem(_dec=gives_another_key), "supercop/round-trip", "t different from k"),
        (Toy("crypto_sort", {"BYTES": 4}, {"": turns_round}), "supercop/consistent", "on its own"),
        (
            Toy(
                "crypto_scalarmult",
                {"BYTES": 32, "SCALARBYTES": 32},
                {"": adds_scalars, "_base": copies},
            ),
            "supercop/commutative",
            "f different from e",
        ),
    ],
)
def test_a_defect_is_found_under_its_question(
    run: Run, toy: Toy, question: str, words: str
) -> None:
    """A defect is found under its question."""
    outcome = run(toy)
    assert list(outcome.findings) == [question]
    assert words in outcome.findings[question].reason
    assert "loop" in outcome.findings[question].evidence


def test_a_byte_that_is_never_written_is_told(run: Run) -> None:
    """A byte that is never written is told."""
    found = run(a_hash(leaves_a_byte)).findings
    assert "leaves bytes of its output h" in found["calls/deterministic"].reason


@pytest.mark.parametrize(
    ("toy", "words"),
    [
        (an_aead(_encrypt=claims_more), "adds 21 bytes; api.h says at most 20"),
        (an_aead(_decrypt=opens_to_another_length), "where"),
    ],
)
def test_lengths_that_are_not_allowed_are_told(run: Run, toy: Toy, words: str) -> None:
    """Lengths that are not allowed are told."""
    assert words in run(toy).findings["supercop/lengths"].reason


def test_a_wrong_result_for_one_length_gives_another_checksum(run: Run) -> None:
    """A wrong result for one length gives another checksum."""

    def wrong_for_77(h: Pointer, m: Pointer, length: int) -> int:
        HASH(h, m, length)
        h.write(bytes(1) if length == 77 else b"")
        return 0

    outcome = run(a_hash(wrong_for_77))
    assert outcome.findings == {}
    assert outcome.checksum != run(a_hash(HASH)).checksum


def test_outputs_over_inputs_are_not_asked_for_if_api_h_says_so(run: Run) -> None:
    """Outputs over inputs are not asked for if api h says so."""

    def early(h: Pointer, out: int, m: Pointer, length: int) -> None:
        h.write(bytes(out))
        h.write(hashlib.shake_256(m.read(length)).digest(out))

    toy = Toy("crypto_xof", {"NOOVERLAP": 1}, {"": early})
    assert run(toy).findings == {}
    assert "supercop/overlap" not in questions(settings(toy))
    assert "supercop/overlap" in run(Toy("crypto_xof", {}, {"": early})).findings


def test_a_signer_that_does_not_promise_it_need_not_repeat_itself() -> None:
    """A signer that does not promise it need not repeat itself."""
    constants = {"BYTES": 64, "PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 64}
    promising = Toy("crypto_sign", constants | {"DETERMINISTIC": 1}, {})
    free = Toy("crypto_sign", constants, {})
    signing = settings(free).task.calls[1]
    assert settings(promising).deterministic(signing)
    assert not settings(free).deterministic(signing)


def test_a_fault_stops_the_run_where_it_was_asked(run: Run) -> None:
    """A fault stops the run where it was asked."""

    def faults_in_place(h: Pointer, m: Pointer, length: int) -> int | None:
        return fault() if h.at == m.at and h.memory is m.memory else HASH(h, m, length)

    stop = run(a_hash(faults_in_place)).stop
    assert stop is not None
    assert (stop.question, stop.misaligned) == ("supercop/overlap", False)
    assert "with h where m is, loop 0" in stop.account
    assert "SIGSEGV" in stop.account


def test_a_fault_off_alignment_only_is_told_apart(run: Run) -> None:
    """A fault off alignment only is told apart."""

    def needs_alignment(h: Pointer, m: Pointer, length: int) -> int | None:
        return fault() if m.at % 16 else HASH(h, m, length)

    stop = run(a_hash(needs_alignment)).stop
    assert stop is not None
    assert stop.misaligned


def test_a_fault_at_every_address_is_none_of_alignment(run: Run) -> None:
    """A fault at every address is none of alignment."""
    stop = run(a_hash(fault)).stop
    assert stop is not None
    assert (stop.question, stop.misaligned) == ("supercop/returns", False)


def test_a_fault_after_a_wrong_length_is_put_down_to_the_length(run: Run) -> None:
    """A fault after a wrong length is put down to the length."""

    def opens_what_is_there(
        m: Pointer, size: list[int], nsec: Pointer, c: Pointer, length: int, *more: object
    ) -> int | None:
        return fault() if length > 10_000 else AEAD["_decrypt"](m, size, nsec, c, length, *more)

    def claims_a_million(c: Pointer, size: list[int], *more: object) -> int:
        AEAD["_encrypt"](c, size, *more)
        size[0] = 1_000_000
        return 0

    outcome = run(an_aead(_encrypt=claims_a_million, _decrypt=opens_what_is_there))
    assert outcome.stop is not None
    assert outcome.stop.question == "supercop/lengths"
    assert "adds" in outcome.findings["supercop/lengths"].reason


def test_the_same_answer_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answer is judged once."""
    judged: list[Case] = []
    honest = Case.judge
    monkeypatch.setattr(Case, "judge", lambda case: judged.append(case) or honest(case))  # type: ignore[func-returns-value]
    toy = a_hash(HASH)
    program = Program(settings(toy))
    outcomes = [ProgramRunner(opener(toy), program).run() for _ in range(2)]
    assert outcomes[0].checksum == outcomes[1].checksum
    assert len(judged) == outcomes[0].loops


def test_a_wrong_answer_is_judged_every_time() -> None:
    """A wrong answer is judged every time."""
    toy = a_hash(returns_one)
    program = Program(settings(toy))
    outcomes = [ProgramRunner(opener(toy), program).run() for _ in range(2)]
    assert [list(one.findings) for one in outcomes] == [["supercop/returns"]] * 2


def test_refusing_damaged_ciphertexts_is_hashed_as_the_ciphertexts(run: Run) -> None:
    """Refusing damaged ciphertexts is hashed as the ciphertexts."""

    def refuses(k: Pointer, c: Pointer, sk: Pointer) -> int:
        honest = Pointer(bytearray(40), 0)
        kem_dec(honest, c, sk)
        number = mixed(c.read(32), hashlib.sha256(sk.read(32)).digest())
        if hashlib.sha256(number).digest()[:8] != c.read(8, 32):
            return REFUSED
        k.write(honest.read(32))
        return 0

    one, other = run(a_kem(_dec=refuses)), run(a_kem())
    assert (one.findings, other.findings) == ({}, {})
    assert one.checksum != other.checksum


def test_the_stream_of_the_tests_is_an_ordinary_one() -> None:
    """The stream of the tests is an ordinary one."""
    assert chacha20(bytes(32), bytes(8), bytes(4)).hex() == "76b8e0ad"
