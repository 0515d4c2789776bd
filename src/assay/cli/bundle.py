# SPDX-License-Identifier: MIT
"""`assay bundle` and `assay verify`: a results folder as one signed file, and who signed it."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from assay.cli.main import EXIT_FAILED, EXIT_OPEN
from assay.fleet.bundle import Bundle, TamperedError, make_bundle, open_bundle
from assay.fleet.signing import BadSignatureError
from assay.report.printable import printable

KEY_VARIABLE = "ASSAY_KEY"


@click.command(name="bundle")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The bundle to write, by default MACHINE-DATE.bundle.tar.gz.")  # fmt: skip
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


NAMED = {"sha256": "of files", "assayContents": "of sources", "assayObject": "of object code"}
allowed_option: Callable[[Any], Any] = click.option(
    "--allowed-signers",
    "allowed",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Who may sign: a list as ssh-keygen has it (`NAME KEYTYPE KEY` a line), or a public key "
    "of minisign.",
)


@click.command(name="verify")
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False),
                metavar="FILE")  # fmt: skip
@allowed_option
def verify_command(path: Path, allowed: Path | None) -> int:
    """Verify a bundle of `assay bundle`: name who signed it, and the first thing that differs.

    The signature must hold for the statement, and the statement for every file of the bundle
    and for what the results in it say: sources, object code, harness, compilers, machine.

    Exit codes: 0 all agrees and an allowed signer signed it, 1 something differs or the
    signature does not hold or is nobody's who may sign, 2 it cannot be read, 3 all
    agrees, but nobody signed it or no list says whose key that is.
    """
    with tempfile.TemporaryDirectory(prefix="assay-verify-") as scratch:
        try:
            found = open_bundle(path, Path(scratch), allowed)
        except (TamperedError, BadSignatureError) as error:
            click.echo(f"FAIL {printable(str(error))}")
            click.echo(f"  {printable(error.cure)}")
            return EXIT_FAILED
        for what, value in _about(found):
            click.echo(f"{what:<10} {printable(value)}")
    if found.signature is None or not found.signature.signer:
        click.echo("All agrees, but whose signature that is was not compared: --allowed-signers."
                   if found.signature else "All agrees, but nobody vouches for it.")  # fmt: skip
        return EXIT_OPEN
    click.echo("All agrees.")
    return 0


def _about(found: Bundle) -> Iterator[tuple[str, str]]:
    """Yield what was signed, in lines for a reader."""
    said = found.statement["predicate"]
    machine, doctor, made = (dict(said.get(name) or {}) for name in ("machine", "doctor", "made"))
    yield "signed by", str(found.signature) if found.signature else "nobody"
    yield "machine", f"{machine.get('host')}, {machine.get('cpu')}"
    yield "doctor", f"class {doctor.get('class') or 'not known'}"
    yield "Assay", f"{said.get('assay') or 'not known'}, bundled {made.get('at', '')}".strip(", ")
    yield "compilers", ", ".join(map(str, said.get("compilers", ()))) or "not known"
    kinds = Counter(kind for one in found.statement["subject"] for kind in one["digest"])
    yield (
        "digests",
        ", ".join(f"{kinds[kind]} {what}" for kind, what in NAMED.items() if kinds[kind]),
    )
