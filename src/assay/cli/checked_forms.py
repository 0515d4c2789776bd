# SPDX-License-Identifier: MIT
"""The forms of verdicts besides paragraphs: matrices, files and records.

Tables need what reports are made with, which takes longer to import than many a check to run.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import click

from assay.check.engine.verdict import Judged
from assay.cli.console import print_report
from assay.cli.listings import verdicts_report
from assay.cli.matrix import matrix_report, show_matrix
from assay.cli.records import records_of
from assay.execute.jail import Jail
from assay.report.table import Report


@dataclass(slots=True)
class Matrices:
    """A matrix for each package, with a row for each target."""

    show_all: bool

    def show(self, judged: Judged) -> None:
        """Print a package's matrix."""
        show_matrix(judged, show_all=self.show_all)

    def end(self) -> None:
        """Add nothing."""


@dataclass(slots=True)
class MatrixFile:
    """The matrices of all packages in one of the forms of tables."""

    form: str
    made: Report = field(default_factory=lambda: Report(()))

    def show(self, judged: Judged) -> None:
        """Add the matrix of a package."""
        self.made += matrix_report(judged)

    def end(self) -> None:
        """Print all of them."""
        print_report(self.made, self.form)


@dataclass(slots=True)
class VerdictFile:
    """The verdicts of all checks of all packages as one table, in one of the forms of tables."""

    form: str
    jail: Jail
    made: list[dict[str, Any]] = field(default_factory=list)

    def show(self, judged: Judged) -> None:
        """Add the verdicts on a package."""
        self.made += records_of(judged, self.jail, matrix=False)

    def end(self) -> None:
        """Print all of them."""
        print_report(verdicts_report(self.made), self.form)


@dataclass(slots=True)
class JsonRecords:
    """A list of records, for machines."""

    jail: Jail
    matrix: bool
    made: list[dict[str, Any]] = field(default_factory=list)

    def show(self, judged: Judged) -> None:
        """Make the records of a package."""
        self.made += records_of(judged, self.jail, matrix=self.matrix)

    def end(self) -> None:
        """Print all of them."""
        click.echo(json.dumps(self.made, indent=1))
