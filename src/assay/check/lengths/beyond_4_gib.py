# SPDX-License-Identifier: MIT
"""Whether lengths have 64 bits, and outputs of megabytes are those of another implementation.

Messages and data are zeros that take no memory, and are read only. Where an output is as long as
its message it has no room here: code that goes on to write it faults at the end of its buffer, and
that is right; code that returns has cut the length. Compact hashes process them in pieces, too:
their lengths are as wide as the API's types allow (A.3.5 of the Shabal paper).
"""

import time
from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from assay.check.arena import FILLING, Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable, CheckSkipped, refusal_means
from assay.check.hash.trial import HashTrial
from assay.check.operation.calling import ZerosCall, counted
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, Variable
from assay.check.schemes.library import Running, oracle_of, running_hash, running_mac
from assay.check.session import HashSession
from assay.execute.agent import AgentError, AgentRefusal
from assay.model import NATIVE_NAME
from assay.model.api import Role
from assay.model.operation import Op
from assay.model.wire import HashFunction

REST, MANY = 77, 1 << 29
BLOCK = 64  # operations on whole blocks leave none
HUGE = 1 << 32
PROBE = 1 << 24
LONGEST_SECONDS = 150.0
CALL_SECONDS = 2 * LONGEST_SECONDS  # that one is waited for
PIECE = 1 << 30
MESSAGES = (Role.MESSAGE, Role.DATA, Role.CIPHERTEXT)
EMULATED = "emulated, it would take hours"
NO_ROOM = "there is no room for 4 GiB of zeros"

LENGTH = (5 << 20) + 77  # more than 2^25 bits, and than 2^22 bytes
LONG_PROBE = 1 << 16
SECONDS, DEEP_SECONDS = 0.4, 30.0


class LongCall(Struct, frozen=True):
    """A call of which an input is replaced by zeros."""

    routine: Routine
    name: str

    def perform(self, session: OperationSession, arena: Arena, length: int) -> RoutineOutcome:
        """Perform it with so many zeros."""
        result = ZerosCall(session, arena, self.routine).perform({self.name: length})
        return RoutineOutcome((result,), arena.taken(self.routine).value.outputs)

    @property
    def variable(self) -> Variable:
        """The input."""
        return self.routine.variables[self.name]

    @property
    def writes_as_much(self) -> bool:
        """Return whether an output is about as long, and has no length of its own."""
        size, own = self.variable.size, {name for name, _ in counted(self.routine)}
        if self.variable.role is Role.DATA:
            return False
        outputs = (one for one in self.routine.outputs if one not in own)
        return any(self.routine.variables[one].size >= size for one in outputs)


def run(trial: OperationTrial) -> str:
    """Call every function that has a length with 2^32 and some bytes."""
    trial.only_deep()
    if trial.bench is None or not trial.bench.target.is_native:
        raise CheckSkipped(EMULATED)
    with trial.session() as session:
        (batch,) = trial.computations(session, (REST,))
    calls = [LongCall(one, name) for one in batch for name in lengthened(one)]
    if not calls:
        raise CheckInapplicable("no input has a length")
    slow = [one for one in calls if not _asked(trial, one)]
    return f"slow: not asked of {len(slow)} of {len(calls)} calls" if slow else ""


def lengthened(routine: Routine) -> Iterator[str]:
    """Name the inputs whose length is an argument."""
    for name, _ in counted(routine):
        variable = routine.variables[name]
        if variable.is_input and variable.role in MESSAGES:
            yield name


def _asked(trial: OperationTrial, call: LongCall) -> bool:
    """Ask a call, of an agent of its own; return whether there was time for it."""
    rest, short, found = _rest(trial, call), None, None
    try:
        with trial.fresh_session() as session:
            arena = Arena(session)
            arena.lay(call.routine)
            short = call.perform(session, arena, rest)
            if not call.writes_as_much and _seconds(session, arena, call) > LONGEST_SECONDS:
                return False
            found = call.perform(session, arena, HUGE + rest)
    except AgentRefusal:
        raise CheckSkipped(NO_ROOM) from None
    except AgentError:
        if short is None or not call.writes_as_much:
            raise
    if short and found:
        _judge(trial, call, short, found, rest)
    return True


