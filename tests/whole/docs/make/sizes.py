# SPDX-License-Identifier: MIT
"""The tables of sizes, from the figures that `assay size HASHES --target all --csv` prints."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.model.apis import COMPACT
from assay.package.hashes import load_compact
from assay.package.tree import header_of
from assay.targets.catalogue import catalogue

CLONE = Path(__file__).resolve().parents[4]
SUBMISSIONS = CLONE / "submissions"
PACKAGES = tuple(
    one
    for folder in sorted(SUBMISSIONS.glob("*/*/"))
    if header_of(folder, COMPACT)
    for one in load_compact(
        folder, tree_root=CLONE, place=folder.relative_to(CLONE).as_posix().rstrip("/")
    )
)
ASSEMBLY = tuple(one for one in PACKAGES if one.architecture)
# Compact ones: unrolled forms are what their speed is compared with.
PORTABLE = tuple(
    one for one in PACKAGES if not one.architecture and one.implementation != "unrolled"
)
MEMORY_ON = ("qemu-thumb", "simavr-atmega1281")
Row = dict[str, str]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; the first column is text, the others are numbers."""
    lines = [headings, ["---", *["--:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shabal(rows: Sequence[Row]) -> str:
    """Compare the assembly with what was published, in the order of the catalogue."""
    headings = ("package", "bytes", "paper", "saved", "unit", "per byte", "paper, cycles",
                "32 bytes", "paper, cycles", "10^6/(c s)", "context", "stack")  # fmt: skip
    found = [row for row in rows if row["package"].removeprefix("shabal/") == row["architecture"]]
    lines = []
    for row in (one for one in found if one["target"] != "native"):
        paper = row["published_bytes"]
        saved = f"{100 - 100 * int(row['bytes']) / int(paper):.0f} %" if paper else "-"
        lines.append(
            (f"`{row['package']}`", row["bytes"], paper or "-", saved, row["unit"],
             f"{float(row['long_per_byte']):.2f}", row["published_long_cycles"] or "-",
             row["short"], row["published_short_cycles"] or "-",
             f"{float(row['ratio']):.1f}", row["context"], row["stack"])
        )  # fmt: skip
    return table(headings, lines)


def grid(rows: Sequence[Row], field: str) -> str:
    """Show one figure of all portable packages on all targets but this machine."""
    by_place = {(row["package"], row["target"]): row for row in rows}
    lines = []
    for target in (one.name for one in catalogue() if one.counts):
        cells = [_cell(by_place.get((one.selector, target)), field) for one in PORTABLE]
        lines.append((f"`{target}`", *cells))
    return table(("target", *(f"`{one.selector}`" for one in PORTABLE)), lines)


def _cell(row: Row | None, field: str) -> str:
    if row is None or not row[field]:
        return "-"
    value = row[field] if field == "bytes" else f"{float(row[field]):.1f}"
    return f"{value} !" if row["problems"] and field == "bytes" else value


def memory(rows: Sequence[Row]) -> str:
    """Show context and stack of all portable packages on two targets."""
    by_place = {(row["package"], row["target"]): row for row in rows}
    headings = [f"`{name}`, {what}" for name in MEMORY_ON for what in ("context", "stack")]
    lines = []
    for one in PORTABLE:
        found = [by_place[one.selector, name] for name in MEMORY_ON]
        figures = [row[what] for row in found for what in ("context", "stack")]
        lines.append((f"`{one.selector}`", *figures))
    return table(("package", *headings), lines)


def written(page: str, rows: Sequence[Row]) -> str:
    """Replace the tables of the page."""
    parts = {"shabal": shabal(rows), "bytes": grid(rows, "bytes"),
             "steps": grid(rows, "long_per_byte"), "memory": memory(rows)}  # fmt: skip
    for name, text in parts.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        before, _, rest = page.partition(begin)
        _, _, behind = rest.partition(end)
        page = f"{before}{begin}{text}\n{end}{behind}"
    return page
