# SPDX-License-Identifier: MIT
"""Which implementations of other primitives a package is linked with, and its league.

SUPERCOP links the fastest that it has measured so far. Here the choice does not depend
on any clock: of those that the ABI and the league allow and that compile, `ref` comes first,
then what is portable, which is C alone without assembly or the intrinsics of a processor,
then the rest, by name. A package is in the league `constbranchindex` if it declares
both goals and every subroutine that sees secrets has an implementation there, too.

They are those of the package's tree. What that tree has not is taken of the packages that came
with Assay, and so is what those include: a primitive is one implementation for all in a build.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.supercop.names import (
    CONSTANT_TIME,
    TIMING_LEAKS,
    claims_constant_time,
    details_of,
    fits_abi,
    primitive_name,
)
from assay.errors import PackageError
from assay.model import Build, Linked, OperationDetails, Package
from assay.package.places import TREE, shipped
from assay.package.supercop.listing import names, primitives
from assay.package.supercop.load import load
from assay.package.text import code_of, identifier, read_text

PREFERRED = "ref"
_PROCESSOR = re.compile(r"\b(?:\w*intrin|arm_\w+|altivec)\.h\b|\b(?:__)?(?:asm|builtin_ia32)")
MOST_DEPTH = 16


class Subroutine(Struct, frozen=True):
    """An implementation that others are linked with, in its league.

    `shipped` says that it came with Assay, as the tree has none of the primitive.
    """

    package: Package
    league: str
    shipped: bool = False


class Subroutines(Struct, frozen=True):
    """What a package is linked with: all subroutines, those of subroutines included.

    `missing` names primitives that no implementation provides, in the tree or with Assay.
    """

    league: str
    subroutines: tuple[Subroutine, ...] = ()
    missing: tuple[str, ...] = ()


def plan(
    package: Package, abi: str, refused: frozenset[str] = frozenset(), tree: Path | None = None
) -> Subroutines:
    """Choose a package's league and subroutines, without implementations that are `refused`.

    `tree` is that of the package which is built, if this is one of its subroutines.
    """
    tree = tree or details_of(package).tree
    league = _league(package, tree, abi, refused, 0)
    found = resolved(_wanted(package, league), tree, abi, refused, primitive_name(package))
    return replace(found, league=league)


def resolved(
    names: Iterable[tuple[str, str]],
    tree: Path,
    abi: str,
    refused: frozenset[str] = frozenset(),
    own: str = "",
) -> Subroutines:
    """Choose implementations of primitives, each with the league that it must have, and of theirs.

    `own` is the primitive of the package that is built, which is none of its subroutines.
    """
    found: dict[str, Subroutine] = {}
    missing: list[str] = []
    wanted = list(names)
    while wanted:
        # What must be constant-time comes first: no other choice for public inputs stands then.
        wanted.sort(key=lambda each: each[1] == CONSTANT_TIME)
        name, needed = wanted.pop()
        if name in found or name in missing or name == own:
            continue
        chosen = _choose(tree, name, needed, abi, refused)
        if chosen is None:
            missing.append(name)
            continue
        found[name] = chosen
        theirs = details_of(chosen.package)
        wanted += [
            (each, chosen.league if each not in theirs.public else "") for each in theirs.includes
        ]
    ordered = tuple(found[name] for name in sorted(found))
    return Subroutines(TIMING_LEAKS, ordered, tuple(sorted(missing)))


def _wanted(package: Package, league: str) -> Iterator[tuple[str, str]]:
    """Name what a package includes, each with the league that it must have (any: empty)."""
    details = details_of(package)
    for name in details.includes:
        yield name, "" if name in details.public else league


def linked(chosen: Iterable[Subroutine]) -> tuple[Linked, ...]:
    """Return what a build records of its subroutines."""
    return tuple(
        Linked(one.package.selector, one.league, one.package.content_hash, one.shipped)
        for one in chosen
    )


def still_linked(package: Package, abi: str, build: Build) -> bool:
    """Return whether a build would be linked with the same subroutines today."""
    if package.details is None:
        return True
    today = plan(package, abi, frozenset(build.passed_over))
    return (today.league, linked(today.subroutines)) == (build.league, build.subroutines)


def _league(package: Package, tree: Path, abi: str, refused: frozenset[str], depth: int) -> str:
    if not claims_constant_time(package) or depth > MOST_DEPTH:
        return TIMING_LEAKS
    details = details_of(package)
    secret = (name for name in details.includes if name not in details.public)
    has_all = all(_constant_time(tree, name, abi, refused, depth + 1) for name in secret)
    return CONSTANT_TIME if has_all else TIMING_LEAKS


def _constant_time(tree: Path, name: str, abi: str, refused: frozenset[str], depth: int) -> bool:
    """Return whether a primitive has an implementation in the constant-time league."""
    candidates = _candidates(tree, name, abi, refused)
    return any(_league(one, tree, abi, refused, depth) == CONSTANT_TIME for one in candidates)


@cache
def _choose(
    tree: Path, name: str, league: str, abi: str, refused: frozenset[str]
) -> Subroutine | None:
    """Choose an implementation; without one in the constant-time league, any is taken."""
    came = not _load_all(tree, name)
    rated = [
        Subroutine(one, _league(one, tree, abi, refused, 0), came)
        for one in _candidates(tree, name, abi, refused)
    ]
    fitting = [one for one in rated if league != CONSTANT_TIME or one.league == CONSTANT_TIME]
    return next(iter(fitting or rated), None)


def _candidates(tree: Path, name: str, abi: str, refused: frozenset[str]) -> tuple[Package, ...]:
    """Return what is taken of the tree, or of what came with Assay where the tree has none."""
    every = _load_all(tree, name) or _load_all(shipped() / TREE, name)
    return tuple(one for one in every if fits_abi(one, abi) and one.selector not in refused)


@cache
def _load_all(tree: Path, name: str) -> tuple[Package, ...]:
    """Load the implementations of `crypto_hash_sha512`, the preferred one first."""
    prefix, operation, primitive = name.split("_", 2)
    folders = primitives(tree, f"{prefix}_{operation}")
    called = (one for one in folders if identifier(one) == primitive)
    places = [one for folder in called for one in names(tree, f"{prefix}_{operation}", folder)]
    loaded = [one for place in places if isinstance(one := load(tree, place), Package)]
    usable = [one for one in loaded if _can_be_linked(details_of(one))]
    return tuple(sorted(usable, key=_preference))


def _preference(package: Package) -> tuple[bool, bool, str]:
    """Return the sort key: `ref` first, then what is portable, then by name."""
    is_reference = package.implementation == PREFERRED
    return not is_reference, not (is_reference or _is_portable(package)), package.selector


def _is_portable(package: Package) -> bool:
    """Return whether an implementation is C alone, without anything of a certain processor."""
    if details_of(package).architectures or not all(
        name.endswith(".c") for name in package.sources
    ):
        return False
    texts = (name for name in package.files if name.endswith((".c", ".h", ".inc")))
    return not any(_of_a_processor(package.root / name) for name in texts)


def _of_a_processor(path: Path) -> bool:
    """Return whether a text has assembly or intrinsics; one too large to read counts as such."""
    try:
        return _PROCESSOR.search(code_of(read_text(path))) is not None
    except PackageError:
        return True


def _can_be_linked(details: OperationDetails) -> bool:
    """Return whether an implementation has names that a generated header can tell, of C."""
    return details.language == "c" and details.layout == "supercop"
