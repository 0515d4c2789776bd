# SPDX-License-Identifier: MIT
"""Whether messages and associated data of every pair of short lengths are authenticated.

The agent seals each pair, opens it, and is to refuse it with a byte more of data, and with the
last byte of either changed. What it does for one pair is a template, of which lengths are filled
in, so that thousands of pairs take no longer than their calls.
"""

from dataclasses import dataclass

from assay.check.arena import SECOND_BASE, Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.script import Script
from assay.check.operation.session import WORD, OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Argument, Routine
from assay.check.schemes.library import Oracle, oracle_of
from assay.check.seal.openings import only_with_tags
from assay.execute.places import Buffer, Register
from assay.model.api import Role

SHORT, DEEP = 64, 300  # lengths below
SECONDS, DEEP_SECONDS = 0.25, 30.0
SEALED = Register(1)  # keeps the length of what was sealed
MESSAGE, DATA, MORE, LAST_OF_MESSAGE, LAST_OF_DATA = (
    int.from_bytes(bytes([number, 0xA5, 0x3C, 0xE1, 0x77, 0x0F, 0xD2, 0x9B]), "little")
    for number in range(1, 6)
)
"""What stands in the template for lengths, and for places of last bytes."""


def run_pairs(trial: OperationTrial) -> str:
    """Seal and open all pairs of lengths, as far as there is time."""
    names = [(one.seal, one.unseal) for one in trial.operation.seals if one.seal is not None]
    only_with_tags(trial, names)
    longest = DEEP if trial.deep else SHORT
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        *_, batch = trial.computations(session, (longest,))
        calls = {one.steps[0].number: one for one in batch}
        seal, unseal = (calls[session.number(name)] for name in names[-1])
        if not seal.having(Role.DATA) or trial.draws(seal):
            raise CheckInapplicable("there are no data beside the message")
        session.agent.forget_buffers()
        oracle = oracle_of(trial.subject, trial.package.primitive)
        pairs = SealedPairs(session, seal, unseal, oracle)
        template = pairs.template()
        for length in budget.each(session, trial.random.sample(range(longest), longest)):
            pairs.ask(template, length, longest)
    return budget.remark("lengths")


@dataclass(frozen=True, slots=True)
class SealedPairs:
    """A call that seals, one that opens that, and what a library knows of it, in one agent."""

    session: OperationSession
    seal: Routine
    unseal: Routine
    oracle: Oracle | None

    def ask(self, template: Script, length: int, longest: int) -> None:
        """Seal a length of the message with all lengths of data below `longest`."""
        script = Script()
        script.seed(self.session.seed)
        one = template.filled({MESSAGE: length, LAST_OF_MESSAGE: max(length, 1) - 1})
        for size in range(longest):
            numbers = {DATA: size, MORE: size + 1, LAST_OF_DATA: max(size, 1) - 1}
            script.times(1, one.filled(numbers))
        answer, at = self.session.run(script), 0
        for size in range(longest):
            at = self._judge(length, size, answer, at)

    def template(self) -> Script:
        """Return the steps for one pair, with numbers in place of lengths."""
        sealing = Arena(self.session)
        opening = Arena(self.session, base=SECOND_BASE)
        for arena, routine in ((sealing, self.seal), (opening, self.unseal)):
            arena.lay(routine)
            arena.fill(routine)
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
        script.read(opening.buffer(self._opened), MESSAGE)
        script.call(number, [MORE if one == DATA else one for one in plain])
        for place, last, size in ((a, LAST_OF_DATA, DATA), (c, LAST_OF_MESSAGE, MESSAGE)):
            script.add(place, last, size, 1)
            script.call(number, plain)
            script.add(place, last, size, -1)
        return script

    @property
    def _opened(self) -> str:
        return self.unseal.having(Role.MESSAGE)[0]

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
        if result or opened != self._value(self.seal, Role.MESSAGE)[:length]:
            raise CheckFailed(f"{self.unseal.steps[0].function} does not open {about}")
        for changed, there in (
            ("with a byte more of data", True),
            ("with the last byte of data changed", size > 0),
            ("with the last byte of the ciphertext changed", length > 0),
        ):
            if number() == 0 and there:
                raise CheckFailed(f"{self.unseal.steps[0].function} accepts {about}, {changed}")
        return at

    @staticmethod
    def _value(routine: Routine, role: Role) -> bytes:
        return routine.variables[routine.having(role)[0]].value or b""

    def _compare(self, length: int, size: int, sealed: bytes, about: str) -> None:
        """Raise CheckFailed if a library seals the pair otherwise."""
        if self.oracle is None:
            return
        known = {name: one.value or b"" for name, one in self.seal.variables.items()}
        expected = self.oracle({**known, "m": known["m"][:length], "a": known["a"][:size]})["c"]
        if sealed != expected:
            raise CheckFailed(
                f"{self.seal.steps[0].function} of {about} is not what Python's library gives",
                f"expected {expected.hex()}\nactual   {sealed.hex()}\n",
            )


CHECK = Check(
    "forgeries/pairs",
    "Are messages and data of all pairs of lengths below 64 opened as they were, and no others?",
    (
        "What is done with the last, incomplete block of data may depend on whether there is a "
        "message, and on how it ends. Code that leaves out the end of 13 bytes of data without "
        "a message passes tests that vary one length at a time. `--deep` asks all below 300."
    ),
    "Look at what is done with the last blocks of data and message for the lengths named.",
    run_pairs,
)
