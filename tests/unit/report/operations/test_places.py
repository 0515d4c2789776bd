# SPDX-License-Identifier: MIT
"""Places in the tables of operations: what is not separated shares one, in every form."""

import csv
import io
import json

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.report.operations.conftest import OWN, measured, records_of, subject

from assay.model import Counter
from assay.model.supercop import Measurement
from assay.report.curves import Choice, Records
from assay.report.formats.forms import WRITERS
from assay.report.formats.terminal import render
from assay.report.operations import operation_report

# The medians of five launches, in per cent of the figure: 0.4 % is not separated, 10 % is.
SPREAD = (0.99, 0.995, 1.0, 1.005, 1.01)
MEDIANS = {"a": 1000, "b": 1004, "c": 1100}


def table(launches: int = 5) -> Records:
    """Give three hash functions at 576 bytes and at 4096, and one of the lesser league."""
    return records_of(measurements(launches))


def measurements(launches: int = 5) -> tuple[Measurement, ...]:
    """Give what they were measured at."""
    found = []
    for primitive, median in (*MEDIANS.items(), ("d", 1000)):
        whose = subject("crypto_hash", f"{primitive}/ref", leaks=primitive == "d")
        for size, factor in ((576, 1), (4096, 7)):
            one = measured(whose, "cycles", size, median * factor, OWN)
            medians = tuple(median * factor * each for each in SPREAD[:launches])
            found.append(replace(one, launches=launches, medians=medians))
    return tuple(found)


def export_operation(
    records: Records, operation: str, form: str, choice: Choice | None = None
) -> str:
    """Write the tables of an operation in a form."""
    return WRITERS[form](operation_report(records, [operation], choice, form))


def shown(records: Records, size: int | None = None) -> list[list[str]]:
    """Give the words of each line in a wide terminal."""
    console = Console(width=200, file=io.StringIO(), highlight=False)
    report = operation_report(records, ["crypto_hash"], Choice(size))
    console.print(render(report, console))
    assert isinstance(console.file, io.StringIO)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_the_slide_has_shared_places_league_by_league() -> None:
    """Quartiles first, as on the slides."""
    lines = shown(table(), 576)
    assert lines[1][0] == "constbranchindex:"
    assert lines[2][:5] == ["25%", "50%", "75%", "place", "name"]
    assert lines[6][0] == "timingleaks:"
    places = [(line[3], line[4]) for line in (*lines[3:6], lines[7])]
    assert places == [("1-2", "a"), ("1-2", "b"), ("3", "c"), ("1", "T:d")]
    assert any("ranks that are not separated share one" in " ".join(line) for line in lines)


@pytest.mark.parametrize("form", ["terminal", "latex", "markdown", "html"])
def test_leagues_have_headings_and_places_of_their_own(form: str) -> None:
    """Otherwise a column of places reads 1-2, 1-2, 3, 1."""
    report = operation_report(table(), ["crypto_hash"], Choice(576))
    if form == "terminal":
        text = "\n".join(" ".join(line) for line in shown(table(), 576))
    else:
        text = WRITERS[form](report)
    first, second = text.index("constbranchindex: declared"), text.index("timingleaks: not")
    assert first < text.index("1-2" if form != "latex" else "1--2") < second < text.rindex("T:d")


def test_one_league_needs_no_heading() -> None:
    """Nor does a table of ciphers."""
    safe = records_of(one for one in measurements() if one.subject.primitive != "d")
    assert "constbranchindex:" not in " ".join(" ".join(line) for line in shown(safe, 576))


def test_the_overview_has_the_places_of_the_size_that_decides() -> None:
    """It says which size that is."""
    lines = shown(table())
    first = next(line for line in lines if "a" in line)
    assert first[first.index("a") - 1] == "1-2"
    assert any("Places are those for 576 bytes." in " ".join(line) for line in lines)


