# SPDX-License-Identifier: MIT
"""Figures for programs that keep them: benchfmt, Bencher, github-action-benchmark, OpenMetrics."""

import json
import re
from collections.abc import Iterator

from assay import __version__
from assay.model import NATIVE_NAME, Verdict
from assay.report.ci.records import Harvest, PackageFigure


def benchfmt_text(found: Harvest) -> str:
    """Write Go's benchmark format: a line for each launch, so that benchstat knows the spread."""
    return "".join(f"{line}\n" for line in _benchfmt(found.metrics))


def _benchfmt(metrics: tuple[PackageFigure, ...]) -> Iterator[str]:
    yield f"tool: assay {__version__}"
    machine = ""
    for unit in sorted({one.unit for one in metrics}):
        exact = " assume=exact" if all(one.exact for one in metrics if one.unit == unit) else ""
        yield f"Unit {_blank_free(unit)} better=lower{exact}"
    for one in metrics:
        if one.machine != machine:
            machine = one.machine
            yield f"machine: {machine}"
        for value in one.values or (one.value,):
            yield f"{_benchmark(one)} 1 {value:.10g} {_blank_free(one.unit)}"


def _benchmark(one: PackageFigure) -> str:
    """Name a benchmark; what is behind a slash is a key with a value."""
    parts = {
        "package": one.package,
        "measure": one.measure,
        "configuration": one.configuration,
        "target": "" if one.target == NATIVE_NAME else one.target,
    }
    said = (f"/{key}={_blank_free(text, ':')}" for key, text in parts.items() if text)
    return f"BenchmarkAssay{''.join(said)}"


def _blank_free(text: str, slash: str = "/") -> str:
    return re.sub(r"\s+", "_", text).replace("/", slash)


def bencher_text(found: Harvest) -> str:
    """Write Bencher Metric Format: benchmarks with a measure for each unit."""
    whole: dict[str, dict[str, dict[str, float]]] = {}
    for one in found.metrics:
        known = {"value": one.value, "lower_value": one.low, "upper_value": one.high}
        measure = {key: value for key, value in known.items() if value is not None}
        whole.setdefault(one.name, {})[one.unit.replace("/", " per ")] = measure
    return json.dumps(whole, indent=1) + "\n"


def benchmark_action_text(found: Harvest) -> str:
    """Write what github-action-benchmark reads as customSmallerIsBetter."""
    return json.dumps([_entry(one) for one in found.metrics], indent=1) + "\n"


def _entry(one: PackageFigure) -> dict[str, object]:
    spread = "" if one.low is None or one.high is None else f"{one.low:.4g} to {one.high:.4g}"
    more = {"range": spread} if spread and not one.exact else {}
    launches = f", {len(one.values)} launches" if one.values and not one.exact else ""
    extra = f"{one.machine or one.target}{launches}"
    return {"name": one.name, "unit": one.unit, "value": one.value, **more, "extra": extra}


def openmetrics_text(found: Harvest) -> str:
    """Write OpenMetrics: gauges of figures, and how many checks came to which verdict."""
    return "".join(f"{line}\n" for line in (*_gauges(found), "# EOF"))


def _gauges(found: Harvest) -> Iterator[str]:
    if found.verdicts:
        yield "# TYPE assay_checks gauge"
        yield "# HELP assay_checks How many checks of a cell came to a verdict."
    for cell in found.verdicts:
        where = {"package": cell.package, "variant": str(cell.variant),
                 "configuration": cell.configuration, "target": cell.target}  # fmt: skip
        for verdict in Verdict:
            yield _sample("assay_checks", where | {"verdict": verdict.value}, cell.count(verdict))
    if found.metrics:
        yield "# TYPE assay_figure gauge"
        yield "# HELP assay_figure A figure of a package and its quartiles; lower is better."
    for one in found.metrics:
        where = {"package": one.package, "measure": one.measure, "unit": one.unit,
                 "configuration": one.configuration, "target": one.target,
                 "machine": one.machine}  # fmt: skip
        for quartile, value in (("1", one.low), ("2", one.value), ("3", one.high)):
            if value is not None:
                yield _sample("assay_figure", where | {"quartile": quartile}, value)


def _sample(name: str, labels: dict[str, str], value: float) -> str:
    said = ",".join(f'{key}="{_label(text)}"' for key, text in labels.items())
    return f"{name}{{{said}}} {value:.10g}"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
