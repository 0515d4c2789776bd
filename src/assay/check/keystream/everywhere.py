# SPDX-License-Identifier: MIT
"""Whether every byte of a message is encrypted, and every byte of an output one of its own.

The same length is encrypted several times, with fresh messages, keys and nonces. What encryption
adds to a byte must not be the same each time: a last block that is left as it was opens
correctly, is authenticated, and has no repetition in it. With another key alone, or another nonce,
all of the ciphertext changes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from assay.check.arena import Arena, PendingOutcome
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable, CheckSkipped
from assay.check.keystream.repeats import require_in_place, shared
from assay.check.lengths.far import affordable
from assay.check.routine import Routine, RoutineOutcome, added_up, flipped
from assay.check.session import BaseSession
from assay.check.trial import AnyTrial
from assay.model.api import Role, Way

LENGTHS = (1, 16, 31, 77, 200, 1027)
DENSE = 300  # all lengths below with `--deep`, and else one with each rest of a block
BLOCK, BLOCKS = 16, 5
WORD, WORD_SECONDS = 4, 0.1
BITS, BY_BITS = 8, 2200  # bytes of a message beside which every bit of key and nonce is changed
PIECE = 8
SEED_BYTES = 32
SURE = 3  # times with fresh inputs that a bit changes nothing
TIMES = 6  # a byte is the same in all of them once in 2^40 by chance
SECONDS, DEEP_SECONDS = 0.25, 5.0
SAMPLES = 16  # in all of them two bytes are the same once in 2^128 by chance
FEWEST_SAMPLES = 8  # of slow code: once in 2^64
OWN_LENGTH = 200
CONSTANT = 8  # bytes in a row
VALUES, ENOUGH = 256, 4096  # of bytes; how many of them tell how often each value comes
NEVER = 10_240  # in so many, any value is missing once in 10^15 by chance
FEWEST, UNBALANCED = 256, 64  # bytes; eight times what bits differ by, as often by chance
UNEVEN = 480.0  # chi squared: 255 on average, and as much once in 10^15 by chance
OWN = (Role.MAC, Role.DIGEST, Role.KEY, Role.OTHER)
HIDES = (Role.KEY, Role.PUBLIC_KEY)
OUTPUTS = (Role.MESSAGE, Role.CIPHERTEXT)
Added = dict[tuple[str, str], list[bytes]]


def everywhere(trial: AnyTrial) -> str:
    """Encrypt messages of some lengths, each several times."""
    if not trial.hides:
        raise CheckInapplicable("nothing is encrypted")
    seconds, found = DEEP_SECONDS if trial.deep else SECONDS, False
    budget = trial.budget(seconds, by_chance=bool(trial.stretch))
    overlap = ""
    rests = [one + BLOCK * trial.random.randrange(BLOCKS) for one in range(BLOCK)]
    more = range(1, DENSE) if trial.deep else rests
    lengths = trial.asked((*LENGTHS, *more) if trial.thorough else LENGTHS[-2:])
    for done, length in enumerate(lengths):
        with trial.session() as session:
            made = [
                one
                for _ in _afresh(trial, session, budget, TIMES)
                for one in _encrypted(trial, session, length)
            ]
            added = _added(made)
            if length == max(lengths):
                longest = max(length, min(BY_BITS, affordable(trial)))
                overlap = _by_each_bit(trial, session, longest)
        found = found or bool(added)
        _judge(added)
        if budget.over:
            left_out = len(lengths) - done - 1
            return f"the code is slow: {left_out} of {len(lengths)} lengths left out"
    if not found:
        raise CheckInapplicable("nothing is encrypted")
    if not trial.stretch:
        require_in_place(trial)
    if overlap:
        raise CheckFinding(overlap)
    return ""


def _afresh(trial: AnyTrial, session: BaseSession, budget: Budget, times: int) -> Iterator[int]:
    """Yield so many times, as far as there is time, each with other randomness for calls."""
    usual = session.seed
    for number in budget.each(session, range(times)):
        session.seed = trial.bytes(SEED_BYTES)
        yield number
    session.seed = usual


def _encrypted(trial: AnyTrial, session: BaseSession, length: int) -> Iterator[PendingOutcome]:
    """Encrypt a fresh message in each way; the outcomes are there when they are looked at."""
    batch = trial.last_computation(session, (length,))
    arena = Arena.alone(session)
    for routine in trial.representative(batch):
        if any(_pairs(routine)):
            yield arena.begin(routine)


def _added(made: Iterable[PendingOutcome]) -> Added:
    """Return what was added to the messages."""
    added: Added = {}
    for pending in made:
        routine, outputs = pending.routine, pending.value.outputs
        for message, output in _pairs(routine):
            variable, out = routine.variables[message], outputs[output]
            first, text = variable.fixed, variable.value or b""
            for offset in {0, len(out) - len(text)}:
                part = out[offset + first : offset + len(text)]
                sums = added_up(text[first:], part)
                added.setdefault((routine.name, f"byte {offset} on"), []).append(sums)
    return added


def _by_each_bit(trial: AnyTrial, session: BaseSession, length: int) -> str:
    """Encrypt a message with each bit of key and nonce changed: no part of the output may stay.

    Returns what is to be said of a nonce whose stream has a part of another's. One bit of each
    word is the first, for slow code, and all of a message of another length.
    """
    bits = 1 if trial.stretch and not trial.deep else BITS * WORD
    budget = trial.budget(WORD_SECONDS, by_chance=True)
    batch, overlap = trial.last_computation(session, (length,)), ""
    for routine in trial.representative(batch):
        arena, pairs = Arena.alone(session), tuple(_pairs(routine))
        names = (*routine.having(Role.NONCE), *routine.having(Role.KEY)[-1:])  # no secret number
        places = [
            (number, name, at + bit // BITS, bit % BITS)
            for name, one in ((name, routine.variables[name]) for name in names if pairs)
            if one.matters and not one.clamped
            for at in range(0, one.size - one.idle - WORD + 1, WORD)
            for number, bit in enumerate(trial.some(range(BITS * WORD), bits))
        ]
        if not places:
            continue
        first = arena.outcome(routine)
        _require_hidden(routine, b"".join(first.outputs[one] for _, one in pairs))
        queued = [
            (place, arena.begin(_changed(routine, place)))
            for _, *place in budget.each(session, sorted(places, key=itemgetter(0)))
        ]
        for place, pending in queued:
            for say in (_unchanged, shared):
                told = say(routine, pairs, first, pending.value, place)
                if not told or not _again(trial, session, length, routine.name, place, say):
                    continue
                if say is _unchanged:
                    raise CheckFailed(told)
                overlap = overlap or told
    return overlap


def _changed(routine: Routine, place: Sequence[Any]) -> Routine:
    """Return a routine with a bit of an input changed."""
    name, at, bit = place
    return routine.given(name, flipped(routine.value(name), at, 1 << bit))


def _again(
    trial: AnyTrial,
    session: BaseSession,
    length: int,
    name: str,
    place: Sequence[Any],
    say: Callable[..., str],
) -> bool:
    """Return whether the same is to be said of fresh inputs, too.

    A cipher that goes on from its ciphertext, byte by byte, gives the same for two IVs once in
    256 if they differ in the first byte alone.
    """
    for _ in range(SURE):
        batch = trial.last_computation(session, (length,))
        arena = Arena.alone(session)
        for routine in (one for one in batch if one.name == name):
            first, other = arena.outcome(routine), arena.outcome(_changed(routine, place))
            if not say(routine, tuple(_pairs(routine)), first, other, place):
                return False
    return True


def _unchanged(
    routine: Routine,
    pairs: Collection[tuple[str, str]],
    first: RoutineOutcome,
    other: RoutineOutcome,
    place: Sequence[Any],
) -> str:
    """Return what to say of a part of an output that is the same with another key or nonce."""
    name, byte, bit = place
    for message, output in pairs if other != first else ():  # some leave out bits
        made = first.outputs[output]
        zeros = len(made) - len(made.lstrip(b"\0"))  # before a box, as before its message
        begin = min(zeros, routine.variables[message].fixed)
        same = added_up(made, other.outputs[output]).find(bytes(BLOCK), begin)
        if same >= 0:
            return (
                f"{routine.name}: bytes {same} to {same + BLOCK - 1} of {output} do not depend "
                f"on bit {bit} of byte {byte} of {name}"
            )
    return ""


def _require_hidden(routine: Routine, output: bytes) -> None:
    """Raise CheckFailed for a part of a key or a secret number that stands in the output."""
    for name in routine.having(Role.KEY):
        value = routine.value(name)
        for at in range(0, len(value) - PIECE + 1, PIECE):
            if value[at : at + PIECE] in output:
                raise CheckFailed(
                    f"{routine.name}: bytes {at} to {at + PIECE - 1} of {name} stand in the output"
                )


def _pairs(routine: Routine) -> Iterator[tuple[str, str]]:
    """Yield a message and what becomes of it, if that depends on a key and is as long."""
    variables = routine.variables
    if not any(one.role in HIDES and one.is_input for one in variables.values()):
        return
    for name, one in variables.items():
        if one.role is Role.MESSAGE and one.is_input and one.secret and one.size > one.fixed:
            for output, other in variables.items():
                if other.way is Way.OUT and other.role in OUTPUTS and other.size >= one.size:
                    yield name, output


def _judge(added: Added) -> None:
    """Raise CheckFailed for a byte to which the same was added each time."""
    for (name, where), sums in added.items():
        if len(sums) < TIMES:
            continue
        _require_even(f"{name}: what is added to the message", b"".join(sums))
        first, *others = sums
        for at, byte in enumerate(first):
            if all(one[at] == byte for one in others):
                raise CheckFailed(
                    f"{name}: to byte {at} of the message {byte:02x} is added under each of "
                    f"{TIMES} fresh keys (the output is compared from {where})"
                )


def own_bytes(trial: AnyTrial) -> str:
    """Make MACs, digests and keys of fresh inputs, and compare their bytes place by place."""
    made: dict[str, list[bytes]] = {}
    each: dict[str, bytes] = {}
    texts: set[str] = set()  # which may have zeros in front
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        for _ in _afresh(trial, session, budget, SAMPLES):
            batch = trial.last_computation(session, (OWN_LENGTH,))
            arena = Arena.alone(session)
            for routine in trial.representative(batch):
                names = _own(routine)
                sealed = [] if names else [output for _, output in _pairs(routine)]
                if names := names or sealed:
                    outputs = arena.outcome(routine).outputs
                    whole = b"".join(outputs[name] for name in names)
                    what = f"{routine.steps[-1].function}: {' and '.join(names)}"
                    if sealed:
                        texts.add(what)
                    made.setdefault(what, []).append(whole)
                    for name in () if sealed else names:
                        each[name] = each.get(name, b"") + outputs[name]
    if not made:
        raise CheckInapplicable("it makes nothing that looks random")
    if min(map(len, made.values())) < FEWEST_SAMPLES:
        raise CheckSkipped("the code is slow: too few outputs to compare")
    for what, samples in made.items():
        _require_own(what, samples)
        if what not in texts:
            _require_varied(what, samples)
            _require_balanced(what, b"".join(samples))
            _require_even(what, b"".join(samples))
    for name, data in each.items():
        _require_all_values(name, data)
    return budget.remark("outputs")


def _own(routine: Routine) -> list[str]:
    """Name the outputs all bytes of which look random; a secret key may hold the public one.

    What is of other roles alone is encoded, or decoded.
    """
    variables = routine.variables
    out = [name for name in routine.outputs if variables[name].size]
    if any(variables[name].role is Role.PUBLIC_KEY for name in out):
        return []
    if all(variables[name].role is Role.OTHER for name in routine.inputs):
        return []
    return [name for name in out if variables[name].role in OWN]


def _require_own(what: str, samples: list[bytes]) -> None:
    """Raise CheckFinding for a byte that is always the same as an earlier one."""
    seen: dict[bytes, int] = {}
    for at, column in enumerate(map(bytes, zip(*samples, strict=False))):
        if len(set(column)) > 1 and column in seen:  # points have constant bytes
            raise CheckFinding(f"{what}: byte {at} is always the same as byte {seen[column]}")
        seen[column] = at


def _require_varied(what: str, samples: list[bytes]) -> None:
    """Raise CheckFinding for bytes in a row that are always the same; points have a few."""
    run = 0
    for at, column in enumerate(zip(*samples, strict=False)):
        run = run + 1 if len(set(column)) == 1 else 0
        if run == CONSTANT:
            raise CheckFinding(f"{what}: bytes {at + 1 - CONSTANT} to {at} are always the same")


def _require_even(what: str, data: bytes) -> None:
    """Raise CheckFinding if some values of bytes come far more often than others."""
    if len(data) < ENOUGH:
        return
    expected = len(data) / VALUES
    counts = [data.count(byte) for byte in range(VALUES)]
    if sum((one - expected) ** 2 for one in counts) / expected > UNEVEN:
        most, least = (counts.index(one) for one in (max(counts), min(counts)))
        raise CheckFinding(
            f"{what}: of {len(data)} bytes {max(counts)} are {most:02x} and {min(counts)} are "
            f"{least:02x}: they do not look random"
        )


def _require_balanced(what: str, data: bytes) -> None:
    """Raise CheckFinding if a bit of bytes is far more often one value than the other."""
    count = len(data)
    whole = int.from_bytes(data, "little") if count >= FEWEST else 0
    for bit in range(BITS if whole else 0):
        ones = (whole & int.from_bytes(bytes([1 << bit]) * count, "little")).bit_count()
        if (2 * ones - count) ** 2 > UNBALANCED * count:
            raise CheckFinding(
                f"{what}: of {count} bytes bit {bit} is set in {ones}: they do not look random"
            )


def _require_all_values(what: str, data: bytes) -> None:
    """Raise CheckFinding for a value that no byte of a long output has."""
    missing = sorted({*range(VALUES)} - {*data}) if len(data) >= NEVER else []
    if missing:
        raise CheckFinding(f"{what}: of {len(data)} bytes none is {missing[0]:02x}")


OWN_BYTES: Check[AnyTrial] = Check(
    name="entropy/own-bytes",
    asks="Is every byte of a MAC, a digest, a key and a ciphertext one of its own?",
    why=(
        "A tag of which the second half repeats the first is forged in the time of a half, and a "
        "generator whose output is its next key gives it away. Both verify. It is noted if a bit "
        "is set far more or less often than by chance, of long outputs if some values of bytes "
        "come far more often than others, or never, and of all if eight bytes in a row never "
        "change."
    ),
    cure="Look at how the output is written, and whether all of the state goes into it.",
    run=own_bytes,
)

CHECK: Check[AnyTrial] = Check(
    name="keystream/everywhere",
    asks="Is every byte of a message encrypted, by what depends on the key and on the nonce?",
    why=(
        "A last block that is left as it was, and keystream that is the same under every key or "
        "from some block on for every nonce, decrypt correctly and are authenticated. "
        "Known answers show them, if there are any of that length. Beside a message of 2,200 "
        "bytes each bit of key and nonce is changed, as far as the code is fast. It is noted if "
        "data, or the message's length, move the stream: the key of a tag may stand in it; and "
        "if the stream of one nonce has a part of another's."
    ),
    cure="Look at blocks that are not whole, and at paths for long messages.",
    run=everywhere,
)
