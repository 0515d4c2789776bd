# SPDX-License-Identifier: MIT
"""The page that compares any two results of a primitive, and its pairs without a script."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from markupsafe import Markup

from assay.report.printable import printable
from assay.site.names import Key, primitive_at
from assay.site.page import Known, Page, page
from assay.site.raw import comparable
from assay.site.views import SiteContest, SiteEntry, SiteRank, contests
from assay.stats.comparison import Comparison, compare_all

MOST = 10  # implementations whose pairs the page lists
LEVEL = 0.05


def compare_pages(key: Key, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    """Yield the page of a primitive that compares."""
    held = sorted(contests(entries), key=lambda one: (-len(one.rows), known.labels[one.machine]))
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


def _pairs(contest: SiteContest) -> list[dict[str, Any]]:
    """Compare all pairs of a contest."""
    pairs = list(combinations(_comparable(contest), 2))
    if any(min(one.figure.values + other.figure.values) <= 0 for one, other in pairs):
        return []
    found = compare_all([(one.figure.values, other.figure.values) for one, other in pairs])
    return [_pair(*pair, one) for pair, one in zip(pairs, found, strict=True)]


def _pair(first: SiteRank, second: SiteRank, found: Comparison) -> dict[str, Any]:
    return {
        "first": printable(first.cell.implementation),
        "second": printable(second.cell.implementation),
        "change": found.change_percent,
        "low": found.interval.low_percent if found.interval else None,
        "high": found.interval.high_percent if found.interval else None,
        "answer": found.answer.value,
    }
