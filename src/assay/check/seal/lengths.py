# SPDX-License-Identifier: MIT
"""Whether what is too short, cut off or lengthened is refused, without an access beyond it.

Messages and associated data of every pair of short lengths are authenticated.

The agent seals each pair, opens it, and is to refuse it with a byte more of data, and with the
last byte of either changed. What it does for one pair is a template, of which lengths are filled
in, so that thousands of pairs take no longer than their calls.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from assay.check.arena import SECOND_BASE, Arena, BufferShape, ordinary
from assay.check.buffers.guard import at_end
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.evidence import require_equal
from assay.check.lengths.far import also_far_by
from assay.check.operation.script import Script
from assay.check.operation.session import WORD, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Argument, Routine, Variable
from assay.check.schemes.library import Oracle, oracle_of
from assay.check.seal.openings import (
    Opening,
    only_with_tags,
    openings,
    overhead,
    refuse_all,
    sealings,
)
from assay.execute.places import Buffer, Register
from assay.model.api import Role

CUT_SECONDS = 1.5
MESSAGES = (0, 64)
MOST_SHORT = 4096
ENDS = 32  # so many of the shortest and longest of them are tried first, since code treats them so
BLOCK = 16
CUTS = (1, 2, 8, BLOCK)
MOST_DATA, MOST_CUT = 64, 1  # lengths of data with short ciphertexts, and of these for each
LENGTHENED = (Role.CIPHERTEXT, Role.MESSAGE, Role.DATA)

SHORT, DEEP = 64, 300  # lengths below
SECONDS, DEEP_SECONDS = 0.25, 30.0
SEALED = Register(1)  # keeps the length of what was sealed
MESSAGE, DATA, MORE, LAST_OF_MESSAGE, LAST_OF_DATA = (
    int.from_bytes(bytes([number, 0xA5, 0x3C, 0xE1, 0x77, 0x0F, 0xD2, 0x9B]), "little")
    for number in range(1, 6)
)
"""What stands in the template for lengths, and for places of last bytes."""


def run_lengths(trial: OperationTrial) -> str:
    """Open everything shorter than a tag, and what is a little shorter or longer than it was."""
    remark = ""
    with trial.session() as session:
        for length in MESSAGES:
            for opening in openings(trial, session, length):
                tried = [*_short(trial, opening), *_other_lengths(trial, opening)]
                if length == MESSAGES[0]:
                    tried += _short_with_data(trial, opening)
                share = CUT_SECONDS / len(MESSAGES)
                remark = refuse_all(trial, session, share, tried, inputs_at_end) or remark
        tried = [
            one for call in sealings(trial, session, 0) for one in _without_zeros(trial, call)
        ]
        return refuse_all(trial, session, CUT_SECONDS / len(MESSAGES), tried, at_end(1)) or remark


def inputs_at_end(name: str, variable: Variable) -> BufferShape:
    """Let inputs end at an inaccessible page; outputs have room for what is longer than it was."""
    return at_end(1)(name, variable) if variable.is_input else ordinary(name, variable)


def _without_zeros(trial: OperationTrial, call: Opening) -> Iterator[Opening]:
    """Seal each message that has not even the zeros which must stand before it."""
    (name,) = call.routine.having(Role.MESSAGE)
    zeros = trial.subject.constant("ZEROBYTES")
    for length in trial.some(range(zeros)):
        about = f"a {name} of {length} bytes, where {zeros} zeros must stand before a message"
        yield call.given(name, call.value(name)[:length], about)


def _short(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Cut what is sealed to each length that not even a tag has."""
    end = overhead(trial)
    if not end:
        return
    (name,) = opening.sealed
    for length in _short_lengths(trial, end):
        about = f"a {name} of {length} bytes, which is less than the overhead of {end}"
        if length < len(opening.value(name)):  # the overhead in api.h may be more than is added
            yield opening.given(name, opening.value(name)[:length], about)


