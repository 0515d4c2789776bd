# SPDX-License-Identifier: MIT
"""`assay cleanup`: import a raw submission into the framework's form."""

import re
from pathlib import Path

import click

from assay.cli.root import repository_root
from assay.package.builds.makefile import NAME
from assay.package.cleanup import Helper, cleanup, compiles_by_text
from assay.report.printable import printable

_SUFFIX = re.compile(r"(\.tar)?\.(zip|tar|tgz|tbz2?|txz|gz|bz2|xz)$")


@click.command(name="cleanup")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="The folder to make. Default: a folder is changed in place, "
    "an archive goes to submissions/NAME of the clone, or else to NAME here.",
)
@click.option("--name", help="The cipher's name. Default: that of its source file.")
@click.option("-y", "--yes", is_flag=True, help="Answer every question with yes.")
def command(source: Path, into: Path | None, name: str | None, yes: bool) -> None:
    """Make a package from SOURCE, an archive (.zip, .tar.gz) or folder as submitters send them.

    Names become lower-case, copies of framework files go, the cipher's source is
    named after the cipher, a Makefile is written, and what is not needed moves
    to unused/. Nothing of the submission is executed.
    """
    helper = Helper(_always if yes else _ask, _tell, compiles_by_text)
    place = into or _default_place(source, name)
    if not yes and place == source and not _ask(f"Should I change {source} in place?"):
        raise click.Abort
    package = cleanup(source, place, helper, name)
    for quirk in package.quirks:
        click.echo(f"warning: {printable(quirk.message)} [{quirk.name}]", err=True)
        click.echo(f"  {quirk.cure}", err=True)
    click.echo(f"{place}: {package.api}, {', '.join(package.sources)}, {' '.join(package.std)}")
    click.echo(
        f"Next: assay check {place}; assay vectors {place} -o {place}/unverified.test-vectors"
    )


def _default_place(source: Path, name: str | None) -> Path:
    """Leave a folder where it is; give an archive a folder in submissions/, or here."""
    if source.is_dir():
        return source
    stem = name or _SUFFIX.sub("", source.name.lower())
    if not NAME.fullmatch(stem):
        raise click.UsageError(f"cannot make a folder name of {source.name!a}; give --into")
    root = repository_root()
    return root / "submissions" / stem if root else Path(stem)


def _ask(question: str) -> bool:
    """Ask; the answer on return is yes."""
    return click.confirm(question, default=True, err=True)


def _always(question: str) -> bool:
    """Answer yes, and say to what."""
    click.echo(f" * {question} yes", err=True)
    return True


def _tell(text: str) -> None:
    """Describe what was done."""
    click.echo(f" * {text}", err=True)
