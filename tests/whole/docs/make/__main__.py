# SPDX-License-Identifier: MIT
"""`./scripts/docs`: write what is generated in the documentation, or check it."""

import argparse
import sys
from pathlib import Path

from tests.whole.docs.make import pictures
from tests.whole.docs.make.pages import CLONE, pages, rows, stale, written


def main() -> int:
    """Write all pages, or name those that are out of date."""
    parser = argparse.ArgumentParser("./scripts/docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="name stale pages and write none")
    parser.add_argument(
        "--sizes", type=Path, metavar="FILE", help="figures of `assay size HASHES --csv`"
    )
    parser.add_argument(
        "--measured", type=Path, metavar="FILE", help="results to draw: `assay collect --archive`"
    )
    wanted = parser.parse_args()
    if wanted.check:
        found = (*stale(), *pictures.stale())
        old = [page.relative_to(CLONE).as_posix() for page in found]
        if old:
            sys.stderr.write(f"error: out of date: {', '.join(old)}\nRun ./scripts/docs.\n")
        return 1 if old else 0
    figures = rows(wanted.sizes) if wanted.sizes else ()
    for page in pages():
        page.write_text(written(page, figures), encoding="utf-8")
    if wanted.measured:
        pictures.MEASURED.write_bytes(wanted.measured.read_bytes())
    for picture in pictures.PICTURES:
        picture.write_text(pictures.drawn(picture), encoding="utf-8")
    return 0


sys.exit(main())
