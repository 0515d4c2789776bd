# SPDX-License-Identifier: MIT
"""The table of a comparison: the answers, what makes them doubtful, and the threshold."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.model import NATIVE_NAME, Direction
from assay.model.series import Series
from assay.report.compare.answers import Compared, ComparedMeasure
from assay.report.compare.words import (
    UNTRUSTED,
    answer_text,
    doubts,
    figure_unit,
    name_of,
    witness_text,
)
from assay.report.table import (
    Column,
    Note,
    Report,
    Style,
    Table,
    TableRow,
    decimals,
    digits,
    values_of,
)
from assay.stats.comparison import Answer

STYLES = {
    Answer.FASTER: Style.FASTER,
    Answer.SLOWER: Style.SLOWER,
    Answer.UNKNOWN: Style.OPEN,
    Answer.UNTRUSTED: Style.OPEN,
}
UNDECIDED = {
    Answer.SAME: "no difference seen",
    Answer.UNKNOWN: "cannot be said",
    Answer.UNTRUSTED: UNTRUSTED,
}
SIDES = {
    "machine": "machine",
    "implementation": "implementation",
    "variant": "subject.variant",
    "configuration": "configuration.name",
    "counter": "clock",
}
# What programs get besides what readers see, and where it is in a row.
PARTS: dict[str, str | Callable[[Any], Any]] = {
    **{f"{key}_{name}": f"{side}.{part}" for key, side in (("a", "first"), ("b", "second"))
       for name, part in SIDES.items()},
    **{name: f"comparison.{name}" for name in (
        *("answer", "change_percent", "interval_confidence", "p", "adjusted_p"),
        *("detectable_percent", "needed"),
    )},
    **{name: f"comparison.interval.{name}" for name in ("low_percent", "high_percent")},
    **{name: name for name in ("same_code", "in_turn", "too_slow", "undecided")},
    "exact": lambda row: bool(row.first.counts),
    "witness_target": "witness.first.target",
    "witness_counts": "witness.first.counts",
    "witness_change_percent": "witness.comparison.change_percent",
}  # fmt: skip


def _answer_style(values: Mapping[str, Any]) -> Style:
    if values["too_slow"]:
        return Style.FAIL
    return STYLES.get(values["answer"], Style.PLAIN)


def _columns(titled: str) -> tuple[Column, ...]:
    """Return the columns; names of both sides that are the title's are not repeated."""

    def both(key: str, name: Callable[[Series], str]) -> Column:
        def read(row: ComparedMeasure) -> str:
            found = _both(name(row.first), name(row.second))
            return "" if found == titled else found

        return Column(f"{key}s", key, optional=True, exported=False, of=read)

    return (
        both("implementation", name_of),
        both("configuration", _configuration),
        Column("target", "target", optional=True, of="first.target",
               text=lambda one: "" if one == NATIVE_NAME else one),
        Column("sizes", "sizes", optional=True, of="first.sizes_text"),
        Column("measure", "measure", of="first.measure"),
        Column("a", "A", True, decimals(2), of=lambda row: row.figures[0]),
        Column("b", "B", True, decimals(2), of=lambda row: row.figures[1]),
        Column("unit", "unit", of=figure_unit),
        Column("text", "B against A", style=_answer_style, of=answer_text),
        Column("launches", "n", text=lambda one: _both(*map(str, one)),
               of=lambda row: list(row.comparison.launches)),
        Column("witness", "second witness", text=str, optional=True, exported=False,
               of=lambda row: witness_text(row.witness)),
        *(Column(key, of=part) for key, part in PARTS.items()),
    )  # fmt: skip


def comparison_report(compared: Compared) -> Report:
    """Make the table, with what a reader must know of it."""
    columns = _columns(_both(compared.first.text, compared.second.text))
    table = Table(
        f"B = {compared.second.text} against A = {compared.first.text}",
        "",
        columns,
        tuple(TableRow(values_of(row, columns)) for row in compared.rows),
        (method(compared),),
    )
    said = doubts(compared)
    below = (*(Note(f"Beware: {each}", Style.OPEN) for each in said), *_gate(compared))
    facts = {
        "a": compared.first.text,
        "b": compared.second.text,
        "confidence": compared.confidence,
        "threshold_percent": compared.threshold_percent,
        "failed": compared.failed,
        "doubts": list(said),
    }
    return Report((table,), (Note(summary(compared), Style.LEAD),), below, facts)


def method(compared: Compared) -> str:
    """Describe how, and with what confidence."""
    share = 100 * compared.confidence
    looks = f", shared by {compared.looks} looks" if compared.looks > 1 else ""
    return (
        f"Per cent of A's time; Mann-Whitney over launches, Hodges-Lehmann shift, "
        f"{share:g} % confidence for the table (Benjamini-Hochberg{looks}). "
        f"{Direction.LOWER.value.capitalize()}."
    )


def summary(compared: Compared) -> str:
    """State in a sentence what was found for how many measures."""
    found = [row.comparison for row in compared.rows if not row.same_code]
    answers = [one.answer for one in found]
    said = []
    for answer in (Answer.SLOWER, Answer.FASTER):
        changes = sorted(abs(one.change_percent) for one in found if one.answer is answer)
        if changes:
            low, high = digits(changes[0]), digits(changes[-1])
            span = low if low == high else f"{low} to {high}"
            said.append(f"{answer.value} by {span} %{_share(len(changes), compared)}")
    shares = [(text, answers.count(answer)) for answer, text in UNDECIDED.items()]
    shares.append(("the same machine code", len(compared.rows) - len(answers)))
    said += [f"{text}{_share(count, compared)}" for text, count in shares if count]
    return f"B against A: {'; '.join(said)}."


def _gate(compared: Compared) -> Iterator[Note]:
    """Return whether the threshold was kept."""
    if compared.threshold_percent is None:
        return
    count = sum(row.too_slow for row in compared.rows)
    limit = f"{compared.threshold_percent:g} %"
    if compared.undecided:
        rows = sum(row.undecided for row in compared.rows)
        yield Note(f"{rows} rows could not be decided: {UNTRUSTED}.", Style.OPEN)
    if count:
        yield Note(f"{count} rows are slower by more than {limit}.", Style.FAIL)
    elif not compared.undecided:
        yield Note(f"Nothing was shown to be slower by more than {limit}.", Style.PASS)


def _share(count: int, compared: Compared) -> str:
    """State for how many measures, unless it is for all."""
    whole = len(compared.rows)
    return "" if count == whole else f" for {count} of {whole} measures"


def _configuration(series: Series) -> str:
    """Name a configuration briefly."""
    return min(series.names, key=len)


def _both(first: str, second: str) -> str:
    """Write one name, or both."""
    return first if first == second else f"{first} : {second}"
