# SPDX-License-Identifier: MIT
"""A comparison in the terminal, and as JSON."""

import json
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay.model import Direction
from assay.report.compare.answers import Compared, Row
from assay.report.compare.series import Series
from assay.report.compare.words import (
    answer_text,
    digits,
    doubts,
    figure_unit,
    name_of,
    witness_text,
)
from assay.report.printable import printable
from assay.stats.comparison import Answer

FORMAT = 1
STYLES = {Answer.FASTER: "green", Answer.SLOWER: "red", Answer.UNKNOWN: "yellow"}


def title(compared: Compared) -> str:
    """Say what is compared with what."""
    return f"B = {compared.second.text} against A = {compared.first.text}"


def method(compared: Compared) -> str:
    """Say how, and with what confidence."""
    share = 100 * compared.confidence
    return (
        f"Per cent of A's time; Mann-Whitney over launches, Hodges-Lehmann shift, "
        f"{share:g} % confidence for the table (Benjamini-Hochberg). "
        f"{Direction.LOWER.value.capitalize()}."
    )


def comparison_table(compared: Compared) -> RenderableType:
    """Lay out the answers, the doubts below them."""
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    headings = shown_columns(compared)
    for heading in headings:
        right = heading in {"A", "B"}
        grid.add_column(heading, justify="right" if right else "left", no_wrap=right)
    for row in compared.rows:
        style = "bold red" if row.too_slow else STYLES.get(row.comparison.answer, "")
        words = row_words(row)
        cells = (
            Text(printable(words[heading]), style=style if heading == "B against A" else "")
            for heading in headings
        )
        grid.add_row(*cells)
    said = [Text(f"Beware: {printable(each)}", style="yellow") for each in doubts(compared)]
    return Group(
        Text(summary(compared), style="bold"),
        Text(printable(title(compared)), style="dim"),
        grid,
        Text(method(compared), style="dim"),
        *said,
        *gate(compared),
    )


def gate(compared: Compared) -> list[Text]:
    """Say whether the threshold was kept."""
    if compared.threshold_percent is None:
        return []
    count = sum(row.too_slow for row in compared.rows)
    limit = f"{compared.threshold_percent:g} %"
    if count:
        return [Text(f"{count} rows are slower by more than {limit}.", style="bold red")]
    return [Text(f"Nothing was shown to be slower by more than {limit}.", style="green")]


def summary(compared: Compared) -> str:
    """Say in a sentence what was found for how many measures."""
    found = [row.comparison for row in compared.rows if not row.same_code]
    answers = [one.answer for one in found]
    said = []
    for answer in (Answer.SLOWER, Answer.FASTER):
        changes = sorted(abs(one.change_percent) for one in found if one.answer is answer)
        if changes:
            low, high = digits(changes[0]), digits(changes[-1])
            span = low if low == high else f"{low} to {high}"
            said.append(f"{answer.value} by {span} %{_share(len(changes), compared)}")
    same = answers.count(Answer.SAME)
    unknown = answers.count(Answer.UNKNOWN)
    shared = len(compared.rows) - len(answers)
    said += [f"no difference seen{_share(same, compared)}"] if same else []
    said += [f"cannot be said{_share(unknown, compared)}"] if unknown else []
    said += [f"the same machine code{_share(shared, compared)}"] if shared else []
    return f"B against A: {'; '.join(said)}."


def _share(count: int, compared: Compared) -> str:
    """Say for how many measures, unless it is for all."""
    whole = len(compared.rows)
    return "" if count == whole else f" for {count} of {whole} measures"


def shown_columns(compared: Compared) -> tuple[str, ...]:
    """Choose the columns that say anything that the title does not."""
    words = [row_words(row) for row in compared.rows]
    always = {"measure", "A", "B", "unit", "B against A"}
    titled = _both(compared.first.text, compared.second.text)
    return tuple(
        key
        for key in words[0]
        if key in always or any(one[key] not in {"", titled} for one in words)
    )


def row_words(row: Row) -> dict[str, str]:
    """Write one row, by column; empty where there is nothing to say."""
    first, second = row.first, row.second
    return {
        "implementation": _both(name_of(first), name_of(second)),
        "configuration": _both(_configuration(first), _configuration(second)),
        "target": "" if first.target == "native" else first.target,
        "sizes": first.sizes,
        "measure": first.measure,
        "A": f"{row.figures[0]:.2f}",
        "B": f"{row.figures[1]:.2f}",
        "unit": figure_unit(row),
        "B against A": answer_text(row),
        "n": "" if first.counts else _both(*map(str, row.comparison.launches)),
        "second witness": witness_text(row.witness),
    }


def comparison_json(compared: Compared) -> str:
    """Write everything that is known, keys in a fixed order."""
    document = {
        "format": FORMAT,
        "direction": Direction.LOWER.value,
        "a": compared.first.text,
        "b": compared.second.text,
        "confidence": compared.confidence,
        "threshold_percent": compared.threshold_percent,
        "failed": compared.failed,
        "doubts": list(doubts(compared)),
        "rows": [_record(row) for row in compared.rows],
    }
    return json.dumps(document, indent=1) + "\n"


def _record(row: Row) -> dict[str, Any]:
    """Describe one row."""
    return {
        "a": _side(row.first),
        "b": _side(row.second),
        "target": row.first.target,
        "sizes": row.first.sizes,
        "measure": row.first.measure,
        "unit": figure_unit(row),
        "figures": list(row.figures),
        **asdict(row.comparison),
        "same_code": row.same_code,
        "in_turn": row.in_turn,
        "exact": bool(row.first.counts),
        "witness": asdict(row.witness) if row.witness else None,
        "too_slow": row.too_slow,
        "text": answer_text(row),
    }


def _side(series: Series) -> dict[str, Any]:
    """Describe one side of a row."""
    return {
        "machine": series.machine,
        "implementation": series.implementation,
        "variant": series.variant,
        "configuration": series.configuration,
        "counter": series.counter,
    }


def _configuration(series: Series) -> str:
    """Name a configuration briefly."""
    return min(series.names, key=len)


def _both(first: str, second: str) -> str:
    """Write one name, or both."""
    return first if first == second else f"{first} : {second}"
