# SPDX-License-Identifier: MIT
"""Asking one build in several lanes: questions here, and others by helpers at the same time.

Most of a check is computed by Python, which uses one processor, or waits for a process to start
or to answer. So `assay check` of one build has helpers, further processes, and whoever is free
takes the next question.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field, replace
from functools import partial

from assay.check.engine.foundry import Foundry
from assay.check.engine.questions import AskedBuild, Questioner
from assay.check.kinds import kind_named
from assay.execute.lock import sharing_too, stand_aside, waiting
from assay.execute.patience import Patience
from assay.machine.helper import HelperLost, SecondProcess
from assay.machine.threads import Threads
from assay.model import CheckResult, PackageKind

Answers = dict[str, tuple[CheckResult, ...]]
Tell = Callable[[CheckResult], None]


@dataclass(slots=True)
class HelperQuestions:
    """What the helper does: the questions to one build after another."""

    foundry: Foundry
    kind: PackageKind
    patience: Patience = field(default_factory=lambda: Patience(0.0))
    questioner: Questioner | None = None

    def begin(self) -> None:
        """Import the checks while the package is compiled."""
        kind_named(self.kind)

    def open(self, asked: AskedBuild, seconds: float) -> None:
        """Begin with a build whose agents may take so many seconds in all."""
        self.close()
        self.patience = Patience(seconds)
        stage = replace(self.foundry.stage, patience=self.patience)
        self.questioner = Questioner(self.foundry.staged(stage), asked)

    def answers(self, name: str, used: float) -> tuple[tuple[CheckResult, ...], float]:
        """Ask one question; so many seconds are used up. Return how many are then."""
        assert self.questioner is not None  # noqa: S101 - opened before
        self.patience.spend(used - self.patience.used)
        return self.questioner.answers(name), self.patience.used

    def close(self) -> None:
        """End the agents."""
        if self.questioner is not None:
            self.questioner.__exit__()
        self.questioner = None


@dataclass(slots=True)
class Lanes:
    """The questions that are left, the answers so far, and who hears of each at once."""

    left: deque[tuple[str, ...]]
    tell: Tell
    answers: Answers = field(default_factory=dict)

    def take(self, ask: Callable[[str], tuple[CheckResult, ...]]) -> None:
        """Ask until nothing is left; a group whose helper was lost is left to others."""
        while self.left:
            try:
                group = self.left.popleft()
            except IndexError:
                return
            for number, name in enumerate(group):
                try:
                    found = ask(name)
                except HelperLost:
                    self.left.appendleft(group[number:])
                    return
                self.answers[name] = found
                for one in found:
                    self.tell(one)


def ask_all(
    asked: AskedBuild, here: Questioner, helpers: Sequence[SecondProcess], tell: Tell
) -> tuple[CheckResult, ...]:
    """Ask everything; return the answers in the order in which they are shown."""
    lanes = Lanes(deque(asked.groups()), tell)
    if helpers:
        _in_lanes(lanes, asked, here, helpers)
    lanes.take(here.answers)  # all of it, or what helpers that were lost have left
    return tuple(one for name in asked.names for one in lanes.answers.get(name, ()))


def _in_lanes(
    lanes: Lanes, asked: AskedBuild, here: Questioner, helpers: Sequence[SecondProcess]
) -> None:
    """Ask here and by all helpers until nothing is left."""
    patience = here.foundry.stage.patience or here.foundry.stage.fresh_patience()

    def other(helper: SecondProcess) -> None:
        def ask(name: str) -> tuple[CheckResult, ...]:
            stand_aside()
            before = patience.used
            found, used = helper.call("answers", name, before)
            patience.spend(used - before)
            return found  # type: ignore[no-any-return]

        helper.call("open", asked, patience.seconds)
        lanes.take(ask)
        helper.call("close")

    with Threads(len(helpers)) as threads:
        work = sharing_too(_unless_lost)
        beside = [threads.submit(work, partial(other, helper)) for helper in helpers]
        try:
            lanes.take(here.answers)
        finally:
            with waiting():
                wait(beside)
    for each in beside:
        each.result()


def _unless_lost(work: Callable[[], None]) -> None:
    """Work with the helper; if it is lost, what it would do is done here."""
    try:
        work()
    except HelperLost:
        return
