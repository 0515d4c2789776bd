# SPDX-License-Identifier: MIT
"""What encapsulation and decapsulation must depend on, and what FIPS 203 says of ML-KEM.

That is compared as far as hash functions compute it.
"""

from collections.abc import Iterator
from hashlib import shake_256
from itertools import combinations, product

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import RoutineOutcome
from assay.check.seal.openings import CCA, Opening, calls_of, promises_cca
from assay.model.api import Role
from assay.model.operation import Op

RANKS = {"mlkem512": 2, "mlkem768": 3, "mlkem1024": 4}
CIPHERTEXTS = {2: 768, 3: 1088, 4: 1568}
SIZE = 32
POLYNOMIAL = 384
Q = 3329
COEFFICIENTS = 256  # of a polynomial
PAIR, BITS = 3, 12  # bytes of two coefficients, and bits of each (ByteEncode_12)


class DecapsulationKey(Struct, frozen=True):
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


SECONDS, DEEP_SECONDS = 1.5, 20.0
PART = 16
SHORT_BYTES = 2048
FEW_IN_KEY = 24  # places of each part of a secret key
KEY, CIPHERTEXT, SECRET_KEY, PUBLIC_KEY = "t", "c", "s", "p"

Keys = dict[bytes, str]  # shared keys, and what they came from


def run_rejection(trial: OperationTrial) -> str:
    """Decapsulate changed ciphertexts: each gives another key, or an error."""
    only_kems(trial)
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        dec = calls_of(trial, session)["_dec"]
        arena = Arena(session)
        seen: Keys = {arena.outcome(dec.routine).outputs[KEY]: "the true ciphertext"}
        tried = budget.each(session, tuple(_changed(trial, dec, CIPHERTEXT)))
        pending = [(one, arena.begin(one.routine)) for one in tried]
        for one, answer in pending:
            _distinct(trial, one, answer.value.results[0], answer.value.outputs[KEY], seen)
        _other_key(trial, session, dec)
    return budget.remark("ciphertexts")


def only_kems(trial: OperationTrial) -> None:
    """Raise CheckInapplicable for other operations."""
    if trial.subject.operation != Op.KEM:
        raise CheckInapplicable("nothing is encapsulated")


def _changed(trial: OperationTrial, call: Opening, name: str) -> Iterator[Opening]:
    """Flip a bit in each part, all of the first byte and of the last; then pairs.

    With `--deep` a part is a byte, and of a short ciphertext all bits are flipped: those that
    change the message are rejected for that, whatever is compared.
    """
    size = len(call.value(name))
    part = 1 if trial.deep else PART
    among = [trial.random.randrange(at, min(at + part, size)) for at in range(0, size, part)]
    places = list(dict.fromkeys((0, size - 1, *among)))
    for at, bit in product((0, size - 1), range(8)):
        yield call.with_bits(name, (at, bit))
    first = {at: trial.random.randrange(8) for at in places[2:]}
    for more in range(8 if trial.deep and size <= SHORT_BYTES else 1):
        for at, bit in first.items():
            yield call.with_bits(name, (at, (bit + more) % 8))
    few = trial.some(places, PART)
    for a, b in trial.some(list(combinations(few, 2)), min(PART, len(few) - 1)):
        yield from (call.with_bits(name, (a, bit), (b, bit)) for bit in (0, 7))
    yield call.given(name, bytes(size), f"{name} of zeros")
    yield call.given(name, trial.bytes(size), f"{name} at random")


def _distinct(trial: OperationTrial, one: Opening, result: int, key: bytes, seen: Keys) -> None:
    """Note a key; it may not have been there before."""
    if result:
        return
    if key in seen:
        reason = f"{one.step.function} gives with {one.about} the same key as with {seen[key]}"
        report(trial, reason, inputs(one.routine))
    seen[key] = one.about


def report(trial: OperationTrial, reason: str, evidence: str) -> None:
    """Raise: a failure where security against chosen ciphertexts is promised."""
    if trial.subject.primitive in RANKS or promises_cca(trial):
        raise CheckFailed(reason, evidence)
    raise CheckFinding(f"{reason}; the package does not declare {CCA}", evidence)


def _other_key(trial: OperationTrial, session: OperationSession, dec: Opening) -> None:
    """Decapsulate one ciphertext that nobody made with two secret keys."""
    with session.seeded(trial.bytes(len(session.seed))):
        other = calls_of(trial, session)["_dec"]
    arena = Arena(session)
    ciphertext = trial.bytes(len(dec.value(CIPHERTEXT)))
    found = [arena.outcome(one.given(CIPHERTEXT, ciphertext, "").routine) for one in (dec, other)]
    if found[0].results[0] == 0 and found[0] == found[1]:
        report(trial, "what is rejected gives the same key with two secret keys", "")


def run_definition(trial: OperationTrial) -> str:
    """Compare keys of ML-KEM with what FIPS 203 says they are."""
    only_kems(trial)
    rank = RANKS.get(trial.subject.primitive, 0)
    if trial.subject.constant("CIPHERTEXTBYTES") != CIPHERTEXTS.get(rank):
        raise CheckInapplicable("the bench has no definition of the primitive")
    with trial.session() as session:
        calls = calls_of(trial, session)
        enc, dec = calls["_enc"], calls["_dec"]
        arena = Arena(session)
        _rejections(trial, arena, dec, rank)
        _damaged_keys(trial, arena, dec, rank)
        _public_keys(trial, arena, enc, rank)
    return ""


