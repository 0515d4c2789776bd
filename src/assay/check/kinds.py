# SPDX-License-Identifier: MIT
"""The kinds of primitives that can be put on trial: a module `check/<kind>/kind.py` each.

It is imported when the first package of the kind is examined: nobody needs all of them. A name of
a check stands for one question, whatever the kind: a second text under it is refused.
"""

from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from assay.check.check import Check
from assay.check.depth import EVERY_CHECK
from assay.check.trial import BaseTrial
from assay.errors import AssayError, UsageError
from assay.execute.agent import Agent
from assay.model import CheckResult, Package, PackageKind, Subject, Verdict
from assay.model.work import todays

Connect = Callable[[], Agent]


class UnfitForVectors(AssayError):
    """A package fails checks while its vectors are made: there are none."""

    def __init__(self, checks: tuple[CheckResult, ...]) -> None:
        """Take the checks that failed."""
        super().__init__("no vectors")
        self.checks = checks


class Coverage(Struct):
    """How much of what was computed a file could confirm; `difference` shows the first."""

    compared: int = 0
    right: int = 0
    not_in_file: int = 0
    only_in_file: int = 0
    difference: object = None

    def count(self, difference: object) -> None:
        """Count a vector that the file has; what shows the difference, None if there is none."""
        self.compared += 1
        self.right += difference is None
        self.difference = self.difference or difference


class FileVerdict(Struct, frozen=True):
    """What comparing with a file of vectors says, in lines; `error` is about the file itself."""

    lines: tuple[str, ...]
    verdict: Verdict
    error: str = ""


class Vectors(Struct, frozen=True):
    """How the vectors of a kind are written, and compared with a file.

    `rules` begin the names of the checks that a package must pass before. `text` yields the parts
    of a file, with many more vectors if they shall be long; UnfitForVectors. `differing` names the
    lines of a text that the primitive's own files have otherwise. Of `brief` ones the text is a
    few lines, which are shown unless a file is named.
    """

    rules: tuple[str, ...]
    text: Callable[[Package, Any, Connect, bool], Iterator[str]]
    compare: Callable[[Package, Any, Connect, Path], FileVerdict]
    differing: Callable[[Package, str], tuple[str, ...]] = lambda _, __: ()
    brief: bool = False


class Kind(Struct, frozen=True):
    """How agents of a kind describe themselves, and what they are asked.

    `exercise` uses an agent a little, for what is seen from outside meanwhile; code that
    `may_not_fit` the processor is used so before all else. `answers` compares with a file of
    known answers for so many seconds, where such files are known for the kind. `undefined` names
    the sizes that a header should define and does not, by what the agent says.

    The checks of a kind take its own trials, which no common type can say.
    """

    describe: Callable[[Agent], Subject]
    trial: Callable[..., BaseTrial[Any, Any]]
    checks: tuple[Check[Any], ...]
    exercise: Callable[..., None]
    vectors: Vectors
    answers: Callable[..., Any] | None = None
    may_not_fit: bool = False
    undefined: Callable[[Any], tuple[str, ...]] = lambda _: ()


@cache
def kind_named(name: PackageKind) -> Kind:
    """Return a kind."""
    kind: Kind = import_module(f"assay.check.{name.value}.kind").KIND
    return kind


def kind_of(package: Package) -> Kind:
    """Return the kind of a package."""
    return kind_named(package.kind)


def registered(checks: Iterable[Check[Any]]) -> dict[str, Check[Any]]:
    """Return checks by name, in their order; ValueError if a name has two texts.

    Kinds may find the answer in different ways, so the functions are not compared.
    """
    found: dict[str, Check[Any]] = {}
    for one in checks:
        known = found.setdefault(one.name, one)
        if _text(known) != _text(one):
            raise ValueError(f"{one.name} asks two questions: {known.asks} {one.asks}")
    return found


def every_check() -> dict[str, Check[Any]]:
    """Return the checks of all kinds by name."""
    return registered(one for kind in PackageKind for one in kind_named(kind).checks)


def checks_called(name: str) -> tuple[str, ...]:
    """Return the checks that a name means: a check's own, its former one, or a family's.

    UsageError with the nearest names if there is none.
    """
    known, today = every_check(), todays(name)
    if today in known:
        return (today,)
    family = tuple(one for one in known if one.startswith(f"{name.removesuffix('/')}/"))
    if family:
        return family
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    nearest = f"The nearest are {', '.join(near)}; `" if near else "`"
    raise UsageError(
        f"there is no check {name!a}", f"{nearest}assay check --all` shows those of a package."
    )


def asked_alone(names: Iterable[str]) -> tuple[str, ...]:
    """Return the checks that names mean, each once; without names what all checks begin with."""
    named = dict.fromkeys(one for name in names for one in checks_called(name))
    return tuple(named) or EVERY_CHECK


def _text(check: Check[Any]) -> tuple[str, ...]:
    return check.asks, check.why, check.cure, check.origin.value
