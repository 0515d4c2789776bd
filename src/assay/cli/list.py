# SPDX-License-Identifier: MIT
"""`assay list`: list packages."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.applies import refuse
from assay.cli.console import print_report
from assay.cli.formats import JSON, SHORT, formats_option
from assay.cli.listings import packages_report
from assay.cli.options import tree_option
from assay.cli.root import packages_root
from assay.model import BrokenPackage, Package
from assay.package.places import TREE
from assay.package.resolve import list_operations, resolve
from assay.package.supercop.listing import Listed
from assay.package.trees import is_place, list_in_any_trees, list_in_trees
from assay.report.formats.names import TERMINAL

SUPERCOP = "supercop"


@click.command(name="list")
@click.argument("names", nargs=-1)
@tree_option()
@formats_option(*SHORT)
def command(names: tuple[str, ...], trees: tuple[Path, ...], form: str) -> None:
    """List packages: those of the tree, or those that NAMES mean.

    A name is a folder, a selector such as salsa20 or salsa20/ref, or a pattern
    such as '*/ref'. Key and IV sizes are unknown until a package is built.

    Packages of operations are listed without being read: those of submissions/supercop/,
    or of --tree, apart from those that a description makes. A name is then an operation,
    a primitive, an implementation or a pattern.
    With --json there is one array of all that is known of each.
    """
    root = packages_root()
    places = [one for one in names if is_place(one)]
    others = [one for one in names if not is_place(one)]
    if trees:
        found, listed = list_in_any_trees(names, trees)
    else:
        listed = _operations(places, others, root)
        found = resolve(others, root) if others or not names else ()
    refuse()
    if form == JSON:
        records = [*map(_record, found), *map(_listed, listed)]
        click.echo(json.dumps(records, indent=2, default=str))
        return
    rows = [*map(_row, found), *((one.place, SUPERCOP, "operation", "") for one in listed)]
    if form != TERMINAL:
        print_report(packages_report(rows), form)
        return
    widths = [max(len(row[i]) for row in rows) if rows else 0 for i in range(3)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        click.echo("  ".join((*cells, row[3])).rstrip())


def _operations(places: list[str], others: list[str], root: Path) -> tuple[Listed, ...]:
    """List implementations of operations, where a name is one of those."""
    if others and not places:
        return ()
    if places:
        return list_operations(places, root)
    return list_in_trees((), (root / TREE,)) if (root / TREE).is_dir() else ()


def _listed(one: Listed) -> dict[str, object]:
    """Return what is known of an implementation before it is read."""
    operation, primitive, *rest = one.place.split("/")
    return {
        "place": one.place,
        "selector": one.place,
        "root": str(one.root),
        "api": SUPERCOP,
        "kind": "operation",
        "operation": operation,
        "primitive": primitive,
        "implementation": "/".join(rest),
        "broken": False,
    }


def _row(one: Package | BrokenPackage) -> tuple[str, str, str, str]:
    """Selector, API, role, and what there is to say."""
    if isinstance(one, BrokenPackage):
        return one.selector, "-", "broken", f"{one.reason}. {one.cure}"
    return one.selector, one.api, one.role.value, " ".join(quirk.name for quirk in one.quirks)


def _record(one: Package | BrokenPackage) -> dict[str, object]:
    """Return the fields as JSON can hold them; sizes are null: they are not known yet."""
    if isinstance(one, BrokenPackage):
        return {**asdict(one), "root": str(one.root), "broken": True}
    plain = {**asdict(one), "root": str(one.root), "vectors": None, "sizes": None, "broken": False}
    if one.vectors:
        plain["vectors"] = str(one.vectors)
    return plain
