# SPDX-License-Identifier: MIT
"""What SUPERCOP's tests of correctness do with an operation: variables, and calls on them.

The order of variables in a call and of the calls decides which random numbers each gets, and
with them the checksum. A call is written as a line:

    _decrypt() round-trip=t,m round-trip=r,s forged=c

Its variables are those with which the function is timed (`assay.model.timed`; the second line of
a function has those of its second call), unless they stand between the parentheses. Then come
marks. `round-trip`, `commutative` and `consistent` name two variables that must be equal
afterwards; `xor` names three of which the third must be the sum of the others. Three
modifications damage the variable `forged`, and the first bytes of `cleared` must be 0. `again`
says that the first output is put in once more, and `apart` that no output may stand where an
input is.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from assay.model.api import Function, Way
from assay.model.timed import KEPT, LENGTH, MESSAGE, WRITTEN, TimingTable, sizes

LONGEST = (128, 4096)
EQUAL = ("round-trip", "commutative", "consistent")
_LINE = re.compile(r"(?P<suffix>\w*)\((?P<names>[^)]*)\)(?P<marks>(?: \S+)*)")


class TestCall(Struct, frozen=True):
    """A call of the function with a `number`: its variables, where lengths repeat names.

    `written`, `changed` and `read` are its variables, and `measured` those of which it writes the
    length. `equal` are pairs with the question that their equality answers.
    """

    number: int
    function: Function
    names: tuple[str, ...]
    written: tuple[str, ...]
    changed: tuple[str, ...]
    read: tuple[str, ...]
    measured: tuple[str, ...]
    equal: tuple[tuple[str, str, str], ...] = ()
    xor: tuple[str, ...] = ()
    forged: str = ""
    cleared: str = ""
    again: bool = False
    apart: bool = False

    @property
    def suffix(self) -> str:
        """The name of the function without that of its operation."""
        return self.function.suffix

    @property
    def refuses(self) -> bool:
        """Return whether damaged inputs are refused; where no length says so, other bytes come."""
        return bool(self.forged) and not (self.written and not self.measured)


class TestTable(Struct, frozen=True):
    """The tests of an operation: how many loops of the small and the big run, variables, calls.

    `sizes` are as in a `TimingTable`: the lengths `#`, `##` and `###` are drawn anew in each loop,
    in this order and none above `longest`; with a message shorter than the constant `shortest` a
    loop is left out. `items` names variables whose parts are so many bytes, in the machine's
    order. Calls return the rest of the message by the constant `returned`. `inputs_first` are
    prepared before outputs. In SUPERCOP `undamaged_in` no input was damaged.
    """

    sizes: Mapping[str, str] = field(default_factory=dict)
    calls: tuple[TestCall, ...] = ()
    loops: tuple[int, int] = (0, 0)
    longest: tuple[int, int] = LONGEST
    items: Mapping[str, str] = field(default_factory=dict)
    returned: str = ""
    shortest: str = ""
    inputs_first: bool = False
    undamaged_in: str = ""

    @property
    def drawn(self) -> int:
        """How many lengths are drawn."""
        return max((text.count(MESSAGE) for text in self.sizes.values()), default=0)

    @property
    def constants(self) -> frozenset[str]:
        """The constants on which the tests depend."""
        texts = (*self.sizes.values(), *self.items.values(), self.returned, self.shortest)
        return frozenset(word for text in texts for word in re.split(r"[+*%]", text))

    @property
    def undamaged(self) -> "TestTable":
        """The tests before inputs were damaged."""
        return replace(self, calls=tuple(replace(one, forged="") for one in self.calls))


NOT_TESTED = TestTable()
MakeTests = Callable[[tuple[Function, ...], TimingTable], TestTable]


def supercop(
    variables: str, lines: str, *, loops: int, growth: int = 8, items: str = "", **more: object
) -> MakeTests:
    """Read a table; variables without a size have that with which they are timed.

    `lines` are the calls, with `; ` between two.
    """

    def make(functions: tuple[Function, ...], timing: TimingTable) -> TestTable:
        named = {one.partition("=")[0]: one for one in variables.split()}
        own = {name: text for name, text in named.items() if "=" in text}
        own_sizes = sizes(" ".join(own.values()))
        return TestTable(
            {name: own_sizes.get(name) or timing.variables[name] for name in named},
            tuple(_calls(lines.split("; "), functions, timing)),
            (loops, loops * growth),
            items=sizes(items),
            **more,  # type: ignore[arg-type]
        )

    return make


def _calls(
    lines: list[str], functions: tuple[Function, ...], timing: TimingTable
) -> Iterator[TestCall]:
    known = [call for row in timing.measures for call in row.calls if not call.forged]
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(line)
        names = tuple(match["names"].split())
        if not names:
            call = next(one for one in known if one.suffix == match["suffix"])
            known.remove(call)
            names = _repeated(call.arguments)
        number = [one.suffix for one in functions].index(match["suffix"])
        yield _call(number, functions[number], names, match["marks"].split())


def _repeated(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Name for each length the variable that it is the length of."""
    found: list[str] = []
    for one in arguments:
        found.append(found[-1] if one == WRITTEN else one.lstrip(LENGTH + KEPT))
    return tuple(found)


def _call(number: int, function: Function, names: tuple[str, ...], marks: list[str]) -> TestCall:
    pairs = tuple(zip(names, function.parameters, strict=True))
    groups = {way: tuple(name for name, one in pairs if one.way is way) for way in Way}
    said = [one.partition("=")[::2] for one in marks]
    more = {word: value or True for word, value in said if word not in (*EQUAL, "xor")}
    return TestCall(
        number,
        function,
        names,
        groups[Way.OUT],
        groups[Way.BOTH],
        groups[Way.IN],
        groups[Way.LENGTH_OUT],
        equal=tuple(
            (*value.split(","), f"supercop/{word}")  # type: ignore[misc]
            for word, value in said
            if word in EQUAL
        ),
        xor=tuple(name for word, value in said if word == "xor" for name in value.split(",")),
        **more,  # type: ignore[arg-type]
    )
