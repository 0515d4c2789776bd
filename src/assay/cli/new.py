# SPDX-License-Identifier: MIT
"""`assay new`: a package to fill in."""

from pathlib import Path

import click

from assay.model.apis import APIS, PACKAGED
from assay.package.skeleton import write_skeleton


@click.command(name="new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--api",
    required=True,
    type=click.Choice(APIS),
    metavar="API",
    help=f"{', '.join(PACKAGED)}, or an operation such as crypto_hash.",
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
