# SPDX-License-Identifier: MIT
"""Long messages, and whether every byte of a message matters."""

from collections.abc import Iterator

from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.checks.walking import (
    LENGTHS_FACTOR,
    Clock,
    about,
    clock,
    groups,
    name_of,
    repeats,
    walked,
)
from assay.check.operation.tasks import has_message
from assay.check.operation.trial import OperationTrial
from assay.check.operation.walk import RecordedCall, ReferenceWalk

LONG = (4097, 4608, 8192, 16385, 65536, 100_003)
FEW_LONG = (4097, 65536)
WHOLE = 100  # bytes of a message of which every one is tried
SORT = "crypto_sort"
MESSAGES = {"crypto_aead": ("m", "a"), SORT: ("x",)}  # elsewhere `a` is a key: bits may not count
RANDOM_PLACES = 12
FEW_PLACES = 3  # of a message beyond LONG_BYTES, where every call takes its time
LONG_BYTES = 10_000
FLIPS = 3  # a short output comes out the same by chance now and then
RUBBISH = 0xFF


def run_long(trial: OperationTrial) -> None:
    """Use messages longer than SUPERCOP's tests have; outputs must be written whole."""
    _with_message(trial)
    timer = clock(trial, LENGTHS_FACTOR)
    with trial.session() as session:
        for one in groups(trial, LONG if trial.thorough else FEW_LONG):
            session.agent.forget_buffers()
            walk = ReferenceWalk(session, one)
            for call in walked(trial, walk):
                _written_whole(trial, walk, call)
                _sorted(trial, walk, call)
                _depends(trial, walk, call, timer)
            if timer.over:
                return


def _written_whole(trial: OperationTrial, walk: ReferenceWalk, call: RecordedCall) -> None:
    """With other rubbish in its outputs a call must write the same."""
    if not repeats(walk, call):
        return  # not deterministic by itself: calls/deterministic says whether it may be
    if walk.again(call, rubbish=RUBBISH) != (call.result, call.wrote):
        raise CheckFailed(
            f"{name_of(trial, call)} does not write all of its output {about(walk.group)}: "
            "what was there before can be seen in it"
        )


def _sorted(trial: OperationTrial, walk: ReferenceWalk, call: RecordedCall) -> None:
    """Whatever order items come in, crypto_sort must give them in the same one."""
    if trial.subject.operation != SORT:
        return
    size = trial.subject.constant("BYTES")
    data = call.read["x"]
    items = [data[at : at + size] for at in range(0, len(data), size)]
    mixed = b"".join(trial.random.sample(items, len(items)))
    if walk.again(call, read={"x": mixed}) != (call.result, call.wrote):
        raise CheckFailed(f"{len(items)} items in another order come out in another order")


def run_dependence(trial: OperationTrial) -> None:
    """Change every byte of a message in place: the output must change, too."""
    _with_message(trial)
    timer = clock(trial, LENGTHS_FACTOR)
    with trial.session() as session:
        for one in groups(trial, (WHOLE,)):
            session.agent.forget_buffers()
            walk = ReferenceWalk(session, one)
            for call in walked(trial, walk):
                _depends(trial, walk, call, timer, every=True)


def _depends(
    trial: OperationTrial,
    walk: ReferenceWalk,
    call: RecordedCall,
    timer: Clock,
    *,
    every: bool = False,
) -> None:
    names = MESSAGES.get(trial.subject.operation, ("m",))
    for name in (each for each in names if each in call.read):
        if not repeats(walk, call):
            continue
        chain = _Chain(walk, call, name)
        for place in _places(trial, walk, name, every=every):
            if not any(chain.flip(place, bit) for bit in trial.random.sample(range(8), FLIPS)):
                raise CheckFailed(
                    f"byte {place} of {name} does not matter to {name_of(trial, call)} "
                    f"{about(walk.group)}"
                )
            if timer.over:
                return


class _Chain:
    """A variable that is changed in place, bit by bit, with a call after each change.

    Code that remembers has the message before in mind: each result must differ from the last.
    After a refusal it begins anew, since one refusal is like another.
    """

    def __init__(self, walk: ReferenceWalk, call: RecordedCall, name: str) -> None:
        """Begin with the call as it was."""
        self._walk, self._call, self._name = walk, call, name
        self._data = bytearray(call.read[name])
        self._last = call.result, call.wrote

    def flip(self, place: int, bit: int) -> bool:
        """Change one more bit; give whether the result differs from the last one."""
        if self._last[0] != self._call.result:
            self._data = bytearray(self._call.read[self._name])
            self._last = self._walk.again(self._call)
        self._data[place] ^= 1 << bit
        changed = self._call.read | {self._name: bytes(self._data)}
        before, self._last = self._last, self._walk.again(self._call, read=changed)
        return self._last != before


def _places(
    trial: OperationTrial, walk: ReferenceWalk, name: str, *, every: bool
) -> Iterator[int]:
    size, first = walk.group.variables[name], walk.group.zeros.get(name, 0)
    size -= size % (trial.subject.constant("BLOCKBYTES") or 1)  # crypto_hashblocks leaves a rest
    if size <= first:
        return
    yield from {first, (first + size) // 2, size - 1}
    if every:
        yield from trial.random.sample(range(first, size), size - first)
    else:
        number = RANDOM_PLACES if size < LONG_BYTES else FEW_PLACES
        yield from (trial.random.randrange(first, size) for _ in range(number))


def _with_message(trial: OperationTrial) -> None:
    if not has_message(trial.subject.operation):
        raise CheckInapplicable(f"{trial.subject.operation} takes no message")


LONG_CHECK = Check(
    "lengths/long",
    "Are messages of more than 4,096 bytes processed completely?",
    (
        "SUPERCOP tests up to 4,096 bytes and measures up to 65,536. Code that returns at once "
        "beyond the tests would win."
    ),
    "Look for a truncated length (16 bits, int), and for early returns.",
    run_long,
)
DEPENDENCE_CHECK = Check(
    "lengths/dependence",
    "Does the result depend on every byte of a message, also if it changes in place?",
    (
        "Code that recognises a message by its address, length or first bytes returns an "
        "earlier result."
    ),
    "Keep no results between calls, and process the whole message.",
    run_dependence,
)
