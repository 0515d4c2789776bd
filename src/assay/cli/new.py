# SPDX-License-Identifier: MIT
"""`assay new` and `assay init`: a package to fill in, or the description of a tree."""

from pathlib import Path

import click

from assay.cli.main import EXIT_FAILED
from assay.errors import AssayError
from assay.model import BrokenPackage
from assay.model.apis import APIS, PACKAGED
from assay.package.described.load import load_described
from assay.package.described.propose import EDIT, write_proposal
from assay.package.skeleton import write_skeleton
from assay.package.supercop.outside import UNKNOWN, listed_in_folder


@click.command(name="new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--api",
    required=True,
    type=click.Choice(APIS),
    metavar="API",
    help=f"The API to follow: {', '.join(PACKAGED)}, or an operation such as crypto_hash.",
)
def command(name: Path, api: str) -> None:
    """Make the folder NAME with a package whose functions are to be filled in.

    It compiles as it is, and fails its checks, because its functions do nothing. The
    places to change are marked [edit]. A package of an operation is made in
    crypto_hash/NAME/ref, where `check` and `run` find it with `--tree .`.
    """
    folder = write_skeleton(name, api)
    for path in sorted(folder.iterdir()):
        click.echo(path)
    click.echo(f"Fill in the parts marked [edit]. Next: {_next(folder, api)}")


def _next(folder: Path, api: str) -> str:
    """Return the command that checks the package."""
    if api not in folder.parts:
        return f"assay check {folder}"
    at = folder.parts.index(api)
    place, tree = "/".join(folder.parts[at:]), Path(*folder.parts[:at])
    return f"assay check {place} --tree {tree}"


@click.command(name="init")
@click.argument("tree", type=click.Path(path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write. Default: one here, named like the tree; TREE/assay.toml is one, too.",
)
def init_command(tree: Path, into: Path | None) -> int:
    """Write a description of TREE, an assay.toml, by looking at it.

    Headers, sources, CMakeLists.txt, meson.build, Makefile and compile_commands.json are
    read and never run, and nothing in TREE is changed. A tree that Assay knows gets the
    description that comes with it. What has to be filled in is marked [edit]. An existing
    file is never overwritten. Exit code 1: the packages described cannot be loaded yet.
    """
    path, known = write_proposal(tree, into or Path(f"{tree.resolve().name}.toml"))
    click.echo(f"{path}: {'the description that comes with Assay' if known else 'a proposal'}")
    try:
        found = load_described(path)
    except AssayError as error:
        click.echo(f"  it is not complete: {error}\n  {error.cure}")
        return EXIT_FAILED
    broken = [one for one in found if isinstance(one, BrokenPackage)]
    click.echo(f"  {len(found)} packages: {', '.join(one.place for one in found[:4])}")
    for one in broken[:3]:
        click.echo(f"  {one.place}: {one.reason}\n    {one.cure}")
    if EDIT in path.read_text("utf-8"):
        click.echo("Look at the lines marked [edit].")
    click.echo(f"Next: assay check {path}")
    plain = [one for one in listed_in_folder(tree) if one.operation != UNKNOWN]
    if plain and not known:
        click.echo(
            f"Without a description Assay finds {len(plain)} in the tree: `assay check {tree}` "
            "may be all that is needed."
        )
    return EXIT_FAILED if broken else 0
