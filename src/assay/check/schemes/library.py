# SPDX-License-Identifier: MIT
"""What Python's libraries compute: hashlib, hmac and `cryptography`, as oracles for all kinds.

An oracle gets the values of all variables of a use by name, outputs among them, and says what
outputs must be. A length that code treats otherwise than all others shows there and nowhere else.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable
from assay.check.evidence import require_equal
from assay.check.lengths.far import LONGEST as FAST
from assay.check.lengths.far import affordable, any_far, every_far, named_lengths
from assay.check.routine import LONGEST, Routine, RoutineOutcome
from assay.check.schemes.known import seeded, signing_key, without_marks
from assay.check.trial import AnyTrial, Batch
from assay.model import HashSubject, OperationSubject, StreamSubject, Subject
from assay.model.compared import LIBRARY
from assay.model.operation import Op

Values = Mapping[str, bytes]
Oracle = Callable[[Values], Values]

FIXED = {
    "md5": "md5", "sha1": "sha1", "sha224": "sha224", "sha256": "sha256", "sha384": "sha384",
    "sha512": "sha512", "sha3224": "sha3_224", "sha3256": "sha3_256", "sha3384": "sha3_384",
    "sha3512": "sha3_512", "blake2b": "blake2b", "blake2s": "blake2s", "sm3": "sm3",
}  # fmt: skip
BY_SIZE = {"sha2": "sha", "sha3": "sha3_"}  # with the bits of the digest behind it
EXTENDABLE = {"shake128": "shake_128", "shake256": "shake_256"}
LARGEST = {"blake2b": 64, "blake2s": 32}
MACS = {
    "hmacsha1": ("sha1", 20), "hmacsha256": ("sha256", 32), "hmacsha512": ("sha512", 64),
    "hmacsha512256": ("sha512", 32), "hmacsha3256": ("sha3_256", 32), "hmacsm3": ("sm3", 32),
}  # fmt: skip
"""The hash of a MAC, and how many bytes of it are the tag."""
GCM = ("aes128gcmv1", "aes192gcmv1", "aes256gcmv1", "aes128gcm", "aes256gcm")
CHACHA20, CTR = ("chacha20", "chacha20ietf"), ("aes128ctr", "aes192ctr", "aes256ctr")
POLY1305 = ("chacha20poly1305", "chacha20poly1305ietf")
NONCE, TAG, POLY1305_KEY = 12, 16, 32
PIECE = 1 << 20
LONGEST_NAMED, MOST_NAMED = 1 << 22, 6  # lengths of messages that instructions name
SECONDS, DEEP_SECONDS = 0.2, 10.0
RANDOM, FAR_RANDOM, DEEP_RANDOM = 16, 4, 400


class Running(Struct, frozen=True):
    """A digest or tag that a library computes piece by piece."""

    update: Callable[[bytes], object]
    finish: Callable[[], bytes]

    def of(self, message: bytes) -> bytes:
        """Return what it is of a message."""
        self.update(message)
        return self.finish()

    def of_zeros(self, length: int) -> bytes:
        """Return what it is of so many zeros."""
        piece = bytes(PIECE)
        for _ in range(length // PIECE):
            self.update(piece)
        self.update(piece[: length % PIECE])
        return self.finish()


def running_hash(primitive: str, size: int) -> Running | None:
    """Return what a library computes as a hash of this name and size; None if nothing."""
    name = without_marks(primitive)
    if name in EXTENDABLE:
        sponge = hashlib.new(EXTENDABLE[name])
        return Running(sponge.update, lambda: sponge.digest(size))  # type: ignore[call-arg]
    if name in LARGEST:
        if not 0 < size <= LARGEST[name]:
            return None
        made = hashlib.blake2b if name == "blake2b" else hashlib.blake2s
        blake = made(digest_size=size)
        return Running(blake.update, blake.digest)
    known = FIXED.get(name) or (f"{BY_SIZE[name]}{8 * size}" if name in BY_SIZE else "")
    if known not in hashlib.algorithms_available:
        return None
    fixed = hashlib.new(known, usedforsecurity=False)
    return Running(fixed.update, fixed.digest) if fixed.digest_size == size else None


def running_mac(subject: OperationSubject, key: bytes) -> Running | None:
    """Return what a library computes under the name of a MAC; None if nothing."""
    if subject.operation == Op.ONETIMEAUTH and subject.primitive == "poly1305":
        from cryptography.hazmat.primitives.poly1305 import Poly1305  # noqa: PLC0415 - slow to load

        one_time = Poly1305(key)
        return Running(one_time.update, one_time.finalize)
    if subject.operation != Op.AUTH or subject.primitive not in MACS:
        return None
    name, size = MACS[subject.primitive]
    if name not in hashlib.algorithms_available:
        return None
    mac = hmac.new(key, digestmod=name)
    return Running(mac.update, lambda: mac.digest()[:size])


def oracle_of(subject: Subject, primitive: str) -> Oracle | None:
    """Return what is known of a primitive; None if no library has it."""
    if isinstance(subject, OperationSubject):
        return _of_operation(subject)
    if isinstance(subject, StreamSubject):
        return _chacha20_stream if primitive == "chacha20" else None
    return _digests(primitive, "data", "digest") if isinstance(subject, HashSubject) else None


def _of_operation(subject: OperationSubject) -> Oracle | None:
    operation, primitive = subject.operation, subject.primitive
    if operation in (Op.HASH, Op.XOF):
        return _digests(primitive, "m", "h")
    if running_mac(subject, bytes(POLY1305_KEY)):
        return lambda known: {"h": _tag(subject, known["k"], known["m"])}
    if operation == Op.AEAD and subject.constant("NPUBBYTES") == NONCE:
        return _sealing(primitive) if subject.constant("ABYTES") == TAG else None
    if operation == Op.STREAM and primitive in (*CHACHA20, *CTR):
        return lambda known: {"c": _xor(primitive, known)}
    if (operation, primitive) == (Op.SIGN, "ed25519") and seeded(subject):
        return _signed
    return None


def _tag(subject: OperationSubject, key: bytes, message: bytes) -> bytes:
    running = running_mac(subject, key)
    return running.of(message) if running else b""


def _digests(primitive: str, message: str, digest: str) -> Oracle | None:
    if without_marks(primitive) not in {*EXTENDABLE, *LARGEST, *FIXED, *BY_SIZE}:
        return None

    def oracle(known: Values) -> Values:
        running = running_hash(primitive, len(known[digest]))
        return {digest: running.of(known[message])} if running else {}

    return oracle


def _sealing(primitive: str) -> Oracle | None:
    from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - slow to load
        AESGCM,
        ChaCha20Poly1305,
    )

    made = ChaCha20Poly1305 if primitive in POLY1305 else AESGCM if primitive in GCM else None
    if made is None:
        return None
    return lambda known: {"c": made(known["k"]).encrypt(known["p"], known["m"], known["a"])}


def encrypted(key: bytes, nonce: bytes, text: bytes, *, counter: bool) -> bytes:
    """Encrypt with ChaCha20, or with AES in counter mode."""
    from cryptography.hazmat.primitives.ciphers import (  # noqa: PLC0415 - slow to load
        Cipher,
        algorithms,
        modes,
    )

    cipher = (
        Cipher(algorithms.AES(key), modes.CTR(nonce))
        if counter
        else Cipher(algorithms.ChaCha20(key, bytes(TAG - len(nonce)) + nonce), mode=None)
    )
    return cipher.encryptor().update(text)


def _xor(primitive: str, known: Values) -> bytes:
    return encrypted(known["k"], known["n"], known["m"], counter=primitive in CTR)


def _chacha20_stream(known: Values) -> Values:
    if len(known["key"]) != 32:
        return {}
    given = known["input"] if "input" in known else bytes(len(known["output"]))
    return {"output": encrypted(known["key"], known["IV"], given, counter=False)}


def _signed(known: Values) -> Values:
    return {"c": signing_key(known["s"][:32]).sign(known["m"]) + known["m"]}


# ---------------------------------------------------------------- the check


def run_library(trial: AnyTrial) -> str:
    """Compare outputs for many lengths, short ones first."""
    oracle = oracle_of(trial.subject, trial.package.primitive)
    if oracle is None:
        raise CheckInapplicable("no library of Python computes the primitive")
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    lengths, compared = tuple(_lengths(trial)), 0
    for batch in trial.uses(lengths, wide=trial.deep):
        with trial.session() as session:
            arena = Arena(session)
            chosen = batch if trial.deep else _one_way(trial, batch, len(lengths))
            pending = [(one, arena.begin(one)) for one in budget.each(session, chosen)]
            for routine, outcome in pending:
                compared += _compare(oracle, routine, outcome.value)
    if not compared:
        raise CheckInapplicable("no library of Python computes the primitive in these sizes")
    return budget.remark("uses")


def _one_way(trial: AnyTrial, batch: Batch, lengths: int) -> Batch:
    """Choose one of the ways to process each length: lengths/splits says that they agree."""
    ways = max(1, len(batch) // lengths)
    return tuple(trial.random.choice(batch[at : at + ways]) for at in range(0, len(batch), ways))


def _lengths(trial: AnyTrial) -> Iterator[int]:
    """Yield lengths, each once, the longest last."""
    short = trial.lengths(thorough=trial.thorough)
    number = DEEP_RANDOM if trial.deep else RANDOM
    chosen = {*short, *trial.some(range(LONGEST), number)}
    if longest := affordable(trial):
        far = (any_far(trial) for _ in range(DEEP_RANDOM if trial.deep else FAR_RANDOM))
        chosen |= {one for one in (*every_far(trial), *far) if one <= longest}
        if longest >= FAST:
            named = [one for one in named_lengths(trial, LONGEST_NAMED) if one > longest]
            chosen |= set(trial.some(named, MOST_NAMED))
    yield from sorted(chosen)


def _compare(oracle: Oracle, routine: Routine, found: RoutineOutcome) -> int:
    """Raise CheckFailed if an output is not what the library computes; return how many are."""
    known = {name: one.value for name, one in routine.variables.items() if one.value is not None}
    computed = oracle({**known, **found.outputs})
    for name, expected in computed.items():
        complaint = f"{routine.name} gives another {name} than Python's library"
        require_equal(routine, complaint, name, expected, found.outputs[name])
    return sum(map(len, computed.values()))


CHECK: Check[AnyTrial] = Check(
    LIBRARY,
    "Are outputs those of Python's libraries, for lengths of all sizes?",
    (
        "Vectors have some dozens of lengths, and no call shows that another length is wrong if "
        "all calls are wrong alike. Asked of SHA-1, SHA-2, SHA-3, SHAKE, BLAKE2, SM3, HMAC, "
        "Poly1305, ChaCha20, AES-CTR, ChaCha20-Poly1305, AES-GCM and Ed25519, in all APIs: each "
        "short length, powers of two and those beside them, lengths that instructions of the code "
        "compare with, and some at random."
    ),
    "Look for comparisons with the length that the message names.",
    run_library,
)
