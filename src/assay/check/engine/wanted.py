# SPDX-License-Identifier: MIT
"""How cells are to be examined, and which packages are compared with another one."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.depth import IN_FULL, Depth, Extent
from assay.model import OperationDetails, Package, Target
from assay.model.compared import GIVEN, SHIPPED, SIBLINGS
from assay.package.discover import Found
from assay.package.shipped import counterpart

if TYPE_CHECKING:  # for operations alone
    from assay.check.answers.records import AnswerFile


class ReferenceOrigin(StrEnum):
    """Who says that a package is compared with another, by the name of the check."""

    USER = GIVEN
    TREE = SIBLINGS
    ASSAY = SHIPPED


class ReferencePackage(Struct, frozen=True):
    """A package that others are compared with, and where that is from."""

    package: Package
    origin: ReferenceOrigin = ReferenceOrigin.USER

    @property
    def named(self) -> bool:
        """Return whether the user named it."""
        return self.origin is ReferenceOrigin.USER


class LongWanted(Struct, frozen=True):
    """That checks may take hours: the folder in which they keep how far they are.

    `reach` hears of it: whose check it is, steps that are done, and all of them.
    """

    folder: Path
    reach: Callable[[str, int, int], None]


class Wanted(Struct, frozen=True):
    """How much a package's first code is asked, and with what: files of known `answers`.

    `against` has, for places of packages, the one that each is compared with. `portability` looks
    at each target, and counts accesses that are not aligned. `keep` keeps agents for whoever
    measures them next. `long` is there at that depth. `outputs` compares what the cells of a
    package compute.
    """

    extent: Extent = IN_FULL
    answers: "tuple[AnswerFile, ...]" = ()
    portability: bool = False
    keep: bool = False
    long: LongWanted | None = None
    outputs: bool = False
    against: Mapping[str, ReferencePackage] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def glance(self) -> bool:
        """Return whether outputs are compared with known answers, and nothing else is asked."""
        return self.extent.depth is Depth.GLANCE

    def extent_on(self, target: Target, *, first: bool) -> Extent:
        """Return how much a code is asked on a target; only the `first` of a package in full.

        On others than this machine that takes several times as long, so it is for who measures
        there.
        """
        return replace(self.extent, brief=not (first and (target.is_native or self.keep)))


REFERENCE = "ref"


def siblings(found: Iterable[Found]) -> Mapping[str, ReferencePackage]:
    """Choose for packages of which nothing is known another implementation of the primitive.

    It is `ref` where there is one, else the first; that one is compared with none.
    """
    groups: dict[tuple[object, ...], list[Package]] = {}
    for one in found:
        details = one.details if isinstance(one, Package) else None
        if not isinstance(one, Package) or details is None:
            continue
        if not (details.checksum_small or details.checksum_big):
            key = (details.tree, details.operation, one.primitive, _parameters(one, details))
            groups.setdefault(key, []).append(one)
    references: dict[str, ReferencePackage] = {}
    for group in groups.values():
        first = next((one for one in group if one.implementation == REFERENCE), group[0])
        chosen = ReferencePackage(first, ReferenceOrigin.TREE)
        references |= {one.place: chosen for one in group if one is not first}
    return references


def _parameters(package: Package, details: OperationDetails) -> str:
    """Return what tells parameter sets apart that share a folder above their own.

    In SUPERCOP's layout it is the primitive, and folders below hold implementations alone.
    """
    above, _, own = package.implementation.rpartition("/")
    return own if above and not (details.tree / details.operation).is_dir() else ""


def shipped(found: Iterable[Found]) -> Mapping[str, ReferencePackage]:
    """Choose for packages whose primitive Assay brings, too, its own implementation."""
    own = ((one, counterpart(one)) for one in found if isinstance(one, Package))
    origin = ReferenceOrigin.ASSAY
    return {one.place: ReferencePackage(other, origin) for one, other in own if other is not None}
