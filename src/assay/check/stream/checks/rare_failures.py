# SPDX-License-Identifier: MIT
"""Whether what was encrypted is decrypted, with thousands of fresh keys, IVs, data and messages.

The agent draws them all. One pass encrypts, one encrypts and then decrypts to where the message
was: both must leave the same message and the same MAC. Digests of thousands of rounds are
compared, and halving finds the first round that differs.
"""

from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from assay.check.arena import Arena
from assay.check.budget import Budget, drawn, until_different
from assay.check.calls import rare_failures
from assay.check.calls.rare_failures import drawn_lengths, in_slices
from assay.check.check import Check, CheckFailed
from assay.check.routine import Routine
from assay.check.session import StreamSession
from assay.check.stream.routines import fresh_message, ways_of
from assay.check.stream.trial import Trial
from assay.execute.circumstances import MOST_PARTS, Part, vary
from assay.execute.protocol import Request


def run_rare_failures(trial: Trial) -> str:
    """Encrypt and decrypt, with other lengths, sizes and functions in each slice of the time."""
    return in_slices(trial, partial(_begun, trial))


def _begun(trial: Trial, session: StreamSession) -> "_Trip":
    return _Trip(Arena(session), *_drawn_ways(trial), trial.random.getrandbits(63))


def _drawn_ways(trial: Trial) -> tuple[Routine, Routine]:
    """Choose sizes, lengths and functions."""
    random = trial.random
    sizes, lengths = random.choice(trial.sizes), drawn_lengths(trial)
    message = fresh_message(trial.bytes, trial.subject, sizes, *lengths)
    ways = ways_of(trial.subject)
    there, back = (
        message.by(random.choice([one for one in ways if one.startswith(verb)]))
        for verb in ("encrypt", "decrypt")
    )
    return there, back


@dataclass(frozen=True, slots=True)
class _Trip:
    """A message that is encrypted, and decrypted to where it was."""

    arena: Arena
    there: Routine
    back: Routine
    seed: int

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
        changed = self._parts(*self._inputs)
        return vary(self.arena.session.agent, requests, watched, changed, seed, rounds)

    @property
    def _inputs(self) -> tuple[str, ...]:
        return self.there.inputs

    def _parts(self, *names: str) -> list[Part]:
        used = [one for one in names if one in self.there.variables]
        return [(self.arena.buffer(one), self.there.variables[one].size) for one in used]

    def _show(self, number: int) -> NoReturn:
        """Raise CheckFailed with what was drawn in the round that differs."""
        given = (
            (name, drawn(self.seed + number * MOST_PARTS, part, self.there.variables[name].size))
            for part, name in enumerate(self._inputs)
        )
        raise CheckFailed(
            f"{self.back.name} does not give back what {self.there.name} made, or another MAC, "
            f"in round {number + 1} with fresh keys and messages",
            "".join(f"{name} = {value.hex().upper()}\n" for name, value in given),
        )


CHECK: Check[Trial] = rare_failures.CHECK.answered_by(run_rare_failures)
