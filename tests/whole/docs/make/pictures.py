# SPDX-License-Identifier: MIT
"""The pictures of the documentation, drawn from stored results by `assay show --format svg`.

docs/measured.tar.gz is what `assay collect --archive` made of the campaign that the README shows.
`./scripts/docs --measured FILE` takes another one in its place.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner
from tests.whole.docs.make.pages import DOCS

from assay.cli import show
from assay.fleet.taken import take

MEASURED = DOCS / "measured.tar.gz"
PICTURES = {DOCS / "speed.svg": ("--format", "svg")}


def drawn(picture: Path, measured: Path = MEASURED) -> str:
    """Return a picture as it should be now."""
    with TemporaryDirectory() as scratch:
        folder, _ = take(measured, Path(scratch))
        done = CliRunner().invoke(show.command, [str(folder), *PICTURES[picture]])
    if done.exit_code:
        raise RuntimeError(f"{picture.name}: {done.output}")
    return done.stdout


def stale() -> list[Path]:
    """Return the pictures that differ from what they should be."""
    return [one for one in PICTURES if one.read_text(encoding="utf-8") != drawn(one)]
