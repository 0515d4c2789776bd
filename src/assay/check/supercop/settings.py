# SPDX-License-Identifier: MIT
"""What decides a program of checksum tests: two implementations with the same have the same."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from assay.model import OperationDetails, OperationSubject
from assay.model.operation import Operation
from assay.model.operations import OPERATIONS
from assay.model.tested import TestCall, TestTable
from assay.model.timed import evaluate

FLAGS = ("BOXZEROBYTES", "DETERMINISTIC", "NOOVERLAP")


class Asked(StrEnum):
    """What SUPERCOP's tests ask, by the names of the checks that report it."""

    RETURNS = "supercop/returns"
    DETERMINISTIC = "calls/deterministic"
    ROUND_TRIP = "supercop/round-trip"
    LENGTHS = "supercop/lengths"
    FORGERIES = "supercop/forgeries"
    COMMUTATIVE = "supercop/commutative"
    CONSISTENT = "supercop/consistent"
    INPUTS = "supercop/inputs"
    MARGINS = "supercop/margins"
    OVERLAP = "supercop/overlap"


class ProgramSettings(Struct, frozen=True):
    """The key of a program. `constants` are those of api.h; `loops` how many rounds.

    `weights`: go on with inputs of every weight. `shift`: addresses are one byte (or
    one item) off a multiple of 64. `swapped`: the agent's machine is big-endian. `brief`:
    every call is made once, which is all that the checksum needs. `bare`: no forgeries
    where the checksum does not need them. `after`: both begin with this loop. `earlier`: the
    tests as SUPERCOP had them before it changed them. `most`: no length that is drawn is longer,
    as a target has no room for it (0: all are as SUPERCOP draws them).
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
    most: int = 0

    @property
    def row(self) -> Operation:
        """The operation."""
        return OPERATIONS[self.operation]

    @property
    def task(self) -> TestTable:
        """The operation's tests."""
        return self.row.tests.undamaged if self.earlier else self.row.tests

    @property
    def longest(self) -> int:
        """The largest number drawn for a length."""
        longest = self.task.longest[self.big]
        return min(longest, self.most or longest)

    def constant(self, name: str) -> int:
        """Return a constant; 0 if api.h does not define it."""
        return dict(self.constants).get(name, 0)

    def deterministic(self, call: TestCall) -> bool:
        """Return whether the call must give the same twice; one without inputs cannot be asked."""
        drawn = self.row.draws(call.suffix, self.constant)
        return not drawn and bool(call.read or call.changed)

    def overlap(self, call: TestCall) -> bool:
        """Return whether outputs may stand where inputs are."""
        allowed = self.constant("NOOVERLAP") != 1
        return allowed and not call.apart and self.deterministic(call)

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
        return not self.bare or self.row.randomised

    def lengths(self, drawn: Sequence[int] = ()) -> dict[str, int]:
        """Return every variable's length, in bytes, from those drawn."""
        sizes, constants = self.task.sizes.items(), dict(self.constants)
        known = drawn or (0,)
        return {
            name: evaluate(text, lambda one: constants.get(one, 0), *known) for name, text in sizes
        }

    def item(self, name: str) -> int:
        """Return the bytes of one item of a variable; 1 if it is a string of bytes."""
        items = self.task.items
        return self.constant(items[name]) if name in items else 1


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
    task = OPERATIONS[subject.operation].tests
    used = {*task.constants, *FLAGS}
    loops = details.loops or task.loops
    return ProgramSettings(
        subject.operation,
        tuple(sorted(one for one in subject.constants if one[0] in used)),
        big,
        loops[big],
        weights=details.weights,
        swapped=swapped,
        brief=brief,
        bare=bare,
    )
