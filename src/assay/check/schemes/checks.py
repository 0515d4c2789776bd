# SPDX-License-Identifier: MIT
"""What random inputs do not ask of X25519, of NaCl's boxes, Ed25519 and ML-DSA, and many keys.

ML-KEM and ML-DSA are compared with the library `cryptography`. A key pair of given random bytes
has the library's public key. What the package encapsulates or signs the library opens, and the
other way round: so neither can be wrong in a way of its own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.lengths.far import affordable, every_far, named_lengths
from assay.check.operation.calling import CallInputs, Repeated
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes.curve25519 import (
    P,
    Refused,
    points,
    refused,
    scalars,
    unreduced,
    with_ends,
)
from assay.check.schemes.known import (
    LENGTH,
    SIGNED,
    Question,
    ask_all,
    box_key,
    boxes,
    multiplies,
    only_known,
    product,
    seeded,
    signature,
    without_marks,
)
from assay.check.seal.openings import Opening, calls_of, opened, refuse_all
from assay.model.operation import Op

SEEDS = {Op.KEM: 64, Op.SIGN: 32}  # bytes that FIPS 203 and FIPS 204 draw for a key
FUNCTIONS = {Op.KEM: ("_keypair", "_enc", "_dec"), Op.SIGN: ("_keypair", "", "_open")}
BASES = (0, 8, 16)  # of the buffers of each
MESSAGE_LENGTH, SHORT = 37, 200  # of messages
LATTICE_SECONDS, LATTICE_DEEP_SECONDS = 1.0, 20.0
KEYS, DEEP_KEYS = 512, 16_384
LENGTHS = 24  # of either sort
MOST_NAMED = 60  # that instructions of the code name
RAW_PUBLIC_KEY, SECRET_KEY, CIPHERTEXT, SHARED, MESSAGE = "p", "s", "c", "k", "m"

SECONDS = 2.0
DEEP_SECONDS = 150.0
SIZE = 32
PUBLIC_KEY = "p"
PAIRS = 1 << 16  # values of two bytes
WORD = 2
FEW = 512
GROUP = 4096


def names_lattices(trial: OperationTrial) -> bool:
    """Return whether the primitive has a name of the two standards."""
    return _class_of(trial) != ""


def _class_of(trial: OperationTrial) -> str:
    """Name the library's class of secret keys; empty if the primitive has none."""
    name = without_marks(trial.subject.primitive)
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
    budget = trial.budget(LATTICE_DEEP_SECONDS if trial.deep else LATTICE_SECONDS)
    kem = trial.subject.operation == Op.KEM
    with trial.session() as session:
        for length in (0,) if kem else _lengths(trial):
            calls = _Calls.of(trial, session, length)
            calls.ask(made, trial.bytes(calls.seed_bytes), kem=kem)
        calls = _Calls.of(trial, session, MESSAGE_LENGTH)
        for _ in budget.each(session, range(DEEP_KEYS if trial.deep else KEYS)):
            calls.ask(made, trial.bytes(calls.seed_bytes), kem=kem)
    return budget.remark("keys")


def _lengths(trial: OperationTrial) -> Iterator[int]:
    """Yield lengths of messages, the shortest first."""
    longest = affordable(trial) or SHORT
    far = (*trial.some(every_far(trial), LENGTHS), *named_lengths(trial)[:MOST_NAMED])
    short = trial.some(range(SHORT), LENGTHS)
    yield from sorted({0, *short, *(one for one in far if one <= longest)})


class _Calls(Struct, frozen=True):
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
        made = trial.calls(session, length)
        keypair, make, unmake = (
            Repeated(session, made[name], base) for name, base in zip(names, BASES, strict=True)
        )
        found = cls(trial, keypair, make, unmake, length)
        if sum(found.keypair.answer(CallInputs()).drawn) != found.seed_bytes:
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
        if pair.get(RAW_PUBLIC_KEY) != public:
            self._fail(self.keypair, "gives another public key than Python's library", evidence)
        (self._encapsulate if kem else self._sign)(key, pair, evidence)

    def _encapsulate(self, key: Any, pair: dict[str, bytes], evidence: str) -> None:
        coins = self.trial.bytes(32)
        sent = self.make.outputs(CallInputs(coins, inputs={RAW_PUBLIC_KEY: pair[RAW_PUBLIC_KEY]}))
        evidence += f"{self.make.routine.steps[0].function} gets {coins.hex()}\n"
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
        public, secret = pair[RAW_PUBLIC_KEY], pair[SECRET_KEY]
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
        opened = self.open.outputs(CallInputs(inputs={CIPHERTEXT: ours, RAW_PUBLIC_KEY: public}))
        if message not in opened.values():
            self._fail(self.open, "refuses a signature of Python's library", evidence)

    def _fail(self, call: Repeated, what: str, evidence: str) -> None:
        raise CheckFailed(f"{call.routine.steps[0].function} {what}", evidence)


def run_encodings(trial: OperationTrial) -> str:
    """Ask for points and secret keys at the ends, and for signatures that are none."""
    lattice = trial.subject.operation == Op.SIGN and names_lattices(trial)
    if not boxes(trial) and not lattice:
        only_known(trial)
    with trial.session() as session:
        if lattice:
            return _refuse_lattice(trial, session)
        calls = calls_of(trial, session, LENGTH)
        if multiplies(trial) or boxes(trial):
            name, ask = ("", product) if multiplies(trial) else ("_beforenm", box_key)
            asked = tuple(_products(trial, partial(ask, calls[name])))
            return ask_all(trial, session, SECONDS, asked)
        call = calls["_open"]
        tried = [_signed(call, one) for one in refused(trial.bytes)]
        remark = refuse_all(trial, session, SECONDS, tried)
        _look_at_unreduced(trial, session, call)
        return remark


