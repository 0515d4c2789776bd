# SPDX-License-Identifier: MIT
"""Whether keys and ciphertexts come from `randombytes`, and what repeats in signatures.

SUPERCOP's `randombytes` returns nothing, so a failure of it cannot be reported, and nobody asks
for one. What it gives may repeat: then keys repeat, and only then. With the same random bytes,
calls that write where they read must give the same. No API promises it, and callers do it.

A nonce may follow neither from the key nor from the message alone: whoever knows a nonce of ECDSA
or Ed25519, or two signatures of one key with the same, has the key. Signatures are compared place
by place. What is the same in all of them is part of their format; what the message or the public
key explains is left out.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from assay.check.arena import ALIGNMENT, ROOM, SECOND_BASE, Arena, BufferShape
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.evidence import difference, inputs
from assay.check.lengths.far import affordable
from assay.check.operation.calling import CallInputs, Repeated
from assay.check.operation.session import SEED, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, Variable, flipped
from assay.model.operation import Op

SEEDS = 16
SEED_SECONDS = 1.0
DRAWN_LENGTH = 37

LENGTHS = (37, 200)
PAIR_SECONDS = 0.3

LENGTH, LONG = 61, 1027
RUN = 16  # bytes that are not equal by chance
FEW = 12  # messages: the upper layers of a hash-based signature are equal in some
MANY, DEEP_MANY = 2048, 16_384
SHORT_BYTES = 1024  # of signatures of which no two have a block in common
VARIED = 5  # different bytes of a block that is no padding
SECONDS, DEEP_SECONDS = 0.25, 10.0
PUBLIC_KEY, SECRET_KEY, MESSAGE, SIGNED = "p", "s", "m", "c"


def run_randomness(trial: OperationTrial) -> None:
    """Make keys and ciphertexts with equal randomness, and with other."""
    trial.require_randomness()
    with trial.session() as session:
        calls = trial.calls(session, *trial.asked((DRAWN_LENGTH,)))
        arena = Arena(session)
        for routine in calls.values():
            if trial.must_draw(routine):
                _differs(trial, session, arena, routine)


def _differs(
    trial: OperationTrial, session: OperationSession, arena: Arena, routine: Routine
) -> None:
    seen: list[RoutineOutcome] = [arena.outcome(routine)]
    seeds = [trial.bytes(len(SEED)) for _ in range(SEEDS)]
    for seed in trial.budget(SEED_SECONDS).each(session, seeds):
        with session.seeded(seed):
            seen.append(arena.outcome(routine))
    for name in routine.outputs:
        values = [one.outputs[name] for one in seen if one.results[0] == 0]
        if len(set(values)) < len(values) and any(values):
            raise CheckFailed(
                f"{routine.name} gives the same {name} with two different streams of randombytes"
            )


RANDOMNESS = Check(
    "calls/randomness",
    "Do keys and ciphertexts come from randombytes?",
    (
        "A key that does not depend on what was drawn is everybody's key. Ciphertexts of long "
        "messages are asked about, too. SUPERCOP's randombytes returns nothing: whether a failure "
        "is reported cannot be asked."
    ),
    "Draw each secret from randombytes, and use all of it.",
    run_randomness,
)


def drawn_in_place(trial: OperationTrial) -> str:
    """Let each output of calls that draw stand where each input is."""
    trial.require_randomness()
    budget, asked = trial.budget(PAIR_SECONDS), 0
    with trial.session() as session:
        for batch in trial.computations(session, LENGTHS):
            pairs = [
                (routine, *pair)
                for routine in batch
                if trial.draws(routine)
                for pair in _pairs(routine)
            ]
            session.agent.forget_buffers()
            asked += len(pairs)
            for routine, output, read in budget.each(session, pairs):
                _compare_in_place(session, routine, output, read)
    if not asked:
        raise CheckInapplicable("no call that draws has an input")
    return budget.remark("pairs of output and input")


def _pairs(routine: Routine) -> Iterator[tuple[str, str]]:
    for output in routine.outputs:
        for read in routine.inputs:
            if routine.variables[read].size:
                yield output, read


def _compare_in_place(session: OperationSession, routine: Routine, output: str, read: str) -> None:
    """Raise CheckFinding if a call gives another output where its input is."""
    room = max(one.size for one in routine.variables.values()) + ROOM

    def roomy(_: str, variable: Variable) -> BufferShape:
        return BufferShape(room, max(ALIGNMENT, variable.modulus))

    apart = Arena(session, roomy)
    expected = apart.outcome(routine)
    if apart.outcome(routine) != expected:
        return  # it keeps random bytes from call to call
    together = Arena(session, roomy, SECOND_BASE, twin={output: read})
    found = together.outcome(routine)
    if shown := difference(expected, found):
        raise CheckFinding(
            f"{routine.name} gives something else if {output} lies where {read} does",
            f"{inputs(routine)}{shown}",
        )


DRAWN_IN_PLACE = Check(
    "buffers/drawn-in-place",
    "May calls that draw random bytes write where they read?",
    (
        "SUPERCOP lets outputs overlap inputs in calls that are deterministic alone. Programs "
        "sign in place, too: a signature that is written over the message before it is hashed "
        "signs something else."
    ),
    "Move the message to its place before anything is written, and say where that is not allowed.",
    drawn_in_place,
)


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
        near = [messages[0], *(flipped(messages[0], at) for at in range(LENGTH))]
        many = (DEEP_MANY if trial.deep else MANY) - len(near)
        others = (trial.bytes(LENGTH) for _ in range(many))
        made = [signer.sign(keys[0], one) for one in budget.each(session, (*near, *others))]
    if trial.subject.constant("BYTES") > SHORT_BYTES:
        return ""
    _none_twice(made, keys[0][PUBLIC_KEY] + messages[0])  # some hold part of their message
    _of_nothing(trial, keys, made)
    for length in sorted({LONG, affordable(trial)} - {0}):
        _to_the_last_byte(trial, length)
    bits = max(0, 2 * len(made).bit_length() - 4)  # of which a number probably repeats then
    return f"a nonce of {bits} bits would have repeated in {len(made)} signatures"


class _Signer(Struct, frozen=True):
    """The calls that make keys and signatures."""

    trial: OperationTrial
    keys: Repeated
    signatures: Repeated

    @classmethod
    def of(
        cls, trial: OperationTrial, session: OperationSession, length: int = LENGTH
    ) -> "_Signer":
        """Prepare both calls in an agent, for messages of a length."""
        calls = trial.calls(session, length)
        keys = Repeated(session, calls["_keypair"])
        return cls(trial, keys, Repeated(session, calls[""], SECOND_BASE))

    def key_pair(self) -> dict[str, bytes]:
        """Return a fresh public and secret key."""
        return self.keys.outputs(CallInputs(seed=self.trial.bytes(len(SEED))))

    def sign(self, keys: dict[str, bytes], message: bytes) -> bytes:
        """Return a signature apart from its message, with fresh random bytes; empty if none."""
        if not keys:
            return b""
        given = {SECRET_KEY: keys[SECRET_KEY], MESSAGE: message}
        made = self.signatures.outputs(CallInputs(b"", self.trial.bytes(len(SEED)), given))
        return made.get(SIGNED, b"").replace(message, b"", 1)


def _compare(
    of_a_key: Sequence[bytes], of_a_message: Sequence[bytes], public: bytes, message: bytes
) -> None:
    """Look for runs of bytes that follow from the key alone, or from the message alone."""
    constant = _equal([*of_a_key, *of_a_message])
    count = len(of_a_key)
    what = f"{count} signatures of one message under different keys"
    _require_none(CheckFailed, _runs(of_a_message, constant), message, what)
    what = f"{count} signatures of different messages under one key"
    _require_none(CheckFinding, _runs(of_a_key, constant), public, what)


def _require_none(
    error: type[CheckFailed], runs: Iterable[tuple[int, bytes]], known: bytes, what: str
) -> None:
    """Raise for the first run of bytes that does not stand in what is known."""
    for at, run in runs:
        if run not in known:
            raise error(
                f"{what} have the same {len(run)} bytes from byte {at} on",
                f"bytes {at} to {at + len(run) - 1}: {run.hex()}\n",
            )


def _to_the_last_byte(trial: OperationTrial, length: int) -> None:
    """Fail if two long messages that differ in the last byte alone are signed with one nonce."""
    message = trial.bytes(length)
    messages = [message[:-1] + bytes([message[-1] ^ change]) for change in (0, 1)]
    with trial.session() as session:
        signer = _Signer.of(trial, session, length)
        keys = signer.key_pair()
        twins = [signer.sign(keys, one) for one in messages]
        others = [signer.sign(keys, trial.bytes(length)) for _ in range(FEW)]
    if not all(twins) or not all(others):
        return
    what = f"signatures of two messages of {length} bytes that differ in the last one"
    runs = _runs(twins, _equal([*twins, *others]))
    _require_none(CheckFailed, runs, keys[PUBLIC_KEY] + message, what)


def _of_nothing(
    trial: OperationTrial, keys: Sequence[dict[str, bytes]], others: Sequence[bytes]
) -> None:
    """Fail if the empty message is signed with one nonce under different keys."""
    with trial.session() as session:
        signer = _Signer.of(trial, session, 0)
        made = [signer.sign(one, b"") for one in keys]
    if all(made) and all(others):
        runs = _runs(made, _equal([*made, *others]))
        _require_none(
            CheckFailed, runs, b"", "signatures of the empty message under different keys"
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


def _none_twice(made: Iterable[bytes], known: bytes) -> None:
    """Fail if two signatures of one key have a block in common that is not `known`."""
    signatures = [one for one in made if one]
    constant = _equal(signatures)
    for at in range(0, len(constant) - RUN + 1, RUN):
        if all(constant[at : at + RUN]):
            continue
        seen: set[bytes] = set()
        what = f"two of {len(signatures)} signatures of different messages under one key"
        for block in (one[at : at + RUN] for one in signatures):
            if block in seen and len(set(block)) >= VARIED:
                _require_none(CheckFailed, [(at, block)], known, what)
            seen.add(block)


NONCES = Check(
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
