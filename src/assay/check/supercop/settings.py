# SPDX-License-Identifier: MIT
"""What decides a program of checksum tests: two implementations with the same have the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.check.supercop.tasks import EARLIER, TASKS, TestCall, TestTask
from assay.model import OperationDetails, OperationSubject
from assay.model.operations import OPERATIONS

FLAGS = ("BOXZEROBYTES", "DETERMINISTIC", "NOOVERLAP")


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """The key of a program. `constants` are those of api.h; `loops` how many rounds.

    `weights`: go on with inputs of every weight. `shift`: addresses are one byte (or
    one item) off a multiple of 64. `swapped`: the agent's machine is big-endian. `brief`:
    every call is made once, which is all that the checksum needs. `bare`: no forgeries
    where the checksum does not need them. `after`: both begin with this loop. `earlier`: the
    tests as SUPERCOP had them before it changed them.
    """

    operation: str
    constants: tuple[tuple[str, int], ...]
    big: bool
    loops: int
    weights: bool = False
    shift: bool = True
    swapped: bool = False
    brief: bool = False
    bare: bool = False
    after: int = 0
    earlier: bool = False

    @property
    def task(self) -> TestTask:
        """The operation's tests."""
        return EARLIER[self.operation] if self.earlier else TASKS[self.operation]

    @property
    def longest(self) -> int:
        """The largest number drawn for a length."""
        return self.task.longest[self.big]

    def constant(self, name: str) -> int:
        """Return a constant; 0 if api.h does not define it."""
        return dict(self.constants).get(name, 0)

    def deterministic(self, call: TestCall) -> bool:
        """Return whether the call must give the same twice; one without inputs cannot be asked."""
        roles = self.task.roles(call)
        if self.operation == "crypto_sign" and call.suffix == "":
            return self.constant("DETERMINISTIC") == 1
        return call.deterministic and bool(roles["in"] or roles["both"])

    def overlap(self, call: TestCall) -> bool:
        """Return whether outputs may stand where inputs are."""
        allowed = self.constant("NOOVERLAP") != 1
        return call.overlap and allowed and self.deterministic(call)

    @property
    def whole(self) -> "ProgramSettings":
        """The same with all calls."""
        return replace(self, brief=False, bare=False, after=0)

    def hurried(self, after: int) -> "ProgramSettings":
        """Return the same with calls that are made once from a loop on."""
        return replace(self, brief=True, bare=True, after=after)

    @property
    def forgeries(self) -> bool:
        """Return whether damaged inputs are tried: always where calls draw random numbers.

        Those come in the order of all calls, and a checksum depends on them.
        """
        return not self.bare or OPERATIONS[self.operation].randomised

    def lengths(self, drawn: Mapping[str, int]) -> dict[str, int]:
        """Return every variable's length, in bytes, from those drawn."""
        found: dict[str, int] = {}
        waiting = dict(self.task.sizes)
        while waiting:
            for name, text in list(waiting.items()):
                words = text.replace("+", "*").split("*")
                if all(not word.islower() or word in found for word in words):
                    del waiting[name]
                    known = found | {"?": drawn.get(name, 0)}
                    found[name] = self._evaluate(text, known)
        return found

    def _evaluate(self, text: str, known: Mapping[str, int]) -> int:
        total = 0
        for part in text.split("+"):
            product = 1
            for word in part.split("*"):
                product *= known[word] if word in known else self.constant(word)
            total += product
        return total

    def item(self, name: str) -> int:
        """Return the bytes of one item of a variable; 1 if it is a string of bytes."""
        items = self.task.items or {}
        return self.constant(items[name]) if name in items else 1


def used_constants(task: TestTask) -> frozenset[str]:
    """Name the constants that the tests of an operation depend on."""
    words = {word for text in task.sizes.values() for word in text.replace("+", "*").split("*")}
    return frozenset({*words, *(task.items or {}).values(), task.returned, task.shortest, *FLAGS})


def settings_of(
    subject: OperationSubject,
    details: OperationDetails,
    *,
    big: bool,
    swapped: bool = False,
    brief: bool = False,
    bare: bool = False,
) -> ProgramSettings:
    """Choose the settings for a package."""
    task = TASKS[subject.operation]
    loops = details.loops or task.loops
    return ProgramSettings(
        subject.operation,
        tuple(sorted(one for one in subject.constants if one[0] in used_constants(task))),
        big,
        loops[big],
        weights=details.weights,
        swapped=swapped,
        brief=brief,
        bare=bare,
    )
