# SPDX-License-Identifier: MIT
"""The tables of docs/reference/soundness.md, which `./scripts/docs` writes."""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import ORDER, rows  # type: ignore[import-not-found]
from predecessors import (  # type: ignore[import-not-found]
    NAMES,
    attack_cell,
    attack_line,
    attacked,
    cells,
    outcomes,
    summary,
)

ROOT = Path(__file__).resolve().parents[3]
ATTACKS = ROOT / "tests" / "whole" / "hostile" / "attacks.toml"
FAULTS = ROOT / "docs" / "notes" / "faults.md"
MADE = "<!-- {}: made by ./scripts/docs -->\n"
END = "<!-- end of {} -->\n"
NOTHING = "it gains nothing: same verdicts as the honest toy"


def defects() -> str:
    """Write counts by family, then a row for each broken package."""
    found, known = rows(), outcomes()
    apis = sorted({one.api for one in found})
    counts = Counter((one.family, one.api) for one in found)
    lines = [f"{len(found)} broken packages.\n", f"| family | {' | '.join(apis)} | all |",
             "|---|" + "---|" * (len(apis) + 1)]  # fmt: skip
    for family in ORDER:
        numbers = [counts[family, api] for api in apis]
        lines.append(f"| {family} | {' | '.join(map(str, numbers))} | {sum(numbers)} |")
    heads = ("family", "defect", "API", "caught by", "runs", *NAMES.values())
    lines += ["", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for one in found:
        runs = "`--deep`" if one.deep else "always"
        check = ", ".join(f"`{name}`" if "/" in name else name for name in one.check.split(", "))
        row = (one.family, one.defect, one.api, check, runs, *cells(one, known))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def predecessors() -> str:
    """Write what predecessors stop, and how much of it."""
    return "\n".join(summary(rows(), outcomes())) + "\n"


def attacks() -> str:
    """Write a row for each hostile package."""
    found = tomllib.loads(ATTACKS.read_text(encoding="utf-8"))["attack"]
    known = attacked()
    heads = ("attack", "when", "aim", "Assay", NAMES["eSTREAM"])
    lines = [attack_line(known), "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for one in found:
        when = {"compile": "compiled", "run": "run"}[one["when"]]
        there = attack_cell(*known[one["name"]])
        row = (one["name"], when, one["tries"], _comes_to(one), there)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _comes_to(attack: Mapping[str, Any]) -> str:
    expected: str = {**attack, **attack.get("expect", {})}["outcome"]
    if "figure" in attack:
        return "it passes but gets no figure: `measures/run`"
    wanted, _, rest = expected.partition("|")
    if wanted == "unchanged":
        return NOTHING + (", or it fails with a reason" if rest else "")
    if expected.startswith("package:"):
        return "it is refused and never built"
    check = re.match(r"([a-z]+/[a-z]+):", expected)
    return f"it fails: `{check[1]}`" if check else "it fails; the reason says what was seen"


def faults() -> str:
    """Return the table of docs/notes/faults.md."""
    _, _, text = FAULTS.read_text(encoding="utf-8").partition("\n| fault |")
    return "| fault |" + text.partition("\n\n")[0] + "\n"


TABLES: Mapping[str, Callable[[], str]] = {
    "rows": defects,
    "predecessors": predecessors,
    "attacks": attacks,
    "faults": faults,
}


def page(old: str) -> str:
    """Put the tables into the page."""
    for name, table in TABLES.items():
        begin, end = MADE.format(name), END.format(name)
        before, _, rest = old.partition(begin)
        old = before + begin + "\n" + table() + "\n" + end + rest.partition(end)[2]
    return old
