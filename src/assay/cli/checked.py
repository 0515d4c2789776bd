# SPDX-License-Identifier: MIT
"""How `assay check` shows verdicts: each form shows the same stream of packages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

import click

from assay.check.engine.cells import Examination
from assay.check.engine.verdict import Everywhere, Judged
from assay.cli.verdicts import show_everywhere, show_examination
from assay.model import Verdict
from assay.model.compared import ANSWERED

if TYPE_CHECKING:  # for operations alone
    from assay.check.answers.records import AnswerFile


class Presenter(Protocol):
    """Shows packages as they are done."""

    def show(self, judged: Judged) -> None:
        """Show what came of a package."""

    def end(self) -> None:
        """Show what is left to say after the last."""


def shown(stream: Iterable[Judged], presenter: Presenter) -> Iterator[Judged]:
    """Yield packages, each after it was shown."""
    for one in stream:
        presenter.show(one)
        yield one


@dataclass(slots=True)
class Texts:
    """A paragraph for each variant of a package, or, of many configurations, for all of them."""

    show_all: bool
    everywhere: bool
    used: set[tuple[str, str]] = field(default_factory=set)

    def show(self, judged: Judged) -> None:
        """Print what failed and how to fix it."""
        if judged.unloadable is not None:
            show_examination(judged.found, 1, judged.unloadable, show_all=self.show_all)
        for each in _variants(judged):
            if self.everywhere:
                show_everywhere(each, show_all=self.show_all)
                continue
            for row in each.rows:
                recipe = row.recipe
                self.used.add((recipe.compiler.release, recipe.configuration.name))
                show_examination(judged.found, recipe.variant, row, show_all=self.show_all)

    def end(self) -> None:
        """Name compilers and configurations, unless they are many."""
        for release, name in sorted(self.used):
            click.echo(f"Checked with {release}, {name}.")


def all_compared(outcomes: Sequence[Examination], answers: "Sequence[AnswerFile]") -> bool:
    """Return whether each file of known answers was compared; name those that were not."""
    verdicts = [
        [one.verdict for one in outcome.checks if one.check == ANSWERED] for outcome in outcomes
    ]
    left = [
        file.path
        for number, file in enumerate(answers)
        if all(one[number] is Verdict.OPEN for one in verdicts if len(one) > number)
    ]
    for path in left:
        click.echo(f"error: nothing of {path} was compared", err=True)
    return not left


def _variants(judged: Judged) -> Iterator[Everywhere]:
    """Yield the cells of each variant on each target."""
    for standing in judged.standings:
        for _, rows in groupby(standing.rows, key=lambda row: row.recipe.variant):
            yield Everywhere(tuple(rows))
