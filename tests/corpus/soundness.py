# SPDX-License-Identifier: MIT
"""Writes docs/soundness.md: `python tests/corpus/soundness.py`."""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from families import ORDER, rows  # type: ignore[import-not-found]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "soundness.md"
BEGIN, END = "<!-- rows: made by tests/corpus/soundness.py -->\n", "<!-- end of rows -->\n"


def table() -> str:
    """Write counts by family, then a row for each broken package."""
    found = rows()
    apis = sorted({one.api for one in found})
    counts = Counter((one.family, one.api) for one in found)
    lines = [f"{len(found)} broken packages.\n", f"| family | {' | '.join(apis)} | all |",
             "|---|" + "---|" * (len(apis) + 1)]  # fmt: skip
    for family in ORDER:
        numbers = [counts[family, api] for api in apis]
        lines.append(f"| {family} | {' | '.join(map(str, numbers))} | {sum(numbers)} |")
    lines += ["", "| family | defect | API | caught by | asked |", "|---|---|---|---|---|"]
    for one in found:
        asked = "`--deep`" if one.deep else "always"
        check = ", ".join(f"`{name}`" if "/" in name else name for name in one.check.split(", "))
        lines.append(f"| {one.family} | {one.defect} | {one.api} | {check} | {asked} |")
    return "\n".join(lines) + "\n"


def page(old: str) -> str:
    """Put the table into the page."""
    before, _, rest = old.partition(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