def _rest(trial: OperationTrial, call: LongCall) -> int:
    """Return the bytes beyond 2^32; many where another implementation knows what comes out.

    Of 2^32 bytes alone a number of bits has none in its low word.
    """
    block = trial.subject.constant("BLOCKBYTES") or 0
    more = 0 if call.writes_as_much or not _other(trial, call) else MANY
    return block or REST + call.variable.fixed + more


def _seconds(session: OperationSession, arena: Arena, call: LongCall) -> float:
    """Return how long a call with 4 GiB would take."""
    began = time.monotonic()
    call.perform(session, arena, PROBE)
    return (time.monotonic() - began) * HUGE / PROBE


def _judge(
    trial: OperationTrial, call: LongCall, short: RoutineOutcome, found: RoutineOutcome, rest: int
) -> None:
    step, refuses = call.routine.steps[0], found.results[0] != 0
    opens = step.number in map(trial.subject.functions.index, trial.operation.opening)
    what = f"{step.function} with {call.name} of 2^32 + {rest} bytes"
    if found == short and not (opens and refuses):
        raise CheckFailed(f"{what} does what it does with {rest}: the length is cut to 32 bits")
    written = any(set(one) - {FILLING} for one in found.outputs.values())
    if call.routine.outputs and not written and not opens:
        raise CheckFailed(f"{what} writes nothing")
    if opens and not refuses:
        raise CheckFailed(f"{what} accepts what was made for another length")
    if call.writes_as_much and not refuses:
        raise CheckFailed(f"{what} returns 0 without having written as much")
    other = _other(trial, call)
    expected = other.of_zeros(HUGE + rest) if other else None
    if expected is not None and [expected] != list(found.outputs.values()):
        raise CheckFailed(
            f"{what} gives another output than Python's library",
            f"expected {expected.hex()}\n"
            + "".join(f"actual   {name} = {one.hex()}\n" for name, one in found.outputs.items()),
        )


def _other(trial: OperationTrial, call: LongCall) -> Running | None:
    """Return what computes the digest or tag, too; None if nothing does."""
    step, (name, *others) = call.routine.steps[0], call.routine.outputs or ("",)
    if others or step.function != trial.subject.operation:
        return None
    if trial.subject.operation in (Op.HASH, Op.XOF):
        size = call.routine.variables[name].size
        return running_hash(trial.subject.primitive, size)
    key = call.routine.value("k") if "k" in call.routine.variables else b""
    return running_mac(trial.subject, key)


BEYOND_4_GIB: Check[OperationTrial] = Check(
    name="lengths/beyond-4-gib",
    asks="May one call be given more than 2^32 bytes where its lengths have 64 bits?",
    why=(
        "Code that keeps a length in 32 bits authenticates and hashes a short beginning of a "
        "long file; tests never get there. The bytes are there, as zeros that take no memory, "
        "and the output is judged. For compact hashes it is a rule of the Shabal paper, "
        "Annex A."
    ),
    cure="Keep lengths, and the numbers computed from them, as wide as the API's type.",
    run=run,
)


