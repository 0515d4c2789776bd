# SPDX-License-Identifier: MIT
"""Which implementations of other primitives a package is linked with, and its league.

SUPERCOP links the fastest that it has measured so far. Here the choice does not depend
on any clock: `ref` if the primitive has it, else the first by name, of those that the
ABI and the league allow. A package is in the league `constbranchindex` if it declares
both goals and every subroutine that sees secrets has an implementation there, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.compile.supercop.names import (
    CONSTANT_TIME,
    TIMING_LEAKS,
    claims_constant_time,
    details_of,
    fits_abi,
    primitive_name,
)
from assay.model import OperationDetails, Package
from assay.package.supercop import load, names, primitives
from assay.package.text import identifier

PREFERRED = "ref"
MOST_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Subroutine:
    """An implementation that others are linked with, in its league."""

    package: Package
    league: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a package is linked with: all subroutines, those of subroutines included.

    `missing` names primitives that no implementation in the tree provides.
    """

    league: str
    subroutines: tuple[Subroutine, ...] = ()
    missing: tuple[str, ...] = ()


def plan(package: Package, abi: str) -> Plan:
    """Choose a package's league and subroutines."""
    details = details_of(package)
    league = _league(package, abi, 0)
    found: dict[str, Subroutine] = {}
    missing: list[str] = []
    wanted = list(_wanted(package, league))
    while wanted:
        # What must be constant-time comes first: no other choice for public inputs stands then.
        wanted.sort(key=lambda each: each[1] == CONSTANT_TIME)
        name, needed = wanted.pop()
        if name in found or name in missing or name == primitive_name(package):
            continue
        chosen = _choose(details.tree, name, needed, abi)
        if chosen is None:
            missing.append(name)
            continue
        found[name] = chosen
        own = details_of(chosen.package)
        wanted += [
            (each, chosen.league if each not in own.public else "") for each in own.includes
        ]
    ordered = tuple(found[name] for name in sorted(found))
    return Plan(league, ordered, tuple(sorted(missing)))


def _wanted(package: Package, league: str) -> Iterator[tuple[str, str]]:
    """Name what a package includes, each with the league that it must have (any: empty)."""
    details = details_of(package)
    for name in details.includes:
        yield name, "" if name in details.public else league


def _league(package: Package, abi: str, depth: int) -> str:
    if not claims_constant_time(package) or depth > MOST_DEPTH:
        return TIMING_LEAKS
    details = details_of(package)
    secret = (name for name in details.includes if name not in details.public)
    has_all = all(_constant_time(details.tree, name, abi, depth + 1) for name in secret)
    return CONSTANT_TIME if has_all else TIMING_LEAKS


def _constant_time(tree: Path, name: str, abi: str, depth: int) -> bool:
    """Whether a primitive has an implementation in the constant-time league."""
    candidates = _candidates(tree, name, abi)
    return any(_league(one, abi, depth) == CONSTANT_TIME for one in candidates)


@cache
def _choose(tree: Path, name: str, league: str, abi: str) -> Subroutine | None:
    """Choose an implementation; without one in the constant-time league, any is taken."""
    rated = [Subroutine(one, _league(one, abi, 0)) for one in _candidates(tree, name, abi)]
    fitting = [one for one in rated if league != CONSTANT_TIME or one.league == CONSTANT_TIME]
    return next(iter(fitting or rated), None)


@cache
def _candidates(tree: Path, name: str, abi: str) -> tuple[Package, ...]:
    return tuple(one for one in _load_all(tree, name) if fits_abi(one, abi))


def _load_all(tree: Path, name: str) -> Iterator[Package]:
    """Load the implementations of `crypto_hash_sha512`, the preferred one first."""
    prefix, operation, primitive = name.split("_", 2)
    folders = primitives(tree, f"{prefix}_{operation}")
    called = (one for one in folders if identifier(one) == primitive)
    places = [one for folder in called for one in names(tree, f"{prefix}_{operation}", folder)]
    for place in sorted(places, key=lambda each: (each.split("/", 2)[2] != PREFERRED, each)):
        one = load(tree, place)
        if isinstance(one, Package) and _can_be_linked(details_of(one)):
            yield one


def _can_be_linked(details: OperationDetails) -> bool:
    """Whether an implementation has names that a generated header can tell, of C."""
    return details.language == "c" and details.layout == "supercop"
