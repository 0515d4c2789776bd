# SPDX-License-Identifier: MIT
"""What the command line of `assay check` says, and what follows from it."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.campaign.roots import packages_root, reports_folder, repository_root
from assay.check.depth import Depth, Extent
from assay.check.engine.wanted import Wanted
from assay.check.kinds import asked_alone
from assay.cli.against import references
from assay.cli.applies import MANY
from assay.cli.kept import Keeping
from assay.cli.outputs import Output
from assay.model import Target
from assay.package.discover import Found
from assay.package.resolve import Trees, resolve
from assay.package.supercop.outside import UNKNOWN
from assay.plan.spread import ConfigurationChoice, Spread

if TYPE_CHECKING:
    from assay.check.answers.records import AnswerFile


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
