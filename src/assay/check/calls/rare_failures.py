# SPDX-License-Identifier: MIT
"""Whether what was sealed, signed or encapsulated opens, with thousands of fresh keys.

The agent repeats the calls of SUPERCOP's tests with fresh random bytes, and stops in the first
round that differs: of fast code some thousand rounds a second, where tests have some dozen.

Of ciphers the agent draws all inputs. One pass encrypts, one encrypts and then decrypts to where
the message was: both must leave the same message and the same MAC. Digests of thousands of rounds
are compared, and halving finds the first round that differs.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from random import Random
from typing import Any, NoReturn

from msgspec import Struct, field

from assay.check.arena import Arena, drawn, until_different
from assay.check.budget import Budget
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.operation.script import Argument, Script
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Routine
from assay.check.session import StreamSession
from assay.check.stream.routines import fresh_message, ways_of
from assay.check.stream.trial import Trial
from assay.check.trial import AnyTrial
from assay.execute.agent import AgentNoRoom, AgentRefusal
from assay.execute.circumstances import MOST_PARTS, Part, again, vary
from assay.execute.places import Buffer, Register
from assay.execute.protocol import Request
from assay.model.api import Way
from assay.model.tested import TestCall
from assay.model.timed import evaluate

SECONDS, DEEP_SECONDS = 1.0, 20.0
MOST, DEEP_MOST, BOARD_MOST = 12_288, 4_000_000, 256  # rounds; some boards have no clock
SLICES = 16  # lengths of messages
LONGEST, BOARD_LONGEST = 2048, 128
LEAST_SEEN = 3  # one failure in N is seen in 95 of 100 cases among three times as many rounds
SHOWN_BYTES = 64
SPECIAL_SECONDS = 0.3
SMALL, SPECIAL_POWERS = 17, 8  # numbers from 0, and powers of two
REFUSED = "does not return 0"
ROOM, SEED = 64, 64
SEED_BYTES, WORD = 32, 8
OTHER_LENGTH = 23  # of data, at most
SECOND = 2  # that round differs if the first one goes wrong


def run_rare_failures(trial: OperationTrial) -> str:
    """Make and open, with other lengths in each slice of the time."""
    calls = trial.operation.tests.calls
    if not any(one.equal or one.xor for one in calls) and not trial.operation.seals:
        raise CheckInapplicable("nothing that is made is opened")
    remark = in_slices(trial, partial(CallsTrip.of, trial))
    with trial.session() as session:
        trip = CallsTrip.of(trial, session)
        trip.with_specials(trial.budget(SPECIAL_SECONDS))
        trip.with_seeds(trial.budget(SPECIAL_SECONDS))
    return remark


def in_slices(trial: AnyTrial, begun: Callable[[Any], "CallsTrip | CipherTrip"]) -> str:
    """Repeat a trip, with other lengths in each slice of the time; return the remark."""
    seconds = trial.budget(DEEP_SECONDS if trial.deep else SECONDS).seconds / SLICES
    most = BOARD_MOST if trial.on_board else DEEP_MOST if trial.deep else MOST
    rounds = 0
    with trial.session() as session:
        for _ in range(SLICES):
            session.agent.forget_buffers()
            try:
                rounds += begun(session).repeat(most // SLICES, seconds)
            except AgentNoRoom:
                raise
            except AgentRefusal:
                raise CheckInapplicable("the agent cannot repeat calls by itself") from None
    return f"one failure in {max(1, rounds // LEAST_SEEN)} would have been seen"


def drawn_lengths(trial: AnyTrial) -> tuple[int, int]:
    """Draw lengths of message and data; of messages each power of two is as likely."""
    longest = int((BOARD_LONGEST if trial.on_board else LONGEST) ** trial.random.random())
    return trial.random.randrange(longest + 1), trial.random.randrange(OTHER_LENGTH)


_Answer = tuple[str, int]  # what a number is that a script answers, and what it must be


class CallsTrip(Struct):
    """The calls of an operation on fresh inputs, in an agent."""

    trial: OperationTrial
    session: OperationSession
    sizes: Mapping[str, int]
    about: str
    buffers: dict[str, Buffer]
    measured: dict[str, Register] = field(default_factory=dict)

    @classmethod
    def of(cls, trial: OperationTrial, session: OperationSession) -> "CallsTrip":
        """Make a buffer for each variable."""
        tests = trial.operation.tests
        length, second = drawn_lengths(trial)
        has_message = any("#" in one for one in tests.sizes.values())
        lengths = trial.subject.constant(tests.shortest) + length * has_message, second
        drawn = (*lengths, lengths[1])
        sizes = {
            name: evaluate(text, trial.subject.constant, *drawn)
            for name, text in tests.sizes.items()
        }
        buffers = {
            name: session.agent.buffer(name, size + ROOM, number=number)
            for number, (name, size) in enumerate(sizes.items())
        }
        about = f" with m of {lengths[0]} bytes" if tests.drawn else ""
        return cls(trial, session, sizes, about, buffers)

    def repeat(self, most: int, seconds: float) -> int:
        """Return how many rounds went well; CheckFailed shows the one that did not."""
        seed, answers = self.trial.bytes(SEED_BYTES), list[_Answer]()
        self._seed(seed)
        script = Script()
        self._draw(script)
        for call in self._calls:
            answers += self._add(script, call)
        if self._wrong(script, answers):
            self._show(1)
        request = (Request.SCRIPT, script.payload)
        rounds, other = again(self.session.agent, [request], [], most, seconds)
        if other == SECOND and not self._opens_wrongly():
            self._seed(seed)  # the first round is the odd one: make it again
            for number in (1, SECOND):
                if self._wrong(script, answers):
                    self._show(number)
        if other:
            self._show(other)
        return rounds

    def with_specials(self, budget: Budget) -> None:
        """Let each short input that is drawn be a small number, a power of two, zeros or ones.

        Code may refuse them, but not compute something else.
        """
        given = [
            (name, value)
            for name in self._drawn
            if 0 < self.sizes[name] <= SHOWN_BYTES
            and name not in self.trial.operation.timing.zeros
            for value in specials(self.trial.random, self.sizes[name])
        ]
        for name, value in budget.each(self.session, self.trial.some(given)):
            script, answers = Script(), list[_Answer]()
            self._draw(script)
            script.write(self.buffers[name], value)
            for call in self._calls:
                answers += self._add(script, call)
            wrong = self._wrong(script, answers)
            if wrong and not wrong.endswith(REFUSED):
                raise CheckFailed(f"{wrong}{self.about}", f"{name} = {value.hex().upper()}\n")

    def with_seeds(self, budget: Budget) -> None:
        """Let `randombytes` begin with zeros, or ones, in each call that draws."""
        constant = self.trial.subject.constant
        drawing = [one for one in self._calls if self.trial.operation.draws(one.suffix, constant)]
        for asked, byte in budget.each(self.session, list(product(drawing, (0x00, 0xFF)))):
            script, answers = Script(), list[_Answer]()
            self._draw(script)
            for call in self._calls:
                if call is asked:
                    script.supply(bytes([byte]) * SEED)
                answers += self._add(script, call)
            wrong = self._wrong(script, answers)
            if wrong and not wrong.endswith(REFUSED):
                name = f"{self.trial.subject.operation}{asked.suffix}"
                raise CheckFailed(
                    f"{wrong}{self.about}, where {name} draws {SEED} bytes {byte:02x} first"
                )

    @property
    def _drawn(self) -> tuple[str, ...]:
        """The variables that no call writes before another reads them."""
        written: set[str] = set()
        found: list[str] = []
        for call in self._calls:
            found += [one for one in (*call.read, *call.changed) if one not in written]
            written |= {*call.read, *call.changed, *call.written}
        return tuple(dict.fromkeys(found))

    def _seed(self, seed: bytes) -> None:
        script = Script()
        script.seed(seed)
        self.session.run(script)

    @property
    def _calls(self) -> tuple[TestCall, ...]:
        return self.trial.operation.tests.calls

    def _draw(self, script: Script) -> None:
        """Fill what no call writes with random bytes, behind zeros where there must be some."""
        zeros = self.trial.operation.timing.zeros
        for name in self._drawn:
            script.draw(self.buffers[name], self.sizes[name])
            if name in zeros:
                size = evaluate(zeros[name], self.trial.subject.constant, 0, 0)
                script.fill(self.buffers[name], min(size, self.sizes[name]))

    def _add(self, script: Script, call: TestCall) -> list[_Answer]:
        """Append a call and the comparisons that follow; return what it must answer."""
        name = f"{self.trial.subject.operation}{call.suffix}"
        self._call(script, call, call.names)
        answers: list[_Answer] = [(f"{name} {REFUSED}", 0)]
        for one, other, _ in call.equal:
            if one in call.measured:
                script.give(self.measured[one])
                text = f"{name} writes another length of {one} than that of {other}"
                answers.append((text, self.sizes[other]))
            answers.append(self._equal(script, one, other, f"{name} gives another"))
        if call.xor:
            key, message, text = call.xor
            turned = {message: text, text: key}
            self._call(script, call, tuple(turned.get(one, one) for one in call.names))
            answers.append((f"{name} {REFUSED}", 0))
            answers.append(
                self._equal(script, key, message, f"{name}, called twice, gives another")
            )
        return answers

    def _equal(self, script: Script, one: str, other: str, text: str) -> _Answer:
        script.equal(self.buffers[one], self.buffers[other], self.sizes[other])
        return f"{text} {one} than {other}", 1

    def _call(self, script: Script, call: TestCall, names: tuple[str, ...]) -> None:
        arguments: list[Argument] = []
        for parameter, name in zip(call.function.parameters, names, strict=True):
            if parameter.way is Way.LENGTH_OUT:
                self.measured.setdefault(name, Register(len(self.measured)))
                arguments.append(self.measured[name])
            elif parameter.way is Way.LENGTH:
                arguments.append(self.measured.get(name, self.sizes[name]))
            else:
                arguments.append(self.buffers[name])
        script.call(self.session.number(call.suffix), arguments)

    def _opens_wrongly(self) -> str:
        """Make the calls that draw nothing again; return what is wrong then."""
        script, answers = Script(), list[_Answer]()
        for call in self._calls:
            if not self.trial.operation.draws(call.suffix, self.trial.subject.constant):
                answers += self._add(script, call)
        return self._wrong(script, answers)

    def _wrong(self, script: Script, answers: list[_Answer]) -> str:
        """Run a script; return what is wrong with its answers, nothing if all is well."""
        answer = self.session.run(script)
        for at, (what, expected) in enumerate(answers):
            if int.from_bytes(answer[WORD * at : WORD * (at + 1)], "little") != expected:
                return what
        return ""

    def _show(self, number: int) -> None:
        """Fail with what the calls that draw nothing do, made again on what the round has left."""
        what = self._opens_wrongly() or "a call goes wrong, once"
        kept = {
            name: self.session.agent.fetch(buffer, self.sizes[name])
            for name, buffer in self.buffers.items()
        }
        self.session.settle()
        texts = [f"{name} = {_shown(one.data)}\n" for name, one in kept.items()]
        raise CheckFailed(
            f"{what}{self.about}, in round {number} with fresh keys and messages", "".join(texts)
        )


def specials(random: Random, size: int) -> Iterator[bytes]:
    """Yield numbers of so many bytes that are small, powers of two, or near the largest."""
    powers = (1 << one for one in random.sample(range(8 * size), SPECIAL_POWERS))
    top = (1 << 8 * size) - 1
    for number in dict.fromkeys((*range(min(SMALL, top)), *powers, top, top - 1, top >> 1)):
        yield number.to_bytes(size, "little")
        yield number.to_bytes(size, "big")


def _shown(data: bytes) -> str:
    more = f"... ({len(data)} bytes)" if len(data) > SHOWN_BYTES else ""
    return f"{data[:SHOWN_BYTES].hex().upper()}{more}"


CHECK = Check(
    "calls/rare-failures",
    "Does what is made open, with thousands of fresh keys, messages and lengths?",
    (
        "SUPERCOP's tests make some dozen keys and messages. A key pair in a hundred that does "
        "not work, or a signature in a thousand that is refused, passes them and fails in "
        "practice. Inputs that are small numbers or powers of two are tried, too, and drawn bytes "
        "that are all zeros or all ones. The remark says which share of failures would have been "
        "seen; `--deep` takes longer."
    ),
    "Repair what fails for the inputs shown: carries, values that are not reduced, lengths.",
    run_rare_failures,
)


# ---------------------------------------------------------------- of ciphers


def run_of_ciphers(trial: Trial) -> str:
    """Encrypt and decrypt, with other lengths, sizes and functions in each slice of the time."""
    return in_slices(trial, partial(CipherTrip.of, trial))


class CipherTrip(Struct, frozen=True):
    """A message that is encrypted, and decrypted to where it was."""

    arena: Arena
    there: Routine
    back: Routine
    seed: int

    @classmethod
    def of(cls, trial: Trial, session: StreamSession) -> "CipherTrip":
        """Choose sizes, lengths and functions."""
        random = trial.random
        sizes, lengths = random.choice(trial.sizes), drawn_lengths(trial)
        message = fresh_message(trial.bytes, trial.subject, sizes, *lengths)
        ways = ways_of(trial.subject)
        there, back = (
            message.by(random.choice([one for one in ways if one.startswith(verb)]))
            for verb in ("encrypt", "decrypt")
        )
        return cls(Arena(session), there, back, random.getrandbits(63))

    def repeat(self, most: int, seconds: float) -> int:
        """Return how many rounds went well; CheckFailed shows the one that did not."""
        self.arena.outcome(self.there)  # code that hangs is not waited for as long as many rounds
        self._turned.go(self.back.steps)
        self.arena.session.settle()
        budget = Budget(seconds)

        def differ(done: int, rounds: int) -> bool:
            with budget.spending(self.arena.session.agent):
                return self._differs(self.seed + done * MOST_PARTS, rounds)

        made, differs = until_different(differ, most, lambda: budget.over)
        if differs:
            self._show(made)
        return made

    def _differs(self, seed: int, rounds: int) -> bool:
        there = self.arena.requests(self.there)
        turned = self._turned
        both = [*there, *turned.session.requests(self.back.steps, turned.resolved)]
        one, other = (self._digest(each, seed, rounds) for each in (there, both))
        return one != other

    @property
    def _turned(self) -> Arena:
        return self.arena.turned("input", "output")

    def _digest(self, requests: list[tuple[Request, bytes]], seed: int, rounds: int) -> int:
        watched = self._parts("input", "MAC")
        changed = self._parts(*self.there.inputs)
        return vary(self.arena.session.agent, requests, watched, changed, seed, rounds)

    def _parts(self, *names: str) -> list[Part]:
        used = [one for one in names if one in self.there.variables]
        return [(self.arena.buffer(one), self.there.variables[one].size) for one in used]

    def _show(self, number: int) -> NoReturn:
        """Raise CheckFailed with what was drawn in the round that differs."""
        given = (
            (name, drawn(self.seed + number * MOST_PARTS, part, self.there.variables[name].size))
            for part, name in enumerate(self.there.inputs)
        )
        raise CheckFailed(
            f"{self.back.name} does not give back what {self.there.name} made, or another MAC, "
            f"in round {number + 1} with fresh keys and messages",
            "".join(f"{name} = {value.hex().upper()}\n" for name, value in given),
        )


OF_CIPHERS: Check[Trial] = CHECK.answered_by(run_of_ciphers)