def _rejections(trial: OperationTrial, arena: Arena, dec: Opening, rank: int) -> None:
    """Look at J(z, c), also with another z."""
    secret = DecapsulationKey(rank, dec.value(SECRET_KEY))
    for at in (secret.parts["z"][0], secret.parts["z"][-1], None):
        key = dec if at is None else dec.with_bits(SECRET_KEY, (at, 0))
        some = tuple(_changed(trial, key, CIPHERTEXT))[:: PART // 2]
        for one in (*some, *(key.filled(CIPHERTEXT) if at is None else ())):
            held = DecapsulationKey(rank, one.value(SECRET_KEY))
            found = arena.outcome(one.routine)
            actual, expected = found.outputs[KEY], held.rejection(one.value(CIPHERTEXT))
            if found.results[0] == 0 and actual != expected:
                raise CheckFailed(
                    f"{one.step.function} with {one.about} does not give J(z, c)",
                    f"expected {expected.hex()}\nactual   {actual.hex()}\n",
                )


def _damaged_keys(trial: OperationTrial, arena: Arena, dec: Opening, rank: int) -> None:
    """Use a true ciphertext with secret keys of which a byte is wrong: only z does not count."""
    secret = DecapsulationKey(rank, dec.value(SECRET_KEY))
    true = arena.outcome(dec.routine).outputs[KEY]
    accepted = ""
    for name, places in secret.parts.items():
        ends = (places[0], places[-1])
        for at in {*ends, *trial.some(places, FEW_IN_KEY)}:
            one = dec.with_bits(SECRET_KEY, (at, trial.random.randrange(8)))
            found = arena.outcome(one.routine)
            if found.results[0]:
                _require_nothing(one, found)
                continue
            held = DecapsulationKey(rank, one.value(SECRET_KEY))
            expected = true if name == "z" else held.rejection(dec.value(CIPHERTEXT))
            if found.outputs[KEY] != expected:
                raise CheckFailed(
                    f"{dec.step.function} with a secret key whose part `{name}` is damaged gives "
                    f"{'the true key' if found.outputs[KEY] == true else 'another key'}",
                    f"{one.about}\nexpected {expected.hex()} or an error\n"
                    f"actual   {found.outputs[KEY].hex()}\n",
                )
            accepted = accepted or ("" if name != "the public key's hash" else one.about)
    if accepted:
        raise CheckFinding(
            f"{dec.step.function} does not compare the public key in a secret key with its hash",
            f"{accepted}\nFIPS 203, section 7.3, wants that before, here or at the caller's\n",
        )


def _require_nothing(one: Opening, found: RoutineOutcome) -> None:
    """Raise CheckFinding if a call that refuses leaves a key: all its bytes may be the same."""
    keys = [found.outputs[name] for name in one.routine.having(Role.KEY) if name in found.outputs]
    if found.results[0] and any(len(set(key)) > 1 for key in keys):
        raise CheckFinding(
            f"{one.step.function} refuses a key, and leaves a shared key all the same",
            f"{one.about}\nand the key is {keys[0].hex()}\n",
        )


def _public_keys(trial: OperationTrial, arena: Arena, enc: Opening, rank: int) -> None:
    """Encapsulate with the same randomness to changed keys, and to some that are not reduced."""
    true = arena.outcome(enc.routine)
    for one in _changed(trial, enc, PUBLIC_KEY):
        found = arena.outcome(one.routine)
        if found.results[0] == 0 and any(
            found.outputs[name] == value for name, value in true.outputs.items()
        ):
            raise CheckFailed(
                f"{one.step.function} gives with {one.about} the same as with the true key",
                inputs(one.routine),
            )
    for one in _not_reduced(enc, rank):
        found = arena.outcome(one.routine)
        _require_nothing(one, found)
        if found.results[0] == 0:
            raise CheckFinding(
                f"{enc.step.function} takes a public key {one.about}",
                "FIPS 203, section 7.2, wants the comparison of all coefficients with q before, "
                "here or at the caller's\n",
            )


def _not_reduced(enc: Opening, rank: int) -> Iterator[Opening]:
    """Yield public keys in which a coefficient at an end of a polynomial is q or more."""
    key = enc.value(PUBLIC_KEY)
    for at, value in product(range(rank), (4095, Q)):
        for place in (0, COEFFICIENTS - 1):
            number = COEFFICIENTS * at + place
            first, shift = number // 2 * PAIR, number % 2 * BITS
            pair = int.from_bytes(key[first : first + PAIR], "little")
            pair = pair & ~(4095 << shift) | value << shift
            data = key[:first] + pair.to_bytes(PAIR, "little") + key[first + PAIR :]
            yield enc.given(PUBLIC_KEY, data, f"whose coefficient {number} is {value}")


CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "kem/rejection",
        "Does every change of a ciphertext give another key, or an error?",
        (
            "Whoever may change a part of a ciphertext without effect can ask for the key of a "
            "ciphertext that is not his. SUPERCOP decapsulates three changed ciphertexts. A "
            "failure where security against chosen ciphertexts is declared or defined."
        ),
        "Compare all of the ciphertext with the one that was encrypted again.",
        run_rejection,
    ),
    Check(
        "kem/definition",
        "Do damaged ciphertexts and keys of ML-KEM give what FIPS 203 says?",
        (
            "A key that rejection gives may depend on nothing but z and the ciphertext, and a "
            "damaged secret or public key may not give the true one; no test of random inputs "
            "has such keys."
        ),
        "Follow FIPS 203, sections 6.3, 7.2 and 7.3.",
        run_definition,
    ),
)
