# SPDX-License-Identifier: MIT
"""Figures as programs read them that keep histories of benchmarks."""

import json
import re
from collections.abc import Callable, Iterable

from prometheus_client import Metric
from prometheus_client.openmetrics import parser

from assay.model import CheckResult, Verdict
from assay.report.ci.figure_forms import (
    bencher_text,
    benchfmt_text,
    benchmark_action_text,
    openmetrics_text,
)
from assay.report.ci.records import CellVerdict, Harvest, PackageFigure
from assay.report.ci.verdict_forms import junit_text

TIMED = PackageFigure(
    "toy/ref",
    "packet/40",
    "cycles/byte",
    4.5,
    4.25,
    5.0,
    (4.25, 4.5, 5.0),
    "gcc O2",
    machine='vm "a"\\b',
)
COUNTED = PackageFigure("toy/ref", "code/text", "bytes", 1234, target="avr", exact=True)
FOUND = Harvest(metrics=(TIMED, COUNTED))
# golang.org/design/14313-benchmark-format, and the unit lines of golang.org/x/perf/benchfmt
CONFIGURATION = re.compile(r"[a-z][^\sA-Z]*:( .*)?")
Read = Callable[[str], Iterable[Metric]]
UNIT = re.compile(r"Unit \S+( [a-z]+=\S+)+")
RESULT = re.compile(r"Benchmark[^\sa-z]\S* \d+( -?\d\S* \S+)+")


def families_of(text: str) -> list[Metric]:
    """Read a document as Prometheus does."""
    read: Read = parser.text_string_to_metric_families
    return list(read(text))


def test_benchfmt_has_a_line_for_each_launch() -> None:
    """Intervals are made of repeated lines; units say that lower is better."""
    lines = benchfmt_text(FOUND).splitlines()
    forms = (CONFIGURATION, UNIT, RESULT)
    assert all(any(form.fullmatch(line) for form in forms) for line in lines), lines
    name = "BenchmarkAssay/package=toy:ref/measure=packet:40/configuration=gcc_O2"
    assert [line for line in lines if line.startswith(name)] == [
        f"{name} 1 4.25 cycles/byte",
        f"{name} 1 4.5 cycles/byte",
        f"{name} 1 5 cycles/byte",
    ]
    assert "Unit bytes better=lower assume=exact" in lines
    assert "Unit cycles/byte better=lower" in lines


def test_bencher_has_the_quartiles_of_what_was_timed() -> None:
    """Numbers by benchmark and measure, as its metric format has them; nothing unknown is 0."""
    assert json.loads(bencher_text(FOUND)) == {
        "toy/ref packet/40 gcc O2": {
            "cycles per byte": {"value": 4.5, "lower_value": 4.25, "upper_value": 5.0}
        },
        "toy/ref code/text avr": {"bytes": {"value": 1234}},
    }


def test_benchmark_action_gets_a_list_of_names_units_and_values() -> None:
    """Types as its own reader wants them: texts, a number, and a text for the range."""
    first, second = json.loads(benchmark_action_text(FOUND))
    assert (first["name"], first["unit"], first["value"]) == (
        "toy/ref packet/40 gcc O2",
        "cycles/byte",
        4.5,
    )
    assert first["range"] == "4.25 to 5"
    assert second == {
        "name": "toy/ref code/text avr",
        "unit": "bytes",
        "value": 1234,
        "extra": "avr",
    }


def test_openmetrics_is_read_by_prometheus(tmp_path: object) -> None:
    """Labels keep quotes and backslashes, quartiles have a label, verdicts are counted."""
    checks = (CheckResult("a/b", Verdict.FAIL), CheckResult("a/c", Verdict.PASS))
    cell = CellVerdict("toy/ref", tmp_path, checks)  # type: ignore[arg-type]
    text = openmetrics_text(Harvest((cell,), (TIMED,)))
    families = {one.name: one for one in families_of(text)}
    counts = {one.labels["verdict"]: one.value for one in families["assay_checks"].samples}
    assert counts == {"pass": 1, "fail": 1, "open": 0, "finding": 0, "skipped": 0}
    figures = families["assay_figure"].samples
    assert {one.labels["quartile"]: one.value for one in figures} == {"1": 4.25, "2": 4.5, "3": 5}
    assert {one.labels["machine"] for one in figures} == {'vm "a"\\b'}


def test_nothing_found_is_an_empty_document_of_each_format() -> None:
    """A command that found nothing still writes what its reader can read."""
    assert families_of(openmetrics_text(Harvest())) == []
    assert json.loads(bencher_text(Harvest())) == {}
    assert json.loads(benchmark_action_text(Harvest())) == []
    assert 'tests="0"' in junit_text(Harvest())
