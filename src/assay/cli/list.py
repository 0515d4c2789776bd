# SPDX-License-Identifier: MIT
"""`assay list`: the packages that Assay knows."""

import json
from dataclasses import asdict

import click

from assay.cli.root import repository_root
from assay.model import BrokenPackage, Package
from assay.package import resolve


@click.command(name="list")
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List packages: those of the tree, or those that NAMES mean.

    A name is a folder, a selector such as salsa20 or salsa20/ref, or a pattern
    such as '*/ref'. Key and IV sizes are unknown until a package is built.
    """
    found = resolve(names, repository_root())
    if as_json:
        click.echo(json.dumps([_record(one) for one in found], indent=2))
        return
    rows = [_row(one) for one in found]
    widths = [max(len(row[i]) for row in rows) if rows else 0 for i in range(3)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        click.echo("  ".join((*cells, row[3])).rstrip())


def _row(one: Package | BrokenPackage) -> tuple[str, str, str, str]:
    """Selector, API, role, and what there is to say."""
    if isinstance(one, BrokenPackage):
        return one.selector, "-", "broken", f"{one.reason} {one.cure}"
    return one.selector, one.api, one.role.value, " ".join(quirk.name for quirk in one.quirks)


def _record(one: Package | BrokenPackage) -> dict[str, object]:
    """Give the fields as JSON can hold them; sizes are null: they are not known yet."""
    if isinstance(one, BrokenPackage):
        return {**asdict(one), "root": str(one.root), "broken": True}
    plain = {**asdict(one), "root": str(one.root), "vectors": None, "sizes": None, "broken": False}
    if one.vectors:
        plain["vectors"] = str(one.vectors)
    return plain