def _short_with_data(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Open what is too short with data of each short length: nothing has to be sealed for it."""
    end = overhead(trial)
    for name in opening.routine.having(Role.DATA) if end else ():
        (sealed,) = opening.sealed
        value = opening.value(sealed)
        for data in trial.some(range(MOST_DATA)):
            given = opening.given(name, trial.bytes(data), "")
            cuts = (*trial.some(range(end), MOST_CUT), 0, end - 1)
            lengths = range(end) if trial.deep and end <= ENDS else dict.fromkeys(cuts)
            for length in (one for one in lengths if one < len(value)):
                about = f"{sealed} of {length} bytes, less than a tag, and {name} of {data} bytes"
                yield given.given(sealed, value[:length], about)


def _short_lengths(trial: OperationTrial, end: int) -> Iterator[int]:
    """Yield lengths below `end`, each once; all if they are few, those at both ends first."""
    first = (*range(min(ENDS, end)), *range(max(ENDS, end - ENDS), end))
    yield from trial.some(first)
    rest = range(ENDS, end - ENDS)
    yield from trial.some(rest, MOST_SHORT - len(first))


def _other_lengths(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    for name in opening.routine.inputs:
        if opening.routine.variables[name].role not in LENGTHENED:
            continue
        value = opening.value(name)
        for cut in CUTS:
            if cut <= len(value):
                yield opening.given(name, value[:-cut], f"{name} without its last {cut} bytes")
                yield opening.given(name, value[cut:], f"{name} without its first {cut} bytes")
            yield opening.given(name, value + bytes(cut), f"{name} with {cut} zero bytes behind")
            yield opening.given(
                name, value + trial.bytes(cut), f"{name} with {cut} more bytes behind"
            )
    yield from _moved(opening)


def _moved(opening: Opening) -> Iterator[Opening]:
    """Let associated data begin the ciphertext, and the ciphertext end them."""
    names = [opening.routine.having(role) for role in (Role.DATA, Role.CIPHERTEXT)]
    if not all(names):
        return
    (data,), (sealed,) = names
    a, c = opening.value(data), opening.value(sealed)
    about = f"{BLOCK} bytes moved from one of {data} and {sealed} to the other"
    if len(a) >= BLOCK:
        one = opening.given(data, a[:-BLOCK], "")
        yield Opening(one.given(sealed, a[-BLOCK:] + c, "").routine, about)
    if len(c) >= 2 * BLOCK:
        one = opening.given(data, a + c[:BLOCK], "")
        yield Opening(one.given(sealed, c[BLOCK:], "").routine, about)


LENGTHS_CHECK = Check(
    "forgeries/lengths",
    "Is everything refused that is too short, cut off, or lengthened?",
    (
        "Whoever sends a ciphertext chooses its length. Code that subtracts the length of the tag "
        "without a comparison accepts nothing at all as a message, or reads 2^64 bytes. The zeros "
        "before a message of NaCl's boxes are part of its length: what has fewer cannot be sealed."
    ),
    "Return -1 for lengths below that of the tag or the zeros, and authenticate lengths.",
    run_lengths,
)


def run_pairs(trial: OperationTrial) -> str:
    """Seal and open all pairs of lengths, as far as there is time."""
    longest = DEEP if trial.deep else SHORT
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    only_with_tags(trial, seal_names(trial))
    with trial.session() as session:
        pairs = _sealed_pairs(trial, session, longest)
        template = pairs.template()
        for length in budget.each(session, trial.some(range(longest))):
            pairs.ask(template, length, range(longest))
    return budget.remark("lengths")


def run_far_pairs(trial: OperationTrial) -> None:
    """Let message and data have one long length, and the data a byte more."""
    longest = trial.stretch
    with trial.session() as session:
        pairs = _sealed_pairs(trial, session, longest)
        template = pairs.template()
        for length in (longest - 1, longest - 2):
            pairs.ask(template, length, (longest - 1,))


def seal_names(trial: OperationTrial) -> list[tuple[str, str]]:
    """Name the functions that seal, each with the one that opens."""
    return [(one.seal, one.unseal) for one in trial.operation.seals if one.seal is not None]


def _sealed_pairs(trial: OperationTrial, session: OperationSession, longest: int) -> "SealedPairs":
    """Return what seals and opens up to `longest` bytes; CheckInapplicable where nothing pairs."""
    calls = trial.calls(session, longest)
    seal, unseal = (calls[name] for name in seal_names(trial)[-1])
    if not seal.having(Role.DATA) or trial.draws(seal):
        raise CheckInapplicable("there are no data beside the message")
    oracle = oracle_of(trial.subject, trial.package.primitive)
    return SealedPairs(session, seal, unseal, oracle)


class SealedPairs(Struct, frozen=True):
    """A call that seals, one that opens that, and what a library knows of it, in one agent."""

    session: OperationSession
    seal: Routine
    unseal: Routine
    oracle: Oracle | None

    def ask(self, template: Script, length: int, sizes: Sequence[int]) -> None:
        """Seal a length of the message with lengths of data."""
        script = Script()
        script.seed(self.session.seed)
        one = template.filled({MESSAGE: length, LAST_OF_MESSAGE: max(length, 1) - 1})
        for size in sizes:
            numbers = {DATA: size, MORE: size + 1, LAST_OF_DATA: max(size, 1) - 1}
            script.times(1, one.filled(numbers))
        answer, at = self.session.run(script), 0
        for size in sizes:
            at = self._judge(length, size, answer, at)

    def template(self) -> Script:
        """Return the steps for one pair, with numbers in place of lengths."""
        sealing = Arena(self.session)
        opening = Arena(self.session, base=SECOND_BASE)
        for arena, routine in ((sealing, self.seal), (opening, self.unseal)):
            arena.ready(routine)
        self.session.settle()
        (sealed,), (data,) = self.seal.having(Role.CIPHERTEXT), self.seal.having(Role.DATA)
        c, a = sealing.buffer(sealed), opening.buffer(data)
        sealed_by = self._arguments(sealing, self.seal)
        plain = [
            c if isinstance(one, Buffer) and one.label == sealed else one
            for one in self._arguments(opening, self.unseal)
        ]
        script, number = Script(), self.unseal.steps[0].number
        script.call(
            self.seal.steps[0].number,
            [SEALED if isinstance(one, Register) else one for one in sealed_by],
        )
        script.give(SEALED)
        script.read(c, SEALED)
        script.call(number, plain)
        script.read(opening.buffer(self.unseal.having(Role.MESSAGE)[0]), MESSAGE)
        script.call(number, [MORE if one == DATA else one for one in plain])
        for place, last, size in ((a, LAST_OF_DATA, DATA), (c, LAST_OF_MESSAGE, MESSAGE)):
            script.add(place, last, size, 1)
            script.call(number, plain)
            script.add(place, last, size, -1)
        return script

    @staticmethod
    def _arguments(arena: Arena, routine: Routine) -> list[Argument]:
        """Return the arguments of a call, with the template's numbers for lengths."""
        standing: dict[Role, int | Register] = {
            Role.DATA: DATA,
            Role.CIPHERTEXT: SEALED,
            Role.MESSAGE: MESSAGE,
        }
        found: list[Argument] = []
        before = ""
        for one in routine.steps[0].arguments:
            role = routine.variables[before].role if isinstance(one, int) else Role.STATE
            found.append(standing[role] if role in standing else arena.resolved(one))
            before = one.label if isinstance(one, Buffer) else ""
        return found

    def _judge(self, length: int, size: int, answer: bytes, at: int) -> int:
        """Raise CheckFailed unless a pair goes as it must; return where its answer ends."""

        def number() -> int:
            nonlocal at
            at += WORD
            return int.from_bytes(answer[at - WORD : at], "little", signed=True)

        about = f"m of {length} bytes and data of {size}"
        if number():
            raise CheckFailed(f"{self.seal.steps[0].function} fails for {about}")
        end = number() + at
        sealed, at = answer[at:end], end
        self._compare(length, size, sealed, about)
        result, opened = number(), answer[at : at + length]
        at += length
        if result or opened != self.seal.value(self.seal.having(Role.MESSAGE)[0])[:length]:
            raise CheckFailed(f"{self.unseal.steps[0].function} does not open {about}")
        for changed, there in (
            ("with a byte more of data", True),
            ("with the last byte of data changed", size > 0),
            ("with the last byte of the ciphertext changed", length > 0),
        ):
            if number() == 0 and there:
                raise CheckFailed(f"{self.unseal.steps[0].function} accepts {about}, {changed}")
        return at

    def _compare(self, length: int, size: int, sealed: bytes, about: str) -> None:
        """Raise CheckFailed if a library seals the pair otherwise."""
        if self.oracle is None:
            return
        known = {name: one.value or b"" for name, one in self.seal.variables.items()}
        given = {"m": known["m"][:length], "a": known["a"][:size]}
        expected = self.oracle({**known, **given})["c"]
        if sealed != expected:
            said = f"{self.seal.steps[0].function} of {about} is not what Python's library gives"
            seal = self.seal.given("m", given["m"]).given("a", given["a"])
            require_equal(seal, said, "c", expected, sealed)


_OF_PAIRS = Check(
    "forgeries/pairs",
    "Are messages and data of all pairs of lengths below 64 opened as they were, and no others?",
    (
        "What is done with the last, incomplete block of data may depend on whether there is a "
        "message, and on how it ends. Code that leaves out the end of 13 bytes of data without "
        "a message passes tests that vary one length at a time. `--deep` asks all below 300. Long "
        "ones are asked where they are equal, and where the data are a byte longer."
    ),
    "Look at what is done with the last blocks of data and message for the lengths named.",
    run_pairs,
)
PAIRS_CHECK = also_far_by(_OF_PAIRS, run_far_pairs, few=True)
