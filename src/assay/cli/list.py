# SPDX-License-Identifier: MIT
"""`assay list` and `assay targets`: packages, and where their code can run."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec
from msgspec.structs import asdict

from assay.campaign.roots import packages_root
from assay.cli.applies import option, refuse
from assay.cli.console import JSON, PARAMETERS, SHORT, formats_option, print_report
from assay.cli.main import EXIT_FAILED
from assay.cli.options import known_targets, targets_file_option, tree_option
from assay.model import BrokenPackage, Package
from assay.package.licences import Licences, licences_of
from assay.package.places import TREE
from assay.package.resolve import list_operations, resolve
from assay.package.supercop.listing import Listed
from assay.package.trees import is_place, list_in_any_trees, list_in_trees
from assay.report.formats.names import TERMINAL
from assay.report.table import Column, Report, Style, listed
from assay.targets.catalogue import Installed, install_line, look_for

SUPERCOP = "supercop"


@click.command(name="list")
@click.argument("names", nargs=-1)
@tree_option()
@option("--licences", is_flag=True,
        help="Add the licences that the files of each package state.")  # fmt: skip
@formats_option(*SHORT)
def command(names: tuple[str, ...], trees: tuple[Path, ...], licences: bool, form: str) -> None:
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
    terms = [stated(one) for one in (*found, *listed)] if licences else []
    if form == JSON:
        records = [*map(_record, found), *map(_listed, listed)]
        for record, each in zip(records, terms, strict=False):
            record["licences"] = each
        click.echo(json.dumps(msgspec.to_builtins(records, enc_hook=str), indent=2))
        return
    rows = [*map(_row, found), *((one.place, SUPERCOP, "operation", "") for one in listed)]
    if licences:
        rows = [(*row[:3], ", ".join(each) or "none stated", row[3])
                for row, each in zip(rows, terms, strict=True)]  # fmt: skip
    if form != TERMINAL:
        print_report(packages_report(rows, licences=licences), form)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


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


def stated(one: Package | BrokenPackage | Listed) -> Licences:
    """Return the licences of a package; none of one that cannot be loaded."""
    return {} if isinstance(one, BrokenPackage) else licences_of(one)


def _row(one: Package | BrokenPackage) -> tuple[str, ...]:
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


INSTALL = "To install the rest, as root (or run ./scripts/start --targets):"
WIDTH = 190  # whoever has a smaller terminal sees long lines, not broken ones


@click.command(name="targets")
@targets_file_option(needs="")
@option("--install-line", "line_only", excludes=PARAMETERS, is_flag=True,
        help="Print only the line that installs what is missing.")  # fmt: skip
@click.option("--missing", is_flag=True, help="List only targets that are not installed.")
@formats_option(*SHORT)
def targets_command(targets_file: str | None, line_only: bool, missing: bool, form: str) -> int:
    """List the targets, what of them is installed, and the line that installs the rest.

    The names are those that --target takes; the name of an architecture means the
    first target that has it. Exit code 1 with --missing if something is missing.
    """
    refuse()
    found = [look_for(one) for one in known_targets(targets_file)]
    if missing:
        found = [one for one in found if not one.ok]
    if line_only:
        click.echo(" ".join(sorted({p for one in found for p in one.target.packages})))
    else:
        print_report(targets_report(found), form, WIDTH)
        line = install_line(found) if form == TERMINAL else ""
        if line:
            click.echo(f"\n{INSTALL}\n  {line}")
    return EXIT_FAILED if missing and found else 0


def targets_report(found: Sequence[Installed]) -> Report:
    """List targets and what of them is installed."""
    records = [
        {**asdict(one.target), "installed": one.ok, "missing": list(one.missing)} for one in found
    ]
    table = listed(
        [{**record, "missing": ", ".join(record["missing"])} for record in records],
        Column("name", "Target", whole=True),
        Column("architecture", "Architecture", whole=True),
        Column("bits", "Bits", whole=True),
        Column("endian", "Endian", whole=True),
        Column("abi", "ABI", whole=True),
        Column("runtime", "Below the agent", whole=True),
        Column("counts", "Exact counts", text=lambda one: one or "none", whole=True),
        Column("missing", "Installed", text=_missing,
               style=lambda row: Style.OPEN if row["missing"] else Style.PASS),
        Column("title", "What it is"),
    )  # fmt: skip
    return Report((table,), facts={"targets": records, "install": install_line(found)})


def _missing(missing: str) -> str:
    return f"no: {missing}" if missing else "yes"


def packages_report(rows: Iterable[tuple[str, ...]], *, licences: bool = False) -> Report:
    """List packages: selector, API, role, and quirks or why it cannot be loaded."""
    names = [("package", "Package"), ("api", "API"), ("role", "Role"), ("remarks", "Remarks")]
    if licences:
        names.insert(3, ("licences", "Licences"))
    return Report((listed(rows, *(Column(*one, whole=True) for one in names)),))
