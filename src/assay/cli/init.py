# SPDX-License-Identifier: MIT
"""`assay init`: propose a description of a tree with a build of its own."""

from pathlib import Path

import click

from assay.cli.main import EXIT_FAILED
from assay.errors import AssayError
from assay.model import BrokenPackage
from assay.package.described.load import load_described
from assay.package.described.propose import EDIT, write_proposal
from assay.package.supercop.outside import UNKNOWN, listed_in_folder


@click.command(name="init")
@click.argument("tree", type=click.Path(path_type=Path))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write. Default: one here, named like the tree; TREE/assay.toml is one, too.",
)
def command(tree: Path, into: Path | None) -> int:
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
