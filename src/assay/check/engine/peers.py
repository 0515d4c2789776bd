# SPDX-License-Identifier: MIT
"""Which packages are compared with another one that nobody named."""

from collections.abc import Iterable, Mapping

from assay.check.engine.wanted import Peer, PeerOrigin
from assay.model import OperationDetails, Package
from assay.package.counterpart import counterpart
from assay.package.discover import Found

REFERENCE = "ref"


def siblings(found: Iterable[Found]) -> Mapping[str, Peer]:
    """Choose for packages of which nothing is known another implementation of the primitive.

    It is `ref` where there is one, else the first; that one is compared with none.
    """
    groups: dict[tuple[object, ...], list[Package]] = {}
    for one in found:
        details = one.details if isinstance(one, Package) else None
        if isinstance(one, Package) and details and not _has_checksums(details):
            key = (details.tree, details.operation, one.primitive, _parameters(one, details))
            groups.setdefault(key, []).append(one)
    peers: dict[str, Peer] = {}
    for group in groups.values():
        first = next((one for one in group if one.implementation == REFERENCE), group[0])
        peers |= {one.place: Peer(first, PeerOrigin.TREE) for one in group if one is not first}
    return peers


def _parameters(package: Package, details: OperationDetails) -> str:
    """Return what tells parameter sets apart that share a folder above their own.

    In SUPERCOP's layout it is the primitive, and folders below hold implementations alone.
    """
    above, _, own = package.implementation.rpartition("/")
    return own if above and not (details.tree / details.operation).is_dir() else ""


def shipped(found: Iterable[Found]) -> Mapping[str, Peer]:
    """Choose for packages whose primitive Assay brings, too, its own implementation."""
    own = ((one, counterpart(one)) for one in found if isinstance(one, Package))
    return {one.place: Peer(other, PeerOrigin.ASSAY) for one, other in own if other is not None}


def _has_checksums(details: OperationDetails) -> bool:
    """Return whether there is something else to compare outputs with."""
    return bool(details.checksum_small or details.checksum_big)
