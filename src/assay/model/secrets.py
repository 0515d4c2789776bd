# SPDX-License-Identifier: MIT
"""Where secrets reach what takes a time, as checks list it, and in which configuration."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from assay.grouped import grouped
from assay.model.work import CheckResult, Verdict

SHOWN = "      > "  # what stands before an instruction
LEFT_BEHIND = "state/left-behind"
MULTIPLICATION = "secrets/multiplication"
KINDS = {
    "secrets/division": "division",
    MULTIPLICATION: "multiplication",
    "secrets/prefetch": "prefetch",
    "secrets/floats": "floating point",
    LEFT_BEHIND: "left behind",
}
COMPLAINTS = (
    ("Conditional jump", "branch"),
    ("Use of", "address"),
    ("Division", "division"),
    ("Syscall", "system call"),
)
SORTS = tuple(dict.fromkeys((*(kind for _, kind in COMPLAINTS), *KINDS.values())))
FROM = ", from "
REPLACED = "(vg_replace_"  # valgrind's own memcmp, strlen and so on
CLEAN, UNKNOWN = "clean", "not examined"
TIMING = "secrets/timing"
ANSWERED = frozenset({Verdict.PASS, Verdict.FAIL, Verdict.FINDING})


class Leak(Struct, frozen=True):
    """A place where secrets reach what takes a time, as the evidence of a check lists it.

    `place` is the innermost function, with the source line if that is known; of a function of a
    library the one that calls it, too.
    """

    kind: str
    place: str
    instruction: str = ""

    @property
    def function(self) -> str:
        """Return the name of the innermost function."""
        return self.functions[0]

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the same, and the function that calls it if that is named."""
        return tuple(one.partition(" (")[0] for one in self.place.split(FROM))


def leaks(check: CheckResult) -> Iterator[Leak]:
    """Read the places that a check of secrets found, each once."""
    asked = check.check.startswith(("secrets/", LEFT_BEHIND))  # not what a compiler says
    if not asked or check.verdict not in {Verdict.FAIL, Verdict.FINDING}:
        return
    kind, frames, instruction = "", list[str](), ""
    found: dict[tuple[str, str], Leak] = {}
    for line in [*check.evidence.splitlines(), ""]:
        if line.startswith(SHOWN):
            own = check.check not in KINDS  # else it is what makes the instruction visible
            instruction = line.removeprefix(SHOWN) if own else ""
        elif line.startswith("    "):
            frames.append(line.strip())
        else:
            if frames:
                place = _place(frames)
                found.setdefault((kind, place), Leak(kind, place, instruction))
            kind, frames = _kind(check.check, line), []
            instruction = line if check.check == LEFT_BEHIND else ""
    yield from found.values()


def _place(frames: Sequence[str]) -> str:
    """Return the innermost frame, and the next one if it is a library's and that is not."""
    inner, *callers = frames[:2]
    foreign = REPLACED in inner or ":" not in inner
    return FROM.join(frames[:2]) if foreign and callers and ":" in callers[0] else inner


def _kind(check: str, what: str) -> str:
    """Name the kind of a leak: what a check looks for, or what valgrind complains of."""
    sort = KINDS.get(check, "")
    return sort or next((kind for begin, kind in COMPLAINTS if what.startswith(begin)), "other")


class ConfigurationLeaks(Struct, frozen=True):
    """A configuration, what leaks in its code, and why it was not examined, if it was not.

    `accepted` are places that somebody gives a reason for, with that reason, and `left_out` kinds
    that were not looked for where branches and addresses were, with the reason for that.
    """

    compiler: str
    level: str
    code: str
    leaks: tuple[Leak, ...]
    problem: str
    accepted: tuple[tuple[Leak, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def whole(self) -> bool:
        """Return whether all that was asked was answered."""
        return not (self.problem or self.left_out)

    @property
    def said(self) -> str:
        """Return what the matrix says of it."""
        if not self.leaks and self.problem:
            return UNKNOWN
        counted = f"{len(self.leaks)} place{'s' * (len(self.leaks) > 1)}"
        clean = f"{CLEAN}, but accepted" if self.accepted else CLEAN
        return (counted if self.leaks else clean) + ", not to the end" * (not self.whole)


def unexamined(checks: Iterable[CheckResult]) -> str:
    """Return why secrets were not followed to the end; empty if they were."""
    given = tuple(checks)
    asked = next((one for one in given if one.check == TIMING), None)
    if asked is not None:
        return "" if asked.verdict in ANSWERED else asked.reason
    return next((one.reason for one in given if one.verdict is not Verdict.PASS), "")


def left_out(checks: Iterable[CheckResult]) -> Iterator[tuple[str, str]]:
    """Yield the kinds that were asked of and not answered, and why."""
    for one in checks:
        if one.check in KINDS and one.verdict not in ANSWERED:
            yield KINDS[one.check], one.reason


class TriedCure(Struct, frozen=True):
    """An option that is known to undo leaks, tried where some were: what it leaves of them there.

    `problem` is why that is not known. `price` says how much slower the code is with it.
    """

    compiler: str
    level: str
    option: str
    undoes: str
    source: str
    cured: tuple[Leak, ...]
    problem: str = ""
    price: str = ""


def gone(before: Iterable[Leak], after: Iterable[Leak]) -> tuple[Leak, ...]:
    """Return the leaks that are gone: an option may move one to another line of its function.

    Nothing is where one turns up in another function: a comparison may move to the C library.
    """
    counted, left = _by_function(before), _by_function(after)
    if left.keys() - counted.keys():
        return ()
    return tuple(
        leak
        for each, found in counted.items()
        for leak in found
        if leak not in left.get(each, ()) and len(left.get(each, ())) < len(found)
    )


def _by_function(found: Iterable[Leak]) -> dict[tuple[str, str], list[Leak]]:
    """Sort leaks by kind and function; what instruction it was depends on the options."""
    return grouped(
        ((one.kind, one.function.partition(".")[0]), Leak(one.kind, one.place)) for one in found
    )
