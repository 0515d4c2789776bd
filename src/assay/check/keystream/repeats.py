# SPDX-License-Identifier: MIT
"""Whether the output of an operation that may have any length repeats, or follows its length.

One call takes the whole message, which is zeros, so that a keystream that repeats is seen in the
output; streams have a check of their own, which goes further. A longer output begins with a
shorter one: so it is with keystreams, and with every function whose output does not depend on how
much of it is asked for. BLAKE2X is defined otherwise, so that of hashes it is a finding.

Data beside a message, or its length, move no stream. One that begins elsewhere for some messages
has blocks in one that stand before another: a key of a tag, which is in no ciphertext otherwise,
is then in that of a message that one knows.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.lengths.apart import special_lengths
from assay.check.lengths.far import affordable
from assay.check.operation.calling import ZerosCall, counted
from assay.check.operation.routines import OperationUse, function_of, group
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine, RoutineOutcome, added_up
from assay.check.trial import AnyTrial
from assay.model.api import Role, Way
from assay.model.operation import Op

MIB = 1 << 20
BYTES, DEEP_BYTES = 5 * MIB, 80 * MIB  # beyond counters of 16 and of 20 bits
PROBE = 1 << 16
SECONDS, DEEP_SECONDS, LEAST_SECONDS = 0.4, 40.0, 1e-6
WORD = 8
RUN = 32  # bytes that do not come again by chance
FIRST = 128  # of them, behind what stands before a message
GROWING = (Role.MESSAGE, Role.CIPHERTEXT)

EXTENDS = (Op.XOF, Op.CXOF, Op.STREAM)
MESSAGE = 37
MOST_RATE = 169  # bytes of a message, of which a block has at most one less
SHORT, SOME = 300, 32  # lengths below, and how many of them
MIDDLING, FEW = 5000, 3  # lengths with each rest of a word, some of each
PREFIX_SECONDS = 0.2
DATA = (0, 300, 512)  # bytes
BRIEF, LONG, LONGER = 64, 1024, 5000  # bytes of a message
WINDOW = 16
BEHIND = 64  # what stands before a message
ENDS = 32  # bytes that a mode may treat otherwise: OTR exchanges the last two blocks
NOTHING = bytes(WINDOW)


def require_prefix(trial: OperationTrial) -> None:
    """Ask for outputs of short and of special lengths; each begins the next longer one."""
    if trial.subject.operation not in EXTENDS:
        return
    budget, kept = trial.budget(PREFIX_SECONDS), defaultdict[int, dict[str, bytes]](dict)
    short = trial.some(range(1, SHORT), SOME)
    for rest in range(WORD):
        short += trial.some(range(SHORT + rest, MIDDLING, WORD), FEW)
    asked = [(MESSAGE, one) for one in sorted({*short, *special_lengths(trial)})]
    if trial.subject.operation != Op.STREAM:
        texts = trial.some(range(MOST_RATE))
        asked += [(size, length) for size in texts for length in (SOME, SHORT)]
    with trial.session() as session:
        made: list[tuple[int, Routine, bytes]] = []
        for size, length in budget.each(session, asked):
            routine = _extended(trial, kept[size], size, length)
            (output,) = Arena.alone(session).outcome(routine).outputs.values()
            made.append((size, routine, output))
    for (size, shorter, one), (same, _, other) in pairwise(made):
        if size == same and other[: len(one)] != one:
            reason = (
                f"{shorter.steps[0].function} gives {len(one)} bytes that are not those "
                f"with which {len(other)} bytes begin"
            )
            if trial.subject.operation == Op.STREAM:
                raise CheckFailed(reason)
            raise CheckFinding(f"{reason}: some functions are defined so")


def _extended(trial: OperationTrial, kept: dict[str, bytes], text: int, length: int) -> Routine:
    """Return the first call with so many bytes of output, and what is kept as inputs."""
    one = group(trial.subject, text, length)
    task, *_ = one.tasks
    pairs = zip(task.arguments, function_of(trial.subject, task.suffix).parameters, strict=True)
    output = next(name for name, parameter in pairs if parameter.way is Way.OUT)
    for name, size in one.variables.items():
        kept.setdefault(name, trial.bytes(size))
    longer = replace(one, variables={**one.variables, output: length})
    return OperationUse(trial.subject, longer, kept).single(task, {})


class Repetition(CheckFailed):
    """Bytes of a long output come again in it."""


def run_keystream(trial: OperationTrial) -> str:
    """Encrypt zeros, or hash to as many bytes, and look for what comes twice in the output."""
    require_prefix(trial)
    suffixes = trial.operation.keystreams
    if not suffixes and trial.subject.operation != Op.XOF:
        raise CheckInapplicable("the operation has no keystream")
    if trial.bench is not None and not trial.bench.target.is_native:
        raise CheckInapplicable("messages of megabytes are processed on this machine only")
    with trial.session() as session:
        calls = trial.calls(session, FIRST)
        made = [partial(_encrypted, session, calls[one]) for one in suffixes]
        every = made or [partial(_expanded, trial, session)]
        remarks = [_as_far_as_fast(trial, session, make) for make in every]
    return "; ".join(filter(None, dict.fromkeys(remarks)))


def _as_far_as_fast(
    trial: OperationTrial, session: OperationSession, make: Callable[[int], tuple[Routine, bytes]]
) -> str:
    """Look at a short output, then at a long one, as long as there is time for; tell how long."""
    length, seconds = (DEEP_BYTES, DEEP_SECONDS) if trial.deep else (BYTES, SECONDS)
    budget = trial.budget(seconds)
    with budget.spending(session.agent):
        short = make(PROBE)
    _look(*short)
    longest = min(length, int(PROBE * budget.seconds / max(budget.used, LEAST_SECONDS)))
    if longest > PROBE:
        _look(*make(longest))
    looked = max(longest, PROBE) >> 10
    return f"the code is slow: {looked} KiB of {length >> 20} MiB" if longest < length else ""


def _expanded(
    trial: OperationTrial, session: OperationSession, length: int
) -> tuple[Routine, bytes]:
    """Return a hash of so many bytes."""
    (batch,) = trial.compared(FIRST, length)
    (output,) = Arena.alone(session).outcome(batch[0]).outputs.values()
    return batch[0], output


def _encrypted(session: OperationSession, routine: Routine, length: int) -> tuple[Routine, bytes]:
    """Return what becomes of so many zeros."""
    variables, more = routine.variables, length - FIRST
    output = next(one for one in routine.outputs if variables[one].role in GROWING)
    longer = replace(variables[output], size=variables[output].size + more)
    longer_routine = replace(routine, variables={**variables, output: longer})
    arena = Arena.alone(session)
    arena.lay(longer_routine)
    lengths = {
        name: count + more for name, count in counted(routine) if variables[name].role in GROWING
    }
    ZerosCall(session, arena, longer_routine).perform(lengths)
    return routine, session.agent.read(arena.buffer(output), longer.size)


def _look(routine: Routine, stream: bytes) -> None:
    """Raise CheckFailed if a run of bytes comes twice: near the ends, and 16 bytes anywhere."""
    import numpy as np  # noqa: PLC0415 - not needed where nothing has a keystream

    words = np.frombuffer(stream[: len(stream) // WORD * WORD], "<u8")
    order = np.argsort(words, kind="stable")
    inside = order[order < len(words) - 1]
    first, second = inside[:-1], inside[1:]
    twice = (words[first] == words[second]) & (words[first + 1] == words[second + 1])
    if twice.any():
        at, again = (WORD * int(one[twice][0]) for one in (first, second))
        raise Repetition(
            f"{routine.steps[0].function} of {len(stream)} bytes: bytes {at} to "
            f"{at + 2 * WORD - 1} of the output come again from byte {again} on",
            f"{stream[at : at + 2 * WORD].hex().upper()}\n",
        )
    for at in (FIRST, len(stream) - 2 * RUN):
        run = stream[at : at + RUN]
        again = stream.find(run)
        again = stream.find(run, at + 1) if again == at else again
        if again >= 0:
            raise Repetition(
                f"{routine.steps[0].function} of {len(stream)} bytes: bytes {at} to "
                f"{at + RUN - 1} of the output come again from byte {again} on",
                f"of zeros\n{run.hex().upper()}\n",
            )


KEYSTREAM = Check(
    "lengths/keystream",
    "Is the keystream of a message, or a hash, of 5 MiB free of repetitions, and of each length "
    "the beginning of a longer one?",
    (
        "A counter of 16 bits begins again after 4 MiB, and what was encrypted there can be "
        "read. No test vector is so long. With `--deep` the message has 80 MiB. An output of any "
        "length begins with each shorter one: of hashes it is noted if not."
    ),
    "Give the counter the specified width, and carry into all of it.",
    run_keystream,
)


def require_in_place(trial: AnyTrial) -> None:
    """Encrypt zeros under one key and nonce; raise CheckFinding for a stream that was moved."""
    lengths = [one for one in (BRIEF, LONG, LONGER) if one <= max(LONG, affordable(trial))]
    texts = [(trial.bytes(data), bytes(LONG)) for data in DATA]
    texts += [(b"", bytes(length)) for length in lengths if length != LONG]
    with trial.session() as session:
        arena = Arena(session)
        made = [(one, each, arena.begin(each)) for one, each in trial.absorbing(texts)]
        seen: dict[bytes, tuple[int, int]] = {}
        for (data, _), routine, pending in made:
            stream = _stream(routine, pending.value.outputs)
            for at, window in _windows(stream):
                before, size = seen.get(window, (at, len(data)))
                moved, more = before - at, len(data) - size
                # Data may take as much of the stream as it was moved, or some of a block more.
                taken_up = abs(moved) >= abs(more) > 0 and (moved > 0) == (more > 0)
                if before != at and not taken_up:
                    raise CheckFinding(
                        f"{routine.name}: bytes {at} to {at + WINDOW - 1} of the stream behind "
                        f"{len(data)} bytes of data stand at {before} behind {size}: what is "
                        "before one stream is in the other, as the key of a tag may be"
                    )
            for at, window in _windows(stream):
                seen.setdefault(window, (at, len(data)))


def shared(
    routine: Routine,
    pairs: Collection[tuple[str, str]],
    first: RoutineOutcome,
    other: RoutineOutcome,
    place: Sequence[Any],
) -> str:
    """Return what to say of two nonces' streams for one message, if a part of one is in the other.

    A nonce that is added to the number of a block makes another one's stream from there on.
    """
    name, byte, bit = place
    for message, output in pairs if routine.variables[name].role is Role.NONCE else ():
        text = routine.value(message)
        texts = [one.outputs[output] for one in (first, other)]
        for offset in {0, len(texts[0]) - len(text)}:
            one, two = (added_up(text, made[offset:]) for made in texts)
            for here, there in ((one, two), (two, one)):
                window = here[BEHIND : BEHIND + WINDOW]
                at = there.find(window) if len(window) == WINDOW else -1
                if at not in (-1, BEHIND):
                    return (
                        f"{routine.name}: with bit {bit} of byte {byte} of {name} the stream is "
                        f"the same, moved by {abs(at - BEHIND)} bytes: what is encrypted under "
                        "both can be compared"
                    )
    return ""


def _windows(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield all windows of the first bytes, but for those of zeros, as before a box."""
    for at in range(min(len(stream) - ENDS, LONG) - WINDOW + 1):
        window = stream[at : at + WINDOW]
        if window != NOTHING:
            yield at, window


def _stream(routine: Routine, outputs: dict[str, bytes]) -> bytes:
    """Return what became of the zeros; nothing where it is no ciphertext."""
    variables = routine.variables
    (length,) = (
        one.size for one in variables.values() if one.role is Role.MESSAGE and one.is_input
    )
    made = [
        name
        for name, one in variables.items()
        if one.way is Way.OUT and one.role in (Role.MESSAGE, Role.CIPHERTEXT)
    ]
    return b"".join(outputs[name][:length] for name in made[:1])
