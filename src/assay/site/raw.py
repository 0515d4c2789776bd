# SPDX-License-Identifier: MIT
"""The data behind a primitive's pages, and the page that compares any two of its results."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import msgspec
from markupsafe import Markup
from msgspec.structs import asdict

from assay.report.formats.data_files import csv_of
from assay.report.printable import natural, printable
from assay.site.names import Key, primitive_at
from assay.site.page import Known, page
from assay.site.views import PrimitiveEntries, SiteContest, SiteEntry, SiteRank
from assay.site.writer import Page
from assay.stats.comparison import Comparison, compare_all

COLUMNS = ("machine", "implementation", "version", "variant", "configuration", "target", "league",
           "verdict", "measured", "measure", "sizes", "size", "unit", "median", "low", "high",
           "launches", "nanoseconds", "text", "data", "bss")  # fmt: skip
FORMAT = 1
LINES = "database-lines.txt"
MOST = 10  # implementations whose pairs the page lists


def raw_pages(key: Key, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    """Yield the files of data of a primitive."""
    at = primitive_at(key)
    yield f"{at}/data.csv", "".join((csv_of((COLUMNS,)), *_lines(entries, known)))
    yield f"{at}/data.json", _json(key, entries, known)
    lines = [line for one in entries for line in one.cell.lines]
    if lines:
        yield f"{at}/{LINES}", "\n".join([*lines, ""])


def _lines(entries: Sequence[SiteEntry], known: Known) -> Iterator[str]:
    """Yield a line of the CSV file for each figure: texts are escaped once for all lines."""
    for one in entries:
        cell = one.cell
        about = _words(
            known.labels[one.machine], cell.selector, cell.version, cell.variant,
            cell.configuration, cell.target, cell.league, cell.verdict, cell.ended,
        )  # fmt: skip
        sizes = ",".join(map(str, cell.bytes or ("", "", "")))
        for figure in cell.figures:
            what = _words(figure.measure, figure.sizes, figure.size, figure.text)
            low, high = figure.interval
            nanoseconds = figure.nanoseconds
            time = f"{nanoseconds:.6g}" if nanoseconds else ""
            yield (
                f"{about},{what},{figure.middle:.6g},{low:.6g},{high:.6g},"
                f"{len(figure.values)},{time},{sizes}\n"
            )


@lru_cache(maxsize=4096)
def _words(*values: Any) -> str:
    """Write the beginning of a line, without its end."""
    return csv_of((values,)).removesuffix("\n")


def _json(key: Key, entries: Sequence[SiteEntry], known: Known) -> str:
    """Write all that is known, launch by launch."""
    rows = []
    for one in entries:
        record = asdict(one.cell)
        del record["diagnostics"], record["lines"]
        rows.append({"machine": one.machine, **record})
    document = {
        "format": FORMAT, "direction": "lower is better", "operation": key[0],
        "primitive": key[1], "machines": {one: known.labels[one]
                                          for one in sorted({one.machine for one in entries})},
        "results": rows,
    }  # fmt: skip
    return msgspec.json.encode(document).decode() + "\n"


def comparable(entries: Sequence[SiteEntry], known: Known) -> dict[str, Any]:
    """Return what the script of the page that compares needs: the figure that ranks, by launch."""
    facts: dict[int, Mapping[str, str]] = {}
    rows = []
    places: dict[tuple[int, str], int] = {}
    for one in entries:
        figure = one.figure if one.cell.sound else None
        if figure is None or figure.spread:
            continue
        place = places.setdefault((one.source, one.machine), len(places))
        facts[place] = known.facts[one.source, one.machine].settings
        rows.append([
            one.cell.implementation, one.cell.configuration, known.labels[one.machine],
            one.cell.ended[:16], place, figure.text, [float(f"{v:.5g}") for v in figure.values],
            figure.hertz and round(figure.hertz), one.cell.command, one.cell.version[:16],
        ])  # fmt: skip
    return {"facts": [facts[place] for place in range(len(places))], "rows": rows}


def compare_pages(key: Key, entries: PrimitiveEntries, known: Known) -> Iterator[Page]:
    """Yield the page of a primitive that compares."""
    held = sorted(
        entries.contests, key=lambda one: (-len(one.rows), natural(known.labels[one.machine]))
    )
    first = next((one for one in held if len(_comparable(one)) > 1), None)
    yield page(
        f"{primitive_at(key)}/compare.html",
        "compare.html.j2",
        name=printable(key[1]),
        machine=known.labels[first.machine] if first else "",
        pairs=_pairs(first) if first else [],
        data=_data(comparable(entries, known)),
    )


def _data(found: dict[str, Any]) -> Markup:
    """Write JSON that ends no element and starts none, whatever somebody is called."""
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=True)
    for one in "<>&":
        text = text.replace(one, f"\\u{ord(one):04x}")
    return Markup(text)  # noqa: S704 - it has no character left that means anything in HTML


def _comparable(contest: SiteContest) -> list[SiteRank]:
    rows = [one for one in contest.rows if len(one.figure.values) > 1 and not one.figure.spread]
    return [one for one in rows if one.figure.text == rows[0].figure.text][:MOST]


def _pairs(contest: SiteContest) -> list[tuple[SiteRank, SiteRank, Comparison]]:
    """Compare all pairs of a contest."""
    pairs = list(combinations(_comparable(contest), 2))
    if any(min(one.figure.values + other.figure.values) <= 0 for one, other in pairs):
        return []
    values = [(one.figure.values, other.figure.values) for one, other in pairs]
    found = compare_all(values, detectable=False)
    return [(*pair, one) for pair, one in zip(pairs, found, strict=True)]
