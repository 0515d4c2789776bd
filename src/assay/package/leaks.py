# SPDX-License-Identifier: MIT
"""Leaks that are planted, and places where secrets seem to leak and that somebody accepts.

An engine that misses a planted leak, or finds one in honest code, is not asked. The outcome of a
rejection sampling that is published, say, is no secret, though valgrind cannot know it: a reasons
file accepts such places, each with a reason. It lies in a package as `accepted-leaks.toml`, or
apart from it.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import replace

from assay.errors import UsageError
from assay.fence import named
from assay.model import CheckResult, Package, Verdict
from assay.model.secrets import LEFT_BEHIND, MULTIPLICATION, SORTS, Leak, leaks, unexamined
from assay.package.resolve import resolve
from assay.package.text import MARK, read_text

FOLDER = Path(__file__).parents[1] / "harness" / "planted" / "leaks"
PLANTED = (
    "planted_address",
    "planted_branch",
    "planted_compare",
    "planted_bound",
    "planted_memcmp",
    "planted_division",
)
# Planted only for processors that have the kind: an AVR reads tables in flash by instructions of
# their own, shifts in loops, and has no conditional moves, so the compiler makes a branch.
PLANTED_THERE = MappingProxyType(
    {"avr8": ("planted_choice", "planted_flash", "planted_shift")},
)
LEAKING, HONEST = 1, 2  # the variants of the package
FILE_NAME = "accepted-leaks.toml"
MOST_BYTES = 1 << 20
NEEDED, OPTIONAL = ("function", "kind", "reason"), ("package",)
GUIDE = "docs/guide/constant-time.md has an example."
TABLE = "[[accepted]]"
HEAD = re.compile(r"""\s*\[\[\s*(["']?)accepted\1\s*\]\]\s*(?:#.*)?""")


def planted_package() -> Package:
    """Load the package with the planted leaks."""
    (found,) = resolve((str(FOLDER),), FOLDER.parent)
    assert isinstance(found, Package)  # noqa: S101 - it comes with Assay
    return found


def is_planted(package: Package) -> bool:
    """Return whether it is the package with the planted leaks."""
    return package.root == FOLDER


def misses(checks: Mapping[int, Iterable[CheckResult]], architecture: str = "") -> str:
    """Return what an engine got wrong, from the verdicts on each variant; empty if nothing.

    On some architectures more is planted than everywhere.
    """
    given = {variant: tuple(each) for variant, each in checks.items()}
    if why := unexamined(given[LEAKING]) or unexamined(given[HONEST]):
        return why
    every = (leak for one in given[LEAKING] for leak in leaks(one))
    found = {name.partition(".")[0] for leak in every for name in leak.functions}
    wanted = (*PLANTED, *PLANTED_THERE.get(architecture, ()))
    missed = [name for name in wanted if name not in found]
    if missed:
        return f"the engine does not find {missed[0]}, which leaks, so it is not believed"
    passed = [one for one in given[LEAKING] if one.verdict is Verdict.PASS]
    if unseen := [one for one in passed if one.check == MULTIPLICATION]:
        return f"the engine does not find {unseen[0].check} in {PLANTED[-1]}: it is not believed"
    if wrong := [leak for one in given[HONEST] for leak in _of_time(one)]:
        return f"the engine finds a leak in {wrong[0].place}, which is honest: it is not believed"
    return ""


def _of_time(check: CheckResult) -> Iterator[Leak]:
    """Yield what leaks by the time everywhere.

    Honest code may leave something behind, and multiplies where the other divides.
    """
    return leaks(check) if check.check not in {LEFT_BEHIND, MULTIPLICATION} else iter(())


class AcceptedLeak(Struct, frozen=True):
    """A place that is accepted: patterns of its function and package, its kind, and why.

    `line` is that of its table; 0 where it is written otherwise.
    """

    path: Path
    line: int
    function: str
    kind: str
    reason: str
    package: str = "*"

    def matches(self, package: str, leak: Leak) -> bool:
        """Return whether it accepts a place in a package, which is named by its selector."""
        named = any(fnmatchcase(one, self.function) for one in leak.functions)
        return named and fnmatchcase(package, self.package) and leak.kind == self.kind

    def __str__(self) -> str:
        """Name it as messages do."""
        return f"{_place(self.path, self.line)}: {self.kind} in {self.function}"


def read_accepted(path: Path) -> tuple[AcceptedLeak, ...]:
    """Read a reasons file; UsageError with line and cure if something in it is wrong."""
    text = read_text(path, MOST_BYTES).removeprefix(MARK)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is no TOML: {error}", GUIDE) from None
    except (RecursionError, ValueError) as error:  # brackets, digits: there are limits
        raise UsageError(f"{path} cannot be read: {named(error)}", GUIDE) from None
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines, 1) if HEAD.fullmatch(line)]
    entries = found.pop("accepted", [])
    for key in found:
        place = _place(path, _line_of(lines, key, 0))
        raise UsageError(f"{place}: there is no table {key!a}", f"There is {TABLE}.")
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise UsageError(f"{path} has something else than tables {TABLE}", GUIDE)
    heads = heads if len(heads) == len(entries) else [0] * len(entries)  # written otherwise
    return tuple(_entry(path, lines, *one) for one in zip(heads, entries, strict=True))


def _place(path: Path, line: int) -> str:
    return f"{path}:{line}" if line else str(path)


def _line_of(lines: Sequence[str], key: str, head: int) -> int:
    """Return the line of a key below the head of its table, or else that of the head."""
    for at, line in enumerate(lines[head:], head + 1):
        if line.partition("=")[0].strip().strip("\"'") == key or line.strip().strip("[] ") == key:
            return at
        if head and HEAD.fullmatch(line):
            break
    return head


def _entry(path: Path, lines: Sequence[str], head: int, given: dict[str, Any]) -> AcceptedLeak:
    def wrong(key: str, what: str, cure: str) -> UsageError:
        line = _line_of(lines, key, head) if head else 0
        return UsageError(f"{_place(path, line)}: {what}", cure)

    for key in sorted(given.keys() - {*NEEDED, *OPTIONAL}):
        known = ", ".join((*NEEDED, *OPTIONAL))
        raise wrong(key, f"there is no key {key!a}", f"There are {known}.")
    for key in (*NEEDED, *OPTIONAL):
        value = given.get(key, "*" if key in OPTIONAL else "")
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise wrong(key, f"{key} needs a text on one line", GUIDE)
    if given["kind"] not in SORTS:
        said = f"there is no kind {given['kind']!a}"
        raise wrong("kind", said, f"There are {', '.join(SORTS)}.")
    return AcceptedLeak(path, head, **given)


class Reasons(Struct):
    """The entries of reasons files, the user's and those of packages, and which have matched."""

    entries: tuple[AcceptedLeak, ...]
    matched: set[AcceptedLeak] = field(default_factory=set)

    @classmethod
    def of(cls, files: Iterable[Path], packages: Iterable[Package]) -> Self:
        """Read the user's files, and those in packages, which are for these alone."""
        read = [one for path in files for one in read_accepted(path)]
        for package in packages:
            path = package.root / FILE_NAME
            if path.is_file():
                read += [replace(o, package=package.selector) for o in read_accepted(path)]
        return cls(tuple(read))

    def accept(self, package: str, leak: Leak) -> str:
        """Return the reason why a place is accepted; empty if it is not."""
        entry = next((one for one in self.entries if one.matches(package, leak)), None)
        if entry is None:
            return ""
        self.matched.add(entry)
        return entry.reason

    def verdict(self, package: str, check: CheckResult) -> Verdict:
        """Return the verdict of a check; it passes if all of its places are accepted."""
        found = tuple(leaks(check))
        accepted = found and all(self.accept(package, leak) for leak in found)
        return Verdict.PASS if accepted else check.verdict

    @property
    def unused(self) -> tuple[str, ...]:
        """Return a sentence on each entry that matched nothing."""
        left = (one for one in self.entries if one not in self.matched)
        return tuple(f"{one} matches nothing here: delete or correct it" for one in left)
