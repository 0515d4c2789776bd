# SPDX-License-Identifier: MIT
"""What encapsulation and decapsulation must depend on, and what FIPS 203 says of ML-KEM.

That is compared as far as hash functions compute it. The key that decapsulation gives for a
ciphertext which nobody made must follow from the secret key, or everybody can compute it and so
learn that a ciphertext was rejected; and it may have nothing to do with the true key.
"""

from collections.abc import Iterator, Sequence
from hashlib import shake_256
from itertools import combinations, product

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import RoutineOutcome, flipped
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
    few = trial.random.sample(places, min(PART, len(places)))
    for a, b in trial.random.sample(list(combinations(few, 2)), min(PART, len(few) - 1)):
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
            if found.results[0] == 0:
                _expect(one, found.outputs[KEY], held.rejection(one.value(CIPHERTEXT)))


def _expect(one: Opening, actual: bytes, expected: bytes) -> None:
    if actual != expected:
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
        for at in {*ends, *trial.random.sample(places, min(FEW_IN_KEY, len(places)))}:
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


KEY_SECONDS, DEEP_KEY_SECONDS = 0.3, 5.0
REJECTIONS = 40  # after so many no bit is equal by chance in all of them
FEWEST_BYTES = 16  # of keys that are compared bit by bit
NEAR = 4  # fewer than one bit in so many differs
BLOCKS = 64  # of a secret key
LEAST = 16  # secret bytes of which a rejected key is made
FLIPPED = 0xFF


def run_rejected_key(trial: OperationTrial) -> str:
    """Compare rejected keys with the true one, and under changed secret keys."""
    only_kems(trial)
    budget = trial.budget(DEEP_KEY_SECONDS if trial.deep else KEY_SECONDS)
    with trial.session() as session:
        calls = calls_of(trial, session)
        enc, dec = calls["_enc"], calls["_dec"]
        arena = Arena(session)
        true = arena.outcome(dec.routine).outputs[KEY]
        size = len(dec.value(CIPHERTEXT))
        places = [
            (trial.random.randrange(size), trial.random.randrange(8)) for _ in range(REJECTIONS)
        ]
        changed = [dec.with_bits(CIPHERTEXT, one) for one in places]
        made = [_key(arena, one) for one in budget.each(session, changed)]
        keys = [one for one in made if one and one != true]
        if not keys:
            return ""  # what is rejected gives an error, or is accepted: kem/rejection
        _compare_keys(trial, true, keys)
        rejected = next(one for one, key in zip(changed, made, strict=False) if key in keys)
        return _made_of(trial, arena, budget, rejected, enc.value(PUBLIC_KEY))


def _key(arena: Arena, one: Opening) -> bytes:
    """Return the key of a ciphertext; nothing if an error is returned."""
    found = arena.outcome(one.routine)
    return found.outputs[KEY] if found.results[0] == 0 else b""


def _compare_keys(trial: OperationTrial, true: bytes, keys: Sequence[bytes]) -> None:
    """Report keys that are near the true one, and bits that always are as its."""
    if len(true) < FEWEST_BYTES:
        return
    bits, whole = 8 * len(true), int.from_bytes(true, "little")
    others = [int.from_bytes(one, "little") ^ whole for one in keys]
    for key, other in zip(keys, others, strict=True):
        if other.bit_count() * NEAR < bits:
            report(
                trial,
                f"a rejected key differs from the true one in {other.bit_count()} of {bits} bits",
                f"true     {true.hex()}\nrejected {key.hex()}\n",
            )
    same, different = (1 << bits) - 1, (1 << bits) - 1
    for other in others:
        same, different = same & ~other, different & other
    if len(keys) == REJECTIONS and same | different:
        count = (same | different).bit_count()
        report(trial, f"{count} bits of {REJECTIONS} rejected keys follow from the true one", "")


def _made_of(
    trial: OperationTrial, arena: Arena, budget: Budget, rejected: Opening, public: bytes
) -> str:
    """Change the secret key, first in blocks, and report if the rejected key stays."""
    key, secret = _key(arena, rejected), rejected.value(SECRET_KEY)
    copy = secret.find(public)
    places = [at for at in range(len(secret)) if not 0 <= at - copy < len(public) or copy < 0]

    def changed(some: Sequence[int]) -> bytes:
        return _key(arena, _flipped(rejected, secret, some))

    blocks = tuple(_blocks(places))
    open_ones = [one for one in budget.each(arena.session, blocks) if changed(one) != key]
    single = [(at,) for block in open_ones for at in block]
    live: list[int] = []
    for one in budget.each(arena.session, single):
        live += one if changed(one) not in (b"", key) else ()
        if len(live) == LEAST:
            return _of_specials(trial, arena, rejected, live)
    if budget.left_out:
        return budget.remark("changes of the secret key")
    if not live:
        reason = "what is rejected gives a key that follows from public data"
        report(trial, f"{reason}: no change of the secret key alters it", "")
    report(trial, f"a rejected key is made of {len(live)} bytes of the secret key", "")
    return ""


def _of_specials(
    trial: OperationTrial, arena: Arena, rejected: Opening, live: Sequence[int]
) -> str:
    """Let the ciphertext be all zeros, or all ones: its key follows from the same bytes."""
    secret, size = rejected.value(SECRET_KEY), len(rejected.value(CIPHERTEXT))
    for byte in (0x00, FLIPPED):
        one = rejected.given(CIPHERTEXT, bytes([byte]) * size, f"a ciphertext of bytes {byte:02x}")
        key = _key(arena, one)
        if key and _key(arena, _flipped(one, secret, live)) == key:
            reason = f"{one.about} has a key that is not made of the bytes of other rejected ones"
            report(trial, reason, f"the key is {key.hex()}\n")
    return ""


def _blocks(places: Sequence[int]) -> Iterator[Sequence[int]]:
    size = max(-(-len(places) // BLOCKS), 1)  # a secret key may be the public one
    for at in range(0, len(places), size):
        yield places[at : at + size]


def _flipped(one: Opening, secret: bytes, places: Sequence[int]) -> Opening:
    for at in places:
        secret = flipped(secret, at, FLIPPED)
    return one.given(SECRET_KEY, secret, f"{len(places)} bytes of the secret key changed")


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
    Check(
        "kem/rejected-key",
        "Does the key of a rejected ciphertext follow from secret bytes, and not from the true "
        "key?",
        (
            "Implicit rejection hides that a ciphertext was refused. A rejected key that is a "
            "hash of public data, or of four secret bytes, tells everybody, and one that shares "
            "bits with the true key tells more. Ciphertexts of zeros and ones are rejected like "
            "others. A failure where security against chosen "
            "ciphertexts is declared."
        ),
        "Make the rejected key of a secret of its own and the whole ciphertext, as FIPS 203 does.",
        run_rejected_key,
    ),
)
