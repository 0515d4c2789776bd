# SPDX-License-Identifier: MIT
"""The table of a comparison: the answers, what makes them doubtful, and the threshold."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import asdict

from assay.model import Direction
from assay.model.series import Series
from assay.report.compare.answers import Compared, ComparedMeasure
from assay.report.compare.words import (
    UNTRUSTED,
    answer_text,
    digits,
    doubts,
    figure_unit,
    name_of,
    witness_text,
)
from assay.report.table import Column, Note, Report, Style, Table, TableRow, numeric
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
SIDES = ("machine", "implementation", "variant", "configuration", "counter")
KEYS = (
    *("target", "sizes", "measure", "unit"),
    *(f"{side}_{name}" for side in "ab" for name in SIDES),
    *("a", "b", "answer", "change_percent", "low_percent", "high_percent"),
    *("interval_confidence", "p", "adjusted_p", "detectable_percent", "a_launches"),
    *("b_launches", "needed", "same_code", "in_turn", "exact", "witness_target"),
    *("witness_counts", "witness_change_percent", "too_slow", "text"),
)


def _answer_style(values: Mapping[str, Any]) -> Style:
    if values["too_slow"]:
        return Style.FAIL
    return STYLES.get(values["answer"], Style.PLAIN)


def _reader(key: str, heading: str) -> Column:
    """Make a column that is left out where it says nothing, or what the title says."""
    return Column(key, heading, text=str, optional=True, exported=False)


SHOWN = (
    _reader("implementations", "implementation"),
    _reader("configurations", "configuration"),
    _reader("where", "target"),
    _reader("sizes", "sizes"),
    _reader("measure", "measure"),
    numeric("a", "A", 2),
    numeric("b", "B", 2),
    _reader("unit", "unit"),
    Column("text", "B against A", style=_answer_style, exported=False),
    _reader("n", "n"),
    _reader("witness", "second witness"),
    *map(Column, KEYS),
)


def comparison_report(compared: Compared) -> Report:
    """Make the table, with what a reader must know of it."""
    titled = _both(compared.first.text, compared.second.text)
    table = Table(
        f"B = {compared.second.text} against A = {compared.first.text}",
        "",
        SHOWN,
        tuple(_line(row, titled) for row in compared.rows),
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
        "rows": [_record(row) for row in compared.rows],
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


def _line(row: ComparedMeasure, titled: str) -> TableRow:
    """Write one row; empty where there is nothing that the title does not say."""
    first, second, found = row.first, row.second, row.comparison
    implementations = _both(name_of(first), name_of(second))
    configurations = _both(_configuration(first), _configuration(second))
    record = _record(row)
    sides = {f"{side}_{key}": value for side in "ab" for key, value in record[side].items()}
    values = {
        **record,
        **sides,
        "a": row.figures[0],
        "b": row.figures[1],
        "low_percent": found.interval and found.interval.low_percent,
        "high_percent": found.interval and found.interval.high_percent,
        "a_launches": found.launches[0],
        "b_launches": found.launches[1],
        **{f"witness_{key}": value for key, value in (record["witness"] or {}).items()},
        "implementations": "" if implementations == titled else implementations,
        "configurations": "" if configurations == titled else configurations,
        "where": "" if first.target == "native" else first.target,
        "n": "" if first.counts else _both(*map(str, found.launches)),
        "witness": witness_text(row.witness),
    }
    return TableRow(values)


def _record(row: ComparedMeasure) -> dict[str, Any]:
    """Describe one row."""
    return {
        "a": _side(row.first),
        "b": _side(row.second),
        "target": row.first.target,
        "sizes": row.first.sizes_text,
        "measure": row.first.measure,
        "unit": figure_unit(row),
        "figures": list(row.figures),
        **asdict(row.comparison),
        "same_code": row.same_code,
        "in_turn": row.in_turn,
        "exact": bool(row.first.counts),
        "witness": row.witness
        and {
            "target": row.witness.first.target,
            "counts": row.witness.first.counts,
            "change_percent": row.witness.comparison.change_percent,
        },
        "too_slow": row.too_slow,
        "undecided": row.undecided,
        "text": answer_text(row),
    }


def _side(series: Series) -> dict[str, Any]:
    """Describe one side of a row."""
    named = (series.machine, series.implementation, series.subject.variant)
    return dict(zip(SIDES, (*named, series.configuration.name, series.clock), strict=True))


def _configuration(series: Series) -> str:
    """Name a configuration briefly."""
    return min(series.names, key=len)


def _both(first: str, second: str) -> str:
    """Write one name, or both."""
    return first if first == second else f"{first} : {second}"
