# SPDX-License-Identifier: MIT
"""Whether messages and associated data of every short length are authenticated to their ends.

Each length is sealed and opened as it is, then with its last byte changed, and with one more.
All are sealed first, so that nothing waits for single answers.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed
from assay.check.evidence import inputs
from assay.check.lengths.apart import seams
from assay.check.lengths.far import far, named_lengths
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import ROW, RoutineOutcome, flipped
from assay.check.seal.lengths import inputs_at_end, seal_names
from assay.check.seal.openings import Opening, calls_of, only_with_tags, refuse_all
from assay.check.session import BaseSession
from assay.model.api import Role

DENSE = 82  # all lengths below are tried
EDGES = (96, 112, 128, 160, 192, 256, 512, 1024, 4096)  # and those around
LONG_FROM = 5000
SEAMED = 9001  # of which places are changed where a part may end
LONG = (0xFEFF, 0xFF00, 0x10000)  # where CCM encodes lengths otherwise, and 16 bits end
ROW_FROM, ROW_STEP = (6500, 8000), 80  # lengths with each number of blocks behind many at once
CALL_BYTES = 256  # that a call takes about as long as
SECONDS = 0.5
FEW = 24  # lengths in a short trial
MOST_NAMED = 48  # lengths that instructions name
OTHER = 21  # bytes of what is not varied
LAST_BIT = 0x80
SECRETS = (Role.KEY, Role.NONCE)


def run_ends(trial: OperationTrial) -> str:
    """Vary the length of the message, then that of the data."""
    only_with_tags(trial, seal_names(trial))
    remark = ""
    with trial.session() as session:
        pair = sealed_pair(trial, session)
        for role in (Role.MESSAGE, Role.DATA):
            for name in pair.seal.routine.having(role):
                if pair.seal.routine.variables[name].is_input:
                    remark = _vary(trial, session, pair, name) or remark
    return remark


def sealed_pair(trial: OperationTrial, session: OperationSession) -> "SealedPair":
    """Return a call that seals a short message, and the one that opens that."""
    calls = calls_of(trial, session, OTHER)
    return SealedPair(*(calls[name] for name in seal_names(trial)[-1]))


class SealedPair(Struct, frozen=True):
    """A call that seals, and one that opens that."""

    seal: Opening
    unseal: Opening

    @property
    def sealed(self) -> str:
        """Name what is sealed, or the tag."""
        inputs_there = self.unseal.routine.inputs
        return next(name for name in self.seal.routine.outputs if name in inputs_there)

    def given(self, name: str, value: bytes) -> "SealedPair":
        """Put in another message, or other data; outputs grow or shrink as the message does."""
        more = 0
        if self.seal.routine.variables[name].role is Role.MESSAGE:
            more = len(value) - len(self.seal.value(name))
        calls = (_longer(self.seal, more), _longer(self.unseal, more))
        return SealedPair(
            *(one.given(name, value, "") if name in one.routine.inputs else one for one in calls)
        )

    def opening(self, sealed: bytes) -> Opening:
        """Return the call that opens what was sealed."""
        return Opening(self.unseal.given(self.sealed, sealed, "").routine)

    def made_with_others(self, arena: Arena, values: Iterable[int]) -> Iterator[Opening]:
        """Open what was made with a key or a nonce of so many same bytes, under what there is."""
        there = [one for one in self.seal.routine.inputs if one in self.unseal.routine.inputs]
        for name in (one for one in there if self.seal.routine.variables[one].role in SECRETS):
            for byte in values:
                data = bytes([byte]) * len(self.seal.value(name))
                made = arena.outcome(self.seal.routine.given(name, data))
                about = f"what was made with {name} of bytes {byte:02x} under another {name}"
                if made.results[0] == 0 and data != self.unseal.value(name):
                    yield self.unseal.given(self.sealed, made.outputs[self.sealed], about)


def _longer(call: Opening, more: int) -> Opening:
    """Let outputs that are as long as the message or longer have so many more bytes."""
    roles = (Role.MESSAGE, Role.CIPHERTEXT)
    variables = {
        name: replace(one, size=one.size + more) if one.is_output and one.role in roles else one
        for name, one in call.routine.variables.items()
    }
    return Opening(replace(call.routine, variables=variables))


def _vary(trial: OperationTrial, session: OperationSession, pair: SealedPair, name: str) -> str:
    """Seal and open inputs of all lengths."""
    budget, fixed = trial.budget(SECONDS), pair.seal.routine.variables[name].fixed
    arena = Arena.alone(session)
    made = []
    for length in _affordable(session, budget, _lengths(trial, _more(pair, name))):
        given = pair.given(name, bytes(fixed) + trial.bytes(length))
        made.append((given, arena.begin(given.seal.routine)))
    alone = _alone(trial, pair, name, fixed)
    made += [(given, arena.begin(given.seal.routine)) for given in alone]
    sealed = [(given, outcome.value) for given, outcome in made]
    arena = Arena.alone(session, inputs_at_end)  # with other addresses than sealing
    opened = []
    for given, outcome in sealed:
        if outcome.results[0] == 0:  # supercop/returns looks at that
            genuine = given.opening(outcome.outputs[pair.sealed])
            opened.append((given, genuine, arena.begin(genuine.routine)))
    for given, genuine, pending in opened:
        _require_zeros(given, genuine, trial.subject.constant("BOXZEROBYTES"))
        _require_opened(given, genuine, pending.value)
    forged = [one for given, genuine, _ in opened for one in _changed(trial, given, genuine, name)]
    remark = refuse_all(trial, session, SECONDS, forged)
    return remark or budget.remark("lengths")


def _alone(trial: OperationTrial, pair: SealedPair, name: str, fixed: int) -> Iterator[SealedPair]:
    """Yield messages without data, or data without a message, of the lengths of whole blocks."""
    variables = pair.seal.routine.variables
    others = [
        one
        for role in (Role.MESSAGE, Role.DATA)
        for one in pair.seal.routine.having(role)
        if one != name and variables[one].is_input
    ]
    for length in EDGES if others and trial.thorough else ():
        given = pair.given(name, bytes(fixed) + trial.bytes(length))
        for other in others:
            given = given.given(other, bytes(variables[other].fixed))
        yield given


def _affordable(session: BaseSession, budget: Budget, lengths: list[int]) -> Iterator[int]:
    """Yield lengths as long as there is time; each long one if by the others it will be enough."""
    done = 0
    for length in budget.each(session, [one for one in lengths if one < LONG_FROM]):
        done += CALL_BYTES + length
        yield length
    for length in (one for one in lengths if one >= LONG_FROM):
        if budget.used * (1 + (CALL_BYTES + length) / done) > budget.seconds:
            budget.left_out += 1
            continue
        yield from budget.each(session, (length,))


def _more(pair: SealedPair, name: str) -> set[int]:
    """Return by how much what a function is given may be longer: zeros in front, and a tag."""
    message = pair.seal.routine.variables[name]
    if message.role is not Role.MESSAGE:
        return {0}
    return {0, message.fixed, len(pair.unseal.value(pair.sealed)) - message.size + message.fixed}


def _lengths(trial: OperationTrial, added: set[int]) -> list[int]:
    """Return the lengths in any order, the long ones last: slow code is asked for few of them."""
    edges = [edge + more - one for one in added for edge in EDGES for more in (-1, 0, 1)]
    edges = [one for one in edges if one >= 0]
    some = trial.some(named_lengths(trial, LONG_FROM, DENSE), MOST_NAMED)
    begin = trial.random.randrange(*ROW_FROM)
    row = range(begin, begin + ROW_STEP * ROW, ROW_STEP)
    every = list(dict.fromkeys((*range(DENSE), *edges, *some, *row, SEAMED, *LONG, *far(trial))))
    chosen = trial.some(every, None if trial.thorough else FEW)
    return sorted(chosen, key=LONG_FROM.__le__)


def _require_opened(given: SealedPair, genuine: Opening, found: RoutineOutcome) -> None:
    """Raise CheckFailed unless the message came out; a secret message number is no message."""
    message = next(given.seal.value(name) for name in given.seal.routine.having(Role.MESSAGE))
    names = genuine.routine.having(Role.MESSAGE)
    opened = (found.outputs[name] for name in names if name in found.outputs)
    if found.results[0] != 0 or any(one != message for one in opened):
        raise CheckFailed(
            f"{genuine.step.function} does not open what {given.seal.step.function} made"
            f"{_lengths_of(given)}",
            inputs(genuine.routine),
        )


def _require_zeros(given: SealedPair, genuine: Opening, count: int) -> None:
    """Raise CheckFailed for a box that does not begin with the zeros that its API promises."""
    if any(genuine.value(given.sealed)[:count]):
        raise CheckFailed(
            f"{given.seal.step.function} does not begin {given.sealed} with {count} zero bytes"
            f"{_lengths_of(given)}",
            inputs(given.seal.routine),
        )


def _lengths_of(given: SealedPair) -> str:
    variables = given.seal.routine.variables
    sizes = (
        f"{name} of {one.size} bytes"
        for name, one in variables.items()
        if one.is_input and one.role in (Role.MESSAGE, Role.DATA)
    )
    return f" of {' and '.join(sizes)}"


def _changed(
    trial: OperationTrial, given: SealedPair, genuine: Opening, name: str
) -> Iterator[Opening]:
    """Change the last byte of an input, or of what became of it, or add one."""
    fixed, size = given.seal.routine.variables[name].fixed, len(given.seal.value(name))
    inside = name in genuine.routine.inputs
    target = name if inside else given.sealed
    value = genuine.value(target)
    says = f"{target} of {len(value)} bytes"
    ends = {len(value) - 1, *(() if inside else (size - 1,))}
    if size == fixed + SEAMED:
        ends |= {at + more for at in seams(trial, size) for more in (0, len(value) - size)}
    for at in sorted(ends):
        if fixed <= at < len(value):
            data = flipped(value, at, LAST_BIT)
            yield genuine.given(target, data, f"{says} with byte {at} changed")
    yield genuine.given(target, value + bytes(1), f"{says} with a zero byte behind")


CHECK = Check(
    "forgeries/ends",
    "Are messages and data of every short length opened as they were, and no others?",
    (
        "Padding, the order of calls and the encoding of lengths depend on the length. Code that "
        "leaves out the end of associated data of 16, 256 or 65,280 bytes passes tests with "
        "other lengths, and so does decryption that is wrong for one of them. A box begins with "
        "zeros where its API says so, whatever its length: else the key of its tag stands there."
    ),
    "Look at what is done with the last block, and at the encoding of lengths, for the length "
    "that the message names.",
    run_ends,
)
