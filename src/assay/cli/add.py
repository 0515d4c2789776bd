# SPDX-License-Identifier: MIT
"""`assay add` and `assay cleanup`: an archive, safely unpacked, and a raw submission."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

from assay.campaign.roots import repository_root
from assay.cli.console import progress_console, watched
from assay.cli.main import EXIT_FAILED
from assay.errors import UsageError
from assay.fleet.archived import digest_of
from assay.package.archive import ArchiveLimits
from assay.package.arrival import LARGE, USUAL, Arrived, arrive, staged
from assay.package.builds.makefile import NAME
from assay.package.cleanup import Helper, cleanup, compiles_by_text
from assay.package.download import LIMIT_BYTES, Tell, download, is_address
from assay.package.members import other_format
from assay.package.recognise import Recognised, recognise
from assay.report.printable import printable

_SUFFIX = re.compile(r"(\.tar)?\.(zip|tar|tgz|tbz2?|txz|gz|bz2|xz)$", re.IGNORECASE)
_ODD = re.compile(r"[^A-Za-z0-9_.+-]+")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_MOST_SHOWN = 3
_LOOKED_AT = 4096  # bytes
_PRINTED = bytes({*range(32, 256), *b"\t\n\r\f"})


@click.command(name="add")
@click.argument("source", metavar="FILE|URL")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="The folder to make. Default: one here, named like the archive.",
)
@click.option("--sha256", metavar="HEX", help="Refuse any archive but the one with this SHA-256.")
@click.option(
    "--large", is_flag=True, help="Allow ten times the limits, for a whole tree of SUPERCOP."
)
def command(source: str, into: Path | None, sha256: str | None, large: bool) -> int:
    """Unpack FILE or URL (.tar.gz, .tgz, .tar.xz, .tar.bz2, .zip) and say what is in it.

    Nothing of it is executed. Names that leave the folder, links that lead out of it,
    devices, names that appear twice and archives beyond the limits are refused; then the
    folder is not made. Limits: 256 MB and 20,000 files unpacked, 200 times the archive,
    12 folders deep, 200 bytes a name. Permissions and owners are not taken over.

    Exit codes: 0 a package is there, 1 unpacked and nothing in it is a package,
    2 refused.
    """
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise UsageError(f"{sha256!a} is no SHA-256", "Give 64 hexadecimal digits.")
    place = into or _default_place(source)
    limits = LARGE if large else USUAL
    if is_address(source):
        if source.lower().startswith("http://"):
            click.echo("warning: http does not protect what it carries; --sha256 does", err=True)
        most = 10 * LIMIT_BYTES if large else LIMIT_BYTES
        with staged(place.absolute().parent) as scratch:
            archive = scratch / "archive"
            with _drawn() as tell:
                digest = download(source, archive, tell, most)
            arrived = _arrive(archive, place, limits, digest, sha256)
    else:
        archive = Path(source)
        _unpackable(archive)
        if not archive.is_file():
            raise UsageError(f"{source!a} is no file", "Give an archive, or an https:// address.")
        arrived = _arrive(archive, place, limits, digest_of(archive), sha256)
    return _report(arrived, recognise(place))


def _arrive(
    archive: Path, place: Path, limits: ArchiveLimits, digest: str, wanted: str | None
) -> Arrived:
    """Print the digest, compare it, and unpack."""
    click.echo(f"sha256 {digest}")
    if wanted is not None and digest != wanted.lower():
        raise UsageError(
            f"the archive is another one than that with sha256 {wanted.lower()}",
            "Ask its author which is right; nothing was unpacked.",
        )
    return arrive(archive, place, limits)


def _default_place(source: str) -> Path:
    """Name a folder after the archive."""
    path = unquote(urlsplit(source).path) if is_address(source) else source
    stem = _ODD.sub("_", _SUFFIX.sub("", Path(path).name)).strip("_.-")
    if not stem:
        raise UsageError(f"{source!a} gives no name for a folder", "Name one with --into.")
    return Path(stem)


def _report(arrived: Arrived, found: Recognised) -> int:
    """Describe where it is, what it is, and what comes next."""
    for one, other in arrived.alike[:_MOST_SHOWN]:
        click.echo(f"warning: {one} and {other} differ in the case of letters only", err=True)
    click.echo(f"{arrived.folder}: {len(arrived.names)} files, {found.says}")
    for broken in found.broken[:_MOST_SHOWN]:
        click.echo(f"warning: {broken.selector} cannot be loaded: {broken.reason}", err=True)
        click.echo(f"  {broken.cure}", err=True)
    for each in found.commands:
        click.echo(f"Next: {each}")
    if found.answers and found.packages:
        click.echo(f"Known answers: {found.answers}")
    return 0 if found.packages > len(found.broken) else EXIT_FAILED


def _unpackable(archive: Path) -> None:
    """Refuse a folder and archives of other formats, each with what to do instead."""
    name = shlex.quote(str(archive))
    if archive.is_dir():
        found = recognise(archive)
        nexts = " or ".join(f"`{one}`" for one in found.commands)
        raise UsageError(f"{str(archive)!a} is a folder: {found.says}", f"Use {nexts}.")
    if archive.is_file() and _is_text(archive):
        raise UsageError(
            f"{str(archive)!a} is a text, and no archive",
            "Of a source file, check the folder that it is in with its header (`assay check "
            "FOLDER`), or wrap a plain function (`assay wrap`).",
        )
    kind = other_format(archive) if archive.is_file() else None
    if kind is not None:
        raise UsageError(
            f"{str(archive)!a} is {kind.what}; .zip and .tar (.gz, .xz, .bz2) are unpacked",
            f"Unpack it (`{kind.command} {name}`), pack the folder with `tar czf NAME.tar.gz "
            "NAME`, and add that.",
        )


def _is_text(path: Path) -> bool:
    with path.open("rb") as file:
        begin = file.read(_LOOKED_AT)
    return bool(begin) and not begin.translate(None, _PRINTED)


@contextmanager
def _drawn() -> Iterator[Tell]:
    """Draw a bar of bytes for a person, nothing for a log; what is lent hears how far it is."""
    bars = Progress(
        " * {task.description}",
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=progress_console(),
        disable=not watched(),
    )
    task = bars.add_task("downloading", total=None)
    with bars:
        yield lambda done, announced: bars.update(task, completed=done, total=announced)


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
def cleanup_command(source: Path, into: Path | None, name: str | None, yes: bool) -> None:
    """Make a package from SOURCE, an archive (.zip, .tar.gz) or folder as submitters send them.

    Names become lower-case, copies of framework files go, the cipher's source is
    named after the cipher, a Makefile is written, and what is not needed moves
    to unused/. Nothing of the submission is executed.
    """
    helper = Helper(_always if yes else _ask, _tell, compiles_by_text)
    place = into or _named_place(source, name)
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


def _named_place(source: Path, name: str | None) -> Path:
    """Leave a folder where it is; give an archive a folder in submissions/, or here."""
    if source.is_dir():
        return source
    stem = name or _SUFFIX.sub("", source.name).lower()
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
