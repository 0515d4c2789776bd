# SPDX-License-Identifier: MIT
"""What the key of a rejected ciphertext is made of: secret bytes, and not the true key.

It must follow from the secret key, or everybody can compute it and so learn that a ciphertext
was rejected; and it may have nothing to do with the true key.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFinding
from assay.check.operation.trial import OperationTrial
from assay.check.routine import flipped
from assay.check.schemes.kem import CIPHERTEXT, KEY, PUBLIC_KEY, SECRET_KEY, only_kems, report
from assay.check.seal.openings import Opening, calls_of

KEY_SECONDS, DEEP_KEY_SECONDS = 0.3, 5.0
REJECTIONS = 40  # after so many no bit is equal by chance in all of them
FEWEST_BYTES = 16  # of keys that are compared bit by bit
NEAR = 4  # fewer than one bit in so many differs
BLOCKS = 64  # of a secret key
LEAST = 16  # secret bytes of which a rejected key is made
ENOUGH = 32  # of which no scheme needs more
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
        if not any(made):
            _note_answer(arena, changed[:2])
        if not keys:
            return ""  # what is rejected gives an error, or is accepted: kem/rejection
        _compare_keys(trial, true, keys)
        rejected = next(one for one, key in zip(changed, made, strict=False) if key in keys)
        made_of = _Made(trial, arena, dec, rejected, enc.value(PUBLIC_KEY))
        return made_of.judge(budget)


def _key(arena: Arena, one: Opening) -> bytes:
    """Return the key of a ciphertext; nothing if an error is returned."""
    found = arena.outcome(one.routine)
    return found.outputs[KEY] if found.results[0] == 0 else b""


def _note_answer(arena: Arena, rejected: Sequence[Opening]) -> None:
    """Raise CheckFinding where a key of its own is written for each of what gives an error."""
    one, other = (arena.outcome(each.routine) for each in rejected)
    if one.outputs[KEY] != other.outputs[KEY]:
        raise CheckFinding(
            f"crypto_kem_dec returns {one.results[0]} for what it rejects, and writes a key of "
            "its own for each: the result tells what the key hides"
        )


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


@dataclass(frozen=True, slots=True)
class _Made:
    """A genuine ciphertext, and a rejected one whose key is made of some bytes of the secret."""

    trial: OperationTrial
    arena: Arena
    genuine: Opening
    rejected: Opening
    public: bytes

    def judge(self, budget: Budget) -> str:
        """Change the secret key, first in blocks, and report if the rejected key stays."""
        places, key = self._places(), _key(self.arena, self.rejected)
        live: list[int] = []
        for at in self._each(budget, places, key):
            live += [at] if self._changed(self.rejected, (at,)) not in (b"", key) else ()
            if len(live) == ENOUGH:
                break
        if len(live) >= LEAST:
            _require_alike(self.trial, self.arena, self.rejected, live)
            if len(live) < ENOUGH and not budget.left_out:
                self._note_idle(sorted({live[0] - 1, live[-1] + 1} & set(places)), len(live))
            return ""
        if budget.left_out:
            return budget.remark("changes of the secret key")
        if not live:
            reason = "what is rejected gives a key that follows from public data"
            report(self.trial, f"{reason}: no change of the secret key alters it", "")
        report(self.trial, f"a rejected key is made of {len(live)} bytes of the secret key", "")
        return ""

    def _places(self) -> list[int]:
        """Return where the secret key has bytes besides the public key."""
        secret, size = self.rejected.value(SECRET_KEY), len(self.public)
        copy = secret.find(self.public)
        return [at for at in range(len(secret)) if copy < 0 or not 0 <= at - copy < size]

    def _each(self, budget: Budget, places: Sequence[int], key: bytes) -> Iterator[int]:
        """Yield the places in those blocks that change something."""
        session, blocks = self.arena.session, tuple(_blocks(places))
        each = budget.each(session, blocks)
        live = [one for one in each if self._changed(self.rejected, one) != key]
        yield from budget.each(session, tuple(at for block in live for at in block))

    def _changed(self, one: Opening, some: Sequence[int]) -> bytes:
        return _key(self.arena, _flipped(one, one.value(SECRET_KEY), some))

    def _note_idle(self, beside: Sequence[int], count: int) -> None:
        """Raise CheckFinding for a byte beside those of a rejected key that is not used at all."""
        for at in beside:
            if self._changed(self.genuine, (at,)) == _key(self.arena, self.genuine):
                raise CheckFinding(
                    f"a rejected key is made of {count} bytes of the secret key, and byte {at} of "
                    "it, beside those, matters to no ciphertext"
                )


def _require_alike(
    trial: OperationTrial, arena: Arena, rejected: Opening, live: Sequence[int]
) -> None:
    """Report a ciphertext of zeros or ones whose key does not follow from the same bytes."""
    secret, size = rejected.value(SECRET_KEY), len(rejected.value(CIPHERTEXT))
    for byte in (0x00, FLIPPED):
        one = rejected.given(CIPHERTEXT, bytes([byte]) * size, f"a ciphertext of bytes {byte:02x}")
        key = _key(arena, one)
        if key and _key(arena, _flipped(one, secret, live)) == key:
            reason = f"{one.about} has a key that is not made of the bytes of other rejected ones"
            report(trial, reason, f"the key is {key.hex()}\n")


def _blocks(places: Sequence[int]) -> Iterator[Sequence[int]]:
    size = max(-(-len(places) // BLOCKS), 1)  # a secret key may be the public one
    for at in range(0, len(places), size):
        yield places[at : at + size]


def _flipped(one: Opening, secret: bytes, places: Sequence[int]) -> Opening:
    for at in places:
        secret = flipped(secret, at, FLIPPED)
    return one.given(SECRET_KEY, secret, f"{len(places)} bytes of the secret key changed")


CHECK = Check(
    "kem/rejected-key",
    "Does the key of a rejected ciphertext follow from secret bytes, and not from the true key?",
    (
        "Implicit rejection hides that a ciphertext was refused. A rejected key that is a "
        "hash of public data, or of four secret bytes, tells everybody, and one that shares "
        "bits with the true key tells more. Ciphertexts of zeros and of ones are asked about, "
        "too. A failure where security against chosen ciphertexts is declared; fewer than 32 "
        "bytes beside some that nothing uses are a finding."
    ),
    "Make the rejected key of a secret of its own and the whole ciphertext, as FIPS 203 does.",
    run_rejected_key,
)
