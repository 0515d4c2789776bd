# SPDX-License-Identifier: MIT
"""`--against`: the package that others are compared with."""

from collections.abc import Iterable, Mapping, Sequence

from assay.campaign.roots import packages_root
from assay.check.engine.wanted import ReferencePackage, shipped, siblings
from assay.errors import UsageError
from assay.model import BrokenPackage, Package
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve

NAME_ONE = "Name one package: a folder, or PRIMITIVE/IMPLEMENTATION."


def references(
    name: str | None, found: Iterable[Found], trees: Trees
) -> Mapping[str, ReferencePackage]:
    """Return what packages are compared with: the one named, others of their tree, or ours."""
    listed = tuple(found)
    if name is None:
        return {**shipped(listed), **siblings(listed)}
    reference = _named(name, trees, listed)
    loaded = [one for one in listed if isinstance(one, Package)]
    for one in loaded:
        _require_comparable(one, reference)
    others = [one for one in loaded if _identity(one) != _identity(reference)]
    if loaded and not others:
        itself = f"{reference.selector} would be compared with itself"
        raise UsageError(itself, "Name another package.")
    return {one.place: ReferencePackage(reference) for one in others}


def _identity(one: Found) -> tuple[object, ...]:
    """Return what tells packages apart: several may have one folder."""
    return one.root.resolve(), one.place


def _codes(found: Iterable[Found]) -> set[object]:
    """Return what tells apart what packages compute: their contents."""
    return {getattr(one, "content_hash", one) for one in found}


def _named(name: str, trees: Trees, asked: Sequence[Found]) -> Package:
    found = _meant(name, trees, asked)
    if len(found) != 1:
        examples = ", ".join(one.selector for one in found[:3])
        raise UsageError(f"--against {name} means {len(found)} packages: {examples}", NAME_ONE)
    (one,) = found
    if isinstance(one, BrokenPackage):
        raise UsageError(f"--against {name} cannot be loaded: {one.reason}", one.cure)
    return one


def _meant(name: str, trees: Trees, asked: Sequence[Found]) -> tuple[Found, ...]:
    """Resolve a name in the trees and among shipped packages.

    One that means the package itself in a tree means the other one. UsageError if it means two.
    """
    found, errors = [], []
    for folders in dict.fromkeys((trees.folders, ())):
        try:
            found.append(resolve((name,), packages_root(), trees=Trees(folders)))
        except UsageError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    if len(found) == 1 or _codes(found[0]) == _codes(found[1]):
        return found[0]
    itself = {_identity(one) for one in asked}
    others = [each for each in found if len(each) != 1 or _identity(each[0]) not in itself]
    if len(others) < len(found):
        return (others or found)[0]
    raise UsageError(
        f"--against {name} is ambiguous: {found[0][0].root} and {found[1][0].root}",
        "Name the folder of one of them.",
    )


def _require_comparable(one: Package, reference: Package) -> None:
    """Raise UsageError if two packages do not have the same functions."""
    apis = [p.details.operation if p.details else p.api for p in (one, reference)]
    if apis[0] != apis[1]:
        raise UsageError(
            f"{one.selector} and {reference.selector} have different APIs: {' and '.join(apis)}",
            "Compare implementations of one API.",
        )
