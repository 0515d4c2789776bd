# SPDX-License-Identifier: MIT
"""ML-KEM and ML-DSA as the library `cryptography` computes them, with many keys.

A key pair of given random bytes has the library's public key. What the package encapsulates or
signs the library opens, and the other way round: so neither can be wrong in a way of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.check.check import CheckFailed, CheckInapplicable
from assay.check.lengths.far import affordable, every_far, named_lengths
from assay.check.operation.checks.drawn import CallInputs, Repeated
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.model.operation import Op

SEEDS = {Op.KEM: 64, Op.SIGN: 32}  # bytes that FIPS 203 and FIPS 204 draw for a key
FUNCTIONS = {Op.KEM: ("_keypair", "_enc", "_dec"), Op.SIGN: ("_keypair", "", "_open")}
BASES = (0, 8, 16)  # of the buffers of each
LENGTH, SHORT = 37, 200  # of messages
SECONDS, DEEP_SECONDS = 1.0, 20.0
KEYS, DEEP_KEYS = 512, 16_384
LENGTHS = 24  # of either sort
MOST_NAMED = 60  # that instructions of the code name
PUBLIC_KEY, SECRET_KEY, CIPHERTEXT, SHARED, MESSAGE = "p", "s", "c", "k", "m"


def names_lattices(trial: OperationTrial) -> bool:
    """Return whether the primitive has a name of the two standards."""
    return _class_of(trial) != ""


def _class_of(trial: OperationTrial) -> str:
    """Name the library's class of secret keys; empty if the primitive has none."""
    name = trial.subject.primitive.lower().replace("-", "").replace("_", "")
    wanted = {Op.KEM: "mlkem", Op.SIGN: "mldsa"}.get(Op(trial.subject.operation), "-")
    return f"{name.upper()}PrivateKey" if name.startswith(wanted) else ""


def _secret_keys(trial: OperationTrial) -> Callable[[bytes], Any]:
    """Return what makes the library's keys of random bytes; CheckInapplicable if it cannot."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - slow to load
    from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem  # noqa: PLC0415

    module: Any = mlkem if trial.subject.operation == Op.KEM else mldsa
    known = getattr(module, _class_of(trial), None)
    if known is None:
        raise CheckInapplicable("the library `cryptography` does not have the primitive")
    try:
        known.from_seed_bytes(bytes(SEEDS[Op(trial.subject.operation)]))
    except UnsupportedAlgorithm:
        raise CheckInapplicable("the library `cryptography` does not have the primitive") from None
    made: Callable[[bytes], Any] = known.from_seed_bytes
    return made


def compare_keys(trial: OperationTrial) -> str:
    """Compare keys, and what is made and opened with them; messages of a few lengths."""
    made = _secret_keys(trial)
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    kem = trial.subject.operation == Op.KEM
    with trial.session() as session:
        for length in (0,) if kem else _lengths(trial):
            calls = _Calls.of(trial, session, length)
            calls.ask(made, trial.bytes(calls.seed_bytes), kem=kem)
        calls = _Calls.of(trial, session, LENGTH)
        for _ in budget.each(session, range(DEEP_KEYS if trial.deep else KEYS)):
            calls.ask(made, trial.bytes(calls.seed_bytes), kem=kem)
    return budget.remark("keys")


def _lengths(trial: OperationTrial) -> Iterator[int]:
    """Yield lengths of messages, the shortest first."""
    longest = affordable(trial) or SHORT
    named = named_lengths(trial)
    every = every_far(trial)
    far = (*trial.random.sample(every, min(LENGTHS, len(every))), *named[:MOST_NAMED])
    short = trial.random.sample(range(SHORT), LENGTHS)
    yield from sorted({0, *short, *(one for one in far if one <= longest)})


@dataclass(frozen=True, slots=True)
class _Calls:
    """The three functions of an operation, for messages of a length."""

    trial: OperationTrial
    keypair: Repeated
    make: Repeated
    open: Repeated
    length: int

    @classmethod
    def of(cls, trial: OperationTrial, session: OperationSession, length: int) -> "_Calls":
        """Make buffers; CheckInapplicable for keys of other random bytes, or other formats."""
        names = FUNCTIONS[Op(trial.subject.operation)]
        *_, batch = trial.computations(session, (length,))
        by_number = {one.steps[0].number: one for one in batch}
        session.agent.forget_buffers()
        calls = [
            Repeated(session, by_number[session.number(name)], base)
            for name, base in zip(names, BASES, strict=True)
        ]
        found = cls(trial, calls[0], calls[1], calls[2], length)
        if sum(found.keypair.drawn()) != found.seed_bytes:
            raise CheckInapplicable("key generation draws other bytes than the standard's")
        return found

    @property
    def seed_bytes(self) -> int:
        """How much is drawn for a key."""
        return SEEDS[Op(self.trial.subject.operation)]

    def ask(self, made: Callable[[bytes], Any], seed: bytes, *, kem: bool) -> None:
        """Compare all that is made with one key."""
        key = made(seed)
        pair = self.keypair.outputs(CallInputs(seed))
        public = key.public_key().public_bytes_raw()
        evidence = f"randombytes gives {seed.hex()}\n"
        if pair.get(PUBLIC_KEY) != public:
            self._fail(self.keypair, "gives another public key than Python's library", evidence)
        (self._encapsulate if kem else self._sign)(key, pair, evidence)

    def _encapsulate(self, key: Any, pair: dict[str, bytes], evidence: str) -> None:
        coins = self.trial.bytes(32)
        sent = self.make.outputs(CallInputs(coins, inputs={PUBLIC_KEY: pair[PUBLIC_KEY]}))
        evidence += f"crypto_kem_enc gets {coins.hex()}\n"
        if not sent or key.decapsulate(sent[CIPHERTEXT]) != sent[SHARED]:
            self._fail(self.make, "makes what Python's library decapsulates otherwise", evidence)
        shared, ciphertext = key.public_key().encapsulate()
        opened = self.open.outputs(
            CallInputs(inputs={CIPHERTEXT: ciphertext, SECRET_KEY: pair[SECRET_KEY]})
        )
        if shared not in opened.values():
            self._fail(
                self.open, "gives another key than Python's library for its ciphertext",
                f"{evidence}c = {ciphertext.hex()}\n",
            )  # fmt: skip

    def _sign(self, key: Any, pair: dict[str, bytes], evidence: str) -> None:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow to load

        message = self.trial.bytes(self.length)
        public, secret = pair[PUBLIC_KEY], pair[SECRET_KEY]
        sent = self.make.outputs(
            CallInputs(self.trial.bytes(32), inputs={MESSAGE: message, SECRET_KEY: secret})
        )
        signed = sent.get(CIPHERTEXT, b"")
        evidence = f"{evidence}m = {message.hex()[:2048]} ({self.length} bytes)\n"
        size = len(signed) - self.length
        try:
            key.public_key().verify(signed[:size], message)
        except InvalidSignature:
            self._fail(self.make, "signs what Python's library does not accept", evidence)
        ours = key.sign(message) + message
        opened = self.open.outputs(CallInputs(inputs={CIPHERTEXT: ours, PUBLIC_KEY: public}))
        if message not in opened.values():
            self._fail(self.open, "refuses a signature of Python's library", evidence)

    def _fail(self, call: Repeated, what: str, evidence: str) -> None:
        raise CheckFailed(f"{call.routine.steps[0].function} {what}", evidence)
