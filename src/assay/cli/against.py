# SPDX-License-Identifier: MIT
"""`--against`: the package that others are compared with."""

from collections.abc import Iterable, Mapping

from assay.check.engine.peers import shipped, siblings
from assay.check.engine.wanted import Peer
from assay.cli.root import packages_root
from assay.errors import UsageError
from assay.model import BrokenPackage, Package
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve

NAME_ONE = "Name one package: a folder, or PRIMITIVE/IMPLEMENTATION."


def peers(name: str | None, found: Iterable[Found], trees: Trees) -> Mapping[str, Peer]:
    """Return what packages are compared with: the one named, others of their tree, or ours."""
    listed = tuple(found)
    if name is None:
        return {**shipped(listed), **siblings(listed)}
    peer = _named(name, trees)
    loaded = [one for one in listed if isinstance(one, Package)]
    for one in loaded:
        _require_comparable(one, peer)
    others = [one for one in loaded if _identity(one) != _identity(peer)]
    if loaded and not others:
        raise UsageError(f"{peer.selector} would be compared with itself", "Name another package.")
    return {one.place: Peer(peer) for one in others}


def _identity(one: Package) -> tuple[object, ...]:
    """Return what tells packages apart: several may have one folder."""
    return one.root.resolve(), one.place


def _named(name: str, trees: Trees) -> Package:
    found = resolve((name,), packages_root(), trees=Trees(trees.folders))
    if len(found) != 1:
        examples = ", ".join(one.selector for one in found[:3])
        raise UsageError(f"--against {name} means {len(found)} packages: {examples}", NAME_ONE)
    (one,) = found
    if isinstance(one, BrokenPackage):
        raise UsageError(f"--against {name} cannot be loaded: {one.reason}", one.cure)
    return one


def _require_comparable(one: Package, peer: Package) -> None:
    """Raise UsageError if two packages do not have the same functions."""
    apis = [p.details.operation if p.details else p.api for p in (one, peer)]
    if apis[0] != apis[1]:
        raise UsageError(
            f"{one.selector} and {peer.selector} have different APIs: {apis[0]} and {apis[1]}",
            "Compare implementations of one API.",
        )
