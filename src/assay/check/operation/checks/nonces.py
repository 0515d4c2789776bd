# SPDX-License-Identifier: MIT
"""What repeats in signatures: a nonce may follow neither from the key nor from the message alone.

Whoever knows a nonce of ECDSA or Ed25519, or two signatures of one key with the same, has the key.
Signatures are compared place by place. What is the same in all of them is part of their format;
what the message or the public key explains is left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.check.arena import SECOND_BASE
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.operation.checks.drawn import CallInputs, Repeated
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.model.operation import Op

LENGTH = 61
RUN = 16  # bytes that are not equal by chance
FEW = 12  # messages: the upper layers of a hash-based signature are equal in some
MANY, DEEP_MANY = 2048, 16_384
SHORT_BYTES = 1024  # of signatures of which no two have a block in common
VARIED = 5  # different bytes of a block that is no padding
SECONDS, DEEP_SECONDS = 0.25, 10.0
SEED_BYTES = 32
PUBLIC_KEY, SECRET_KEY, MESSAGE, SIGNED = "p", "s", "m", "c"


def run_nonces(trial: OperationTrial) -> str:
    """Sign messages with one key, and one message with several keys; then very many messages."""
    if trial.subject.operation != Op.SIGN:
        raise CheckInapplicable("nothing is signed")
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        signer = _Signer.of(trial, session)
        keys = [signer.key_pair() for _ in range(FEW)]
        messages = [trial.bytes(LENGTH) for _ in range(FEW)]
        wanted = [(keys[0], one) for one in messages] + [(one, messages[0]) for one in keys]
        made = [signer.sign(*one) for one in budget.each(session, wanted)]
        if len(made) < len(wanted):
            return f"the code is slow: {len(made)} of {len(wanted)} signatures made, not compared"
        if not all(made):
            return "a call fails: not compared"  # supercop/returns looks at that
        _compare(made[:FEW], made[FEW:], keys[0][PUBLIC_KEY], messages[0])
        many = range(DEEP_MANY if trial.deep else MANY)
        made = [signer.sign(keys[0], trial.bytes(LENGTH)) for _ in budget.each(session, many)]
    if trial.subject.constant("BYTES") > SHORT_BYTES:
        return ""
    _none_twice(made, keys[0][PUBLIC_KEY])
    return f"a nonce of {_bits(len(made))} bits would have repeated in {len(made)} signatures"


@dataclass(frozen=True, slots=True)
class _Signer:
    """The calls that make keys and signatures."""

    trial: OperationTrial
    keys: Repeated
    signatures: Repeated

    @classmethod
    def of(cls, trial: OperationTrial, session: OperationSession) -> "_Signer":
        """Prepare both calls in an agent."""
        (batch,) = trial.computations(session, (LENGTH,))
        numbered = {one.steps[0].number: one for one in batch}
        keys, sign = (numbered[session.number(one)] for one in ("_keypair", ""))
        session.agent.forget_buffers()
        return cls(trial, Repeated(session, keys), Repeated(session, sign, SECOND_BASE))

    def key_pair(self) -> dict[str, bytes]:
        """Return a fresh public and secret key."""
        return self.keys.outputs(CallInputs(seed=self.trial.bytes(SEED_BYTES)))

    def sign(self, keys: dict[str, bytes], message: bytes) -> bytes:
        """Return a signature apart from its message, with fresh random bytes; empty if none."""
        if not keys:
            return b""
        given = {SECRET_KEY: keys[SECRET_KEY], MESSAGE: message}
        made = self.signatures.outputs(CallInputs(b"", self.trial.bytes(SEED_BYTES), given))
        return made.get(SIGNED, b"").replace(message, b"", 1)


def _compare(
    of_a_key: Sequence[bytes], of_a_message: Sequence[bytes], public: bytes, message: bytes
) -> None:
    """Look for runs of bytes that follow from the key alone, or from the message alone."""
    constant = _equal([*of_a_key, *of_a_message])
    for at, run in _runs(of_a_message, constant):
        if run not in message:
            raise CheckFailed(
                f"{len(of_a_message)} signatures of one message under different keys have the "
                f"same {len(run)} bytes from byte {at} on",
                f"bytes {at} to {at + len(run) - 1}: {run.hex()}\n",
            )
    for at, run in _runs(of_a_key, constant):
        if run not in public:
            raise CheckFinding(
                f"{len(of_a_key)} signatures of different messages under one key have the same "
                f"{len(run)} bytes from byte {at} on",
                f"bytes {at} to {at + len(run) - 1}: {run.hex()}\n",
            )


def _equal(made: Sequence[bytes]) -> list[bool]:
    """Return for each place whether all have the same byte there."""
    return [len(set(column)) == 1 for column in zip(*made, strict=False)]


def _runs(made: Sequence[bytes], constant: Sequence[bool]) -> Iterator[tuple[int, bytes]]:
    """Yield place and bytes of the runs that all of them have, and that are no constants."""
    begin = None
    for at, same in enumerate([*_equal(made), False]):
        if same and begin is None:
            begin = at
        if not same and begin is not None:
            if at - begin >= RUN and not all(constant[begin:at]):
                yield begin, made[0][begin:at]
            begin = None


def _none_twice(made: Iterable[bytes], public: bytes) -> None:
    """Fail if two signatures of one key have a block in common at one place."""
    signatures = [one for one in made if one]
    constant = _equal(signatures)
    for at in range(0, len(constant) - RUN + 1, RUN):
        if all(constant[at : at + RUN]):
            continue
        seen: set[bytes] = set()
        for block in (one[at : at + RUN] for one in signatures):
            if block in seen and len(set(block)) >= VARIED and block not in public:
                raise CheckFailed(
                    f"two of {len(signatures)} signatures of different messages under one key "
                    f"have the same {RUN} bytes from byte {at} on",
                    f"bytes {at} to {at + RUN - 1}: {block.hex()}\n",
                )
            seen.add(block)


def _bits(count: int) -> int:
    """Return of how many bits a number probably repeats among so many."""
    return max(0, 2 * count.bit_length() - 4)


CHECK = Check(
    "entropy/nonces",
    "Does nothing in a signature follow from the key alone, or from the message alone?",
    (
        "Two signatures of one key with the same nonce give the secret key away, and so does one "
        "whose nonce is a hash of the message alone. Both verify. A nonce of few bits repeats "
        "among some thousand signatures."
    ),
    "Make the nonce of a secret, the whole message, and random bytes where the scheme has them.",
    run_nonces,
)