def _refuse_lattice(trial: OperationTrial, session: OperationSession) -> str:
    """Ask for signatures of ML-DSA that are wrong in one respect, if it accepts a right one."""
    from assay.check.schemes import mldsa  # noqa: PLC0415 - NumPy takes a while

    parameters = mldsa.PARAMETERS.get(without_marks(trial.subject.primitive))
    if parameters is None:
        raise CheckInapplicable("the bench has no definition of the primitive")
    call = calls_of(trial, session, LENGTH)["_open"]
    for at, one in enumerate(mldsa.accepted(parameters, trial.bytes)):
        if len(call.value(SIGNED)) != len(one.signature) + LENGTH:
            raise CheckInapplicable("its signatures have another size than the standard's")
        if opened(Arena(session), _signed(call, one))[0] == 0:
            continue
        if at == 0:
            raise CheckInapplicable("it refuses what ML-DSA signs with an empty context")
        raise CheckFailed(f"{call.step.function} refuses {one.about}", one.signature.hex() + "\n")
    wrong = mldsa.refused(parameters, trial.bytes)
    return refuse_all(trial, session, SECONDS, [_signed(call, one) for one in wrong])


def _signed(call: Opening, one: Refused) -> Opening:
    signed = call.given(SIGNED, one.signature + one.message, "")
    return signed.given(PUBLIC_KEY, one.public, one.about)


def _look_at_unreduced(trial: OperationTrial, session: OperationSession, call: Opening) -> None:
    """Raise CheckFinding if a key is taken that is not written as the RFC wants it."""
    session.agent.forget_buffers()
    for one in unreduced(trial.bytes):
        if opened(Arena(session), _signed(call, one))[0] == 0:
            raise CheckFinding(
                f"{call.step.function} takes {one.about}",
                f"public key {one.public.hex()}\nRFC 8032, section 5.1.3, refuses it; widespread "
                "implementations take it, which matters where all must agree\n",
            )


def _products(
    trial: OperationTrial, ask: Callable[[str, bytes, bytes], Question]
) -> Iterator[Question]:
    for about, point in points(trial.bytes):
        yield ask(f"a point {about}", trial.bytes(SIZE), point)
    for about, scalar in scalars(trial.bytes):
        yield ask(f"a secret key {about}", scalar, trial.bytes(SIZE))
    for result, scalar, point in with_ends(trial.bytes):
        yield ask(f"a point whose multiple is {_near(result)}", scalar, point)


def _near(result: int) -> str:
    """Write a number that is near 0 or near p."""
    return str(result) if result < P // 2 else f"2^255 - {2**255 - result}"


def run_keys(trial: OperationTrial) -> str:
    """Use keys of which every two bytes take all their values, with `--deep` all of them."""
    if names_lattices(trial):
        return compare_keys(trial)
    only_known(trial)
    if not (multiplies(trial) or seeded(trial.subject)):
        raise CheckInapplicable("secret keys are of another size than a seed and a public key")
    remark = ""
    with trial.session() as session:
        call = calls_of(trial, session, LENGTH)[""]
        seconds = DEEP_SECONDS if trial.deep else SECONDS / 2
        number = PAIRS if trial.deep else FEW
        groups = range(0, number, GROUP)
        columns = [
            (trial.random.randrange(1, PAIRS, 2), trial.random.randrange(PAIRS))
            for _ in range(2 * SIZE // WORD)
        ]
        for at in groups:
            asked = [
                _with_key(trial, call, columns, at + more) for more in range(min(GROUP, number))
            ]
            remark = ask_all(trial, session, seconds / len(groups), asked) or remark
    return remark


def _with_key(
    trial: OperationTrial, call: Opening, columns: list[tuple[int, int]], at: int
) -> Question:
    """Return a question; each column is a permutation of all values of two bytes."""
    numbers = ((odd * at + first) % PAIRS for odd, first in columns)
    data = b"".join(one.to_bytes(WORD, "little") for one in numbers)
    key, other = data[:SIZE], data[SIZE:]
    if multiplies(trial):
        return product(call, "one key of many", key, other)
    return signature(call, "one key of many", key, other + trial.bytes(LENGTH - SIZE))


CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "schemes/encodings",
        "Are points, keys and signatures right that random ones are never like?",
        (
            "Random inputs have no S of L or more, no public key that is no point, no coordinate "
            "of p or more and no point of small order. RFC 8032 refuses the first two, and "
            "RFC 7748 says what X25519 of the others is. Nor is a random product so near to 0 "
            "or p that it shows how it is reduced. A signature that is accepted with S + L "
            "can be changed by anybody; SUPERCOP's own tests do not ask. FIPS 204 refuses a z of "
            "gamma_1 - beta or more, and every hint but one of those that mean the same."
        ),
        "Follow RFC 8032, section 5.1.7, RFC 7748, section 5, and FIPS 204, algorithms 8 and 21.",
        run_encodings,
    ),
    Check(
        "schemes/keys",
        "Do many keys give what another implementation gives?",
        (
            "A carry that comes with one key of 65,536 passes tests with hundreds of them. With "
            "`--deep` two neighbouring bytes of a key and of a point or message take all values. "
            "Asked of X25519 and Ed25519, and of ML-KEM and ML-DSA as far as the installed "
            "library has them: what it makes the package opens, and the other way round, at "
            "long lengths, too."
        ),
        "Compare the named key with another implementation, step by step.",
        run_keys,
    ),
)