def run_of_hashes(trial: HashTrial) -> None:
    """Hash 2^32 + 2^29 + 77 zero bytes in one call, in pieces, and without the 2^32."""
    trial.only_deep()
    bench, size = trial.bench, trial.sizes[-1]
    if bench is None or bench.roomy is None or bench.target.name != NATIVE_NAME:
        raise CheckSkipped(EMULATED)
    rest = MANY + REST
    with bench.roomy() as agent:
        session = HashSession(agent, trial.subject)
        if agent.pointer_bits < 64:
            raise CheckSkipped("size_t has 32 bits here")
        probe = partial(_digest, session, size, PROBE)
        trial.skip_if_slow(session, LONGEST_SECONDS, probe, HUGE / PROBE)
        one = _digest(session, size, HUGE + rest)
        pieces = _digest(session, size, *[PIECE] * (HUGE // PIECE), rest)
        cut = _digest(session, size, rest)
    lines = "".join(f"{name:7}{digest.hex()}\n" for name, digest in
                    (("one", one), ("pieces", pieces), ("cut", cut)))  # fmt: skip
    if one == cut:
        raise CheckFailed("of a length of 2^32 + 2^29 + 77 only the low 32 bits are used", lines)
    if one != pieces:
        reason = "2^32 + 2^29 + 77 bytes in one call are not those bytes in pieces"
        raise CheckFailed(reason, lines)
    known = running_hash(trial.package.primitive, size // 8)
    if known and (expected := known.of_zeros(HUGE + rest)) != one:
        reason = "2^32 + 2^29 + 77 bytes have another digest than by Python's library"
        raise CheckFailed(reason, f"{lines}library {expected.hex()}")


def _digest(session: HashSession, size: int, *lengths: int) -> bytes:
    """Hash so many zeros, in a call for each length."""
    session.agent.forget_buffers()
    ctx, to = session.context(), session.agent.buffer("digest", size // 8)
    session.call(HashFunction.INIT, ctx, size)
    for length in lengths:
        numbers = (length & 0xFFFF_FFFF, length >> 32)
        session.agent.call(HashFunction.LONG_UPDATE, (ctx,), numbers)
        with refusal_means(CheckSkipped(NO_ROOM)):
            session.agent.flush(CALL_SECONDS)
    session.call(HashFunction.CLOSE, ctx, to, 0, 0)
    return session.agent.read(to)


OF_HASHES: Check[HashTrial] = BEYOND_4_GIB.answered_by(run_of_hashes)


def run_long(trial: OperationTrial) -> str:
    """Hash or authenticate zeros, and compare."""
    if trial.subject.operation not in (Op.HASH, Op.AUTH, Op.ONETIMEAUTH, Op.AEAD):
        raise CheckInapplicable("nothing is hashed or authenticated alone")
    oracle = oracle_of(trial.subject, trial.subject.primitive)
    if oracle is None:
        raise CheckInapplicable("the bench has no other implementation of the primitive")
    with trial.session() as session:
        (routine, *_) = trial.calls(session, 1).values()
        names, data = tuple(lengthened(routine)), routine.having(Role.DATA)
        name = next((one for one in names if one in data), names[0])
        call, arena = LongCall(routine, name), Arena(session)
        arena.lay(routine)
        probe = partial(call.perform, session, arena, LONG_PROBE)
        seconds = DEEP_SECONDS if trial.deep else SECONDS
        trial.skip_if_slow(session, seconds, probe, LENGTH / LONG_PROBE)
        found = call.perform(session, arena, LENGTH)
    given = {name: routine.value(name) for name in routine.inputs}
    expected = oracle({**given, call.name: bytes(LENGTH), **found.outputs})
    for name, value in expected.items():
        if found.outputs[name] != value:
            raise CheckFailed(
                f"{routine.steps[0].function} is wrong for {LENGTH} zeros",
                f"expected {value.hex()}\nactual   {found.outputs[name].hex()}\n",
            )
    return ""


LONG: Check[OperationTrial] = Check(
    "schemes/long",
    "Are digests and tags of 5 MiB those of another implementation?",
    (
        "A number of bits that is kept in 24 or 25 bits, or a number of blocks in 16, is right "
        "for every vector. Asked of SHA-1, SHA-2, SHA-3, BLAKE2, HMAC and Poly1305, and "
        "of the associated data of ChaCha20-Poly1305 and AES-GCM."
    ),
    "Keep lengths, and the numbers computed from them, as wide as the API's type.",
    run_long,
)
