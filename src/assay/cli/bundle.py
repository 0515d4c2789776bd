# SPDX-License-Identifier: MIT
"""`assay bundle`: a results folder as one signed file."""

from pathlib import Path

import click

from assay.fleet.bundle import make_bundle

KEY_VARIABLE = "ASSAY_KEY"


@click.command(name="bundle")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The bundle, by default MACHINE-DATE.bundle.tar.gz.")  # fmt: skip
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    envvar=KEY_VARIABLE,
    metavar="KEY",
    help="Sign with this key: a file of ssh-keygen (a public key if an agent has the other half) "
    f"or of minisign [what {KEY_VARIABLE} says; without either nobody signs].",
)
def command(folder: Path, output: Path | None, key: Path | None) -> None:
    """Make one file of the results in FOLDER, with a signed statement of what they are.

    It holds what `assay collect --archive` packs, and statement.json: an in-toto statement with
    the digests of results, sources and object code, and the harness, compilers, machine and
    doctor's verdict. `assay verify` compares all of it, and `assay import` takes it in.

    No passphrase is asked for: hand a key that has one to ssh-agent first.
    """
    place, what = make_bundle(folder, key, output)
    click.echo(f"{place}: {what}")
