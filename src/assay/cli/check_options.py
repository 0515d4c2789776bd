# SPDX-License-Identifier: MIT
"""What the command line of `assay check` says, and what follows from it.

That is for how long the results are kept, and which packages others are compared with.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.check.depth import Depth, Extent
from assay.check.engine.wanted import ReferencePackage, Wanted, shipped, siblings
from assay.check.kinds import asked_alone
from assay.cli.applies import MANY
from assay.cli.outputs import Output
from assay.errors import UsageError
from assay.machine.cache import cache_folder
from assay.model import BrokenPackage, Package, Target
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.package.supercop.outside import UNKNOWN
from assay.plan.spread import ConfigurationChoice, Spread
from assay.store.alone import working_alone

if TYPE_CHECKING:
    from assay.check.answers.records import AnswerFile

NAME_ONE = "Name one package: a folder, or PRIMITIVE/IMPLEMENTATION."


class Keeping(Enum):
    """How long results are kept."""

    HARDLY = auto()  # a few cells: gone with the command
    UNTIL_DONE = auto()  # the same command goes on where it was interrupted
    FOR_GOOD = auto()  # a summary of many packages names the folder


@contextmanager
def results_folder(keeping: Keeping, question: Iterable[str]) -> Iterator[Path]:
    """Lend the folder for the results of a question; the same question has the same folder."""
    if keeping is Keeping.HARDLY:
        with tempfile.TemporaryDirectory(prefix="assay-check-") as temporary:
            yield Path(temporary)
        return
    name = hashlib.sha256("\0".join(question).encode()).hexdigest()[:16]
    folder = cache_folder() / "checks" / name
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(working_alone(folder))
        except UsageError:
            raise UsageError(
                "the same check is at work already", "Wait until it has ended, or interrupt it."
            ) from None
        yield folder
    if keeping is Keeping.UNTIL_DONE:
        shutil.rmtree(folder, ignore_errors=True)


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


class CheckOptions(Struct, frozen=True):
    """What the user asked for, as on the command line."""

    packages: tuple[str, ...]
    conf: tuple[str, ...]
    target_names: tuple[str, ...]
    targets_file: str | None
    jail_name: str
    trees: tuple[Path, ...]
    sample: int | None
    seed: int
    answers: tuple[Path, ...]
    deep: bool
    only: tuple[str, ...]
    ct: bool
    unhurried: bool
    long: bool
    all_configs: bool
    best: int | None
    show_all: bool
    form: str
    against: str | None
    results: Path | None
    watch: bool
    outputs: tuple[Output, ...]

    @property
    def several_configs(self) -> bool:
        """Return whether more than one configuration may be examined."""
        return self.all_configs or len(set(self.conf)) > 1

    def found(self) -> tuple[Found, ...]:
        """Find the packages that are meant."""
        return resolve(self.packages, packages_root(), trees=self.wanted_trees)

    @property
    def wanted_trees(self) -> Trees:
        """Return the trees that names are looked up in."""
        return Trees(self.trees, self.sample, self.seed)

    def many(self, found: tuple[Found, ...]) -> bool:
        """Return whether verdicts on so many packages end in a summary."""
        operations = all(_from_tree(one) for one in found)
        alone = not self.target_names and not self.several_configs
        return alone and operations and bool(len(found) > MANY or self.sample)

    def hurried(self, found: tuple[Found, ...]) -> bool:
        """Return whether slow code is asked less, as one of many packages."""
        return self.many(found) and not (self.deep or self.unhurried)

    def wanted(self, found: tuple[Found, ...]) -> Wanted:
        """Read what cells are examined for."""
        against = references(self.against, found, self.wanted_trees)
        depth = Depth.LONG if self.long else Depth.DEEP if self.deep else Depth.FULL
        return Wanted(
            Extent(depth, hurried=self.hurried(found), only=asked_alone(self.only)),
            self._answers(),
            portability=bool(self.target_names),
            outputs=self.several_configs or bool(self.target_names),
            against=against,
        )

    def _answers(self) -> "tuple[AnswerFile, ...]":
        """Read the files of known answers that the user named."""
        if not self.answers:
            return ()
        from assay.check.answers.read import (  # noqa: PLC0415 - for operations alone
            read_answers,
        )

        return tuple(map(read_answers, self.answers))

    def keeping(self, *, many: bool) -> Keeping:
        """Return for how long verdicts are kept."""
        if many or self.results is not None:
            return Keeping.FOR_GOOD
        several = self.several_configs or bool(self.target_names)
        return Keeping.UNTIL_DONE if several else Keeping.HARDLY

    def spread(self, targets: tuple[Target, ...]) -> Spread:
        """Return where packages are examined."""
        reports = reports_folder(repository_root())
        return Spread(
            targets, ConfigurationChoice(reports, self.conf, self.all_configs, self.best)
        )


def _from_tree(one: Found) -> bool:
    """Return whether it lies in a tree, as SUPERCOP's packages do, thousands together.

    Of ciphers and hashes those are taken for one that are not Assay's own submissions.
    """
    known = one.kind is not None and one.kind.rules.trees
    own = one.root.absolute().is_relative_to(packages_root())
    return known or one.place.startswith(f"{UNKNOWN}/") or not own