def test_three_launches_give_no_places() -> None:
    """They separate nothing; the note says what to do."""
    lines = shown(table(3), 576)
    assert lines[2][:4] == ["25%", "50%", "75%", "name"]
    assert any("too few launches of" in " ".join(line) for line in lines)


def test_no_implementation_has_a_place_in_a_league_where_one_is_not_settled() -> None:
    """The other league has; the note names the implementation and the command."""
    known = [
        replace(one, launches=1, medians=one.medians[:1]) if one.subject.primitive == "a" else one
        for one in measurements()
    ]
    records = records_of(known)
    rows = json.loads(export_operation(records, "crypto_hash", "json"))["tables"][0]["rows"]
    assert [row["place"] for row in rows] == [None, None, None, [1, 1]]
    for size in (576, None):
        text = " ".join(" ".join(line) for line in shown(records, size))
        assert "too few launches of crypto_hash/a/ref to be told from any other" in text
        assert "`assay run crypto_hash/a/ref --launches 4`" in text


def test_a_figure_of_one_launch_does_not_stand_for_a_primitive_that_has_others() -> None:
    """With many configurations one of them is lucky, and nobody can tell its place."""
    lucky = [
        replace(
            one,
            subject=replace(one.subject, compiler=f"{one.subject.compiler} -lucky"),
            launches=1,
            medians=tuple(each * 0.9 for each in one.medians[:1]),
            values=tuple(each * 9 // 10 for each in one.values),
        )
        for one in measurements()
        if one.subject.primitive == "a"
    ]
    alone = shown(records_of(measurements()), 576)
    assert shown(records_of([*measurements(), *lucky]), 576) == alone
    assert "-lucky" in " ".join(" ".join(line) for line in shown(records_of(lucky), 576))


def test_counts_of_an_emulator_need_no_launches_for_a_place() -> None:
    """They are exact: only equal ones share a place, as in comparisons and on the site."""
    counter = Counter("QEMU", 0, 0.0, None, None, "instructions")
    counts = tuple(
        replace(one, unit="instructions", exact=True, counter=counter, points=one.points[:1],
                launches=1, q1=one.median, q3=one.median)
        for one in table().series
    )  # fmt: skip
    rows = json.loads(export_operation(Records(counts), "crypto_hash", "json", Choice(576)))
    places = [row["place"] for row in rows["tables"][0]["rows"]]
    assert places == [[1, 1], [2, 2], [3, 3], [1, 1]]


def test_published_figures_without_processes_have_no_place() -> None:
    """Nobody can say how far they would lie apart when measured again."""
    records = records_of(replace(one, medians=()) for one in measurements())
    assert "place" not in shown(records, 576)[1]
    rows = json.loads(export_operation(records, "crypto_hash", "json"))["tables"][0]["rows"]
    assert {row["place"] for row in rows} == {None}


def test_exports_have_the_places() -> None:
    """Two numbers in JSON, text in CSV, a dash in LaTeX."""
    choice = Choice(576)
    forms = {form: export_operation(table(), "crypto_hash", form, choice)
             for form in ("csv", "json", "latex")}  # fmt: skip
    rows = json.loads(forms["json"])["tables"][0]["rows"]
    assert [row["place"] for row in rows] == [[1, 2], [1, 2], [3, 3], [1, 1]]
    lines = list(csv.DictReader(io.StringIO(forms["csv"])))
    assert [line["place"] for line in lines] == ["1-2", "1-2", "3", "1"]
    assert "& 1--2 & a &" in forms["latex"]
    assert "{rrrrl" in forms["latex"]


def test_long_messages_are_compared_process_by_process() -> None:
    """The slope of each launch is one value: a and b share a place, c has its own."""
    rows = json.loads(export_operation(table(), "crypto_hash", "json", Choice("long")))
    assert [row["place"] for row in rows["tables"][0]["rows"]] == [[1, 2], [1, 2], [3, 3], [1, 1]]
