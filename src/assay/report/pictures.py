# SPDX-License-Identifier: MIT
"""The one place where charts become pictures: SVG in the page, or what its script draws."""

import statistics
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.report import quadrants, ranked
from assay.report.chart import Chart, ChartSeries, Form

WIDTH = 120.0
LINE_WIDTH, LINE_HEIGHT = 640.0, 60.0
MARGIN = 2.0
TREND_RANGE = 0.05
# So that a bar of no width is still seen.
THINNEST = 1.5


def picture(chart: Chart) -> Markup:
    """Draw a chart as SVG that stands on the page."""
    place = PLACES[chart.form]
    macro = getattr(_macros(), chart.form.value)
    return Markup(macro(chart, place(chart)))  # noqa: S704 - the template escapes


def templates() -> Environment:
    """Return what reads templates; they escape everything."""
    return Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _macros() -> Any:
    """Return the macros that write SVG, one for each form."""
    return templates().get_template("pictures.svg.j2").module


def _bar(chart: Chart) -> dict[str, float]:
    """Place quartiles on a scale from 0 to the end of the axis."""
    (point,) = chart.series[0].points
    largest = chart.x.end or 0.0
    scale = (WIDTH - MARGIN) / largest if largest > 0 else 0.0
    low, median, high = (value * scale for value in (point.low or 0, point.x, point.high or 0))
    return {"w": WIDTH, "x1": low, "span": max(high - low, THINNEST), "xm": median}


def _trend(chart: Chart) -> dict[str, Any]:
    """Place values in the order of time; 5 % around their median fill the height at least.

    A fixed least range keeps harmless noise from looking like a storm.
    """
    values = [one.y for one in chart.series[0].points if one.y is not None]
    middle = statistics.median(values)
    low = min(*values, middle * (1.0 - TREND_RANGE))
    high = max(*values, middle * (1.0 + TREND_RANGE))
    step = (LINE_WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
    rise = (LINE_HEIGHT - 2 * MARGIN) / ((high - low) or 1.0)
    points = " ".join(
        f"{MARGIN + index * step:.1f},{LINE_HEIGHT - MARGIN - (value - low) * rise:.1f}"
        for index, value in enumerate(values)
    )
    return {"w": LINE_WIDTH, "h": LINE_HEIGHT, "points": points}


def _quadrants(chart: Chart) -> dict[str, Any]:
    """Lay out marks, labels and axes."""
    return {"layout": quadrants.layout(chart), "geometry": quadrants}


def _ranked(chart: Chart) -> dict[str, Any]:
    """Lay out bars and the axis."""
    return {"layout": ranked.layout(chart)}


PLACES: Mapping[Form, Callable[[Chart], Mapping[str, Any]]] = MappingProxyType(
    {Form.BAR: _bar, Form.TREND: _trend, Form.QUADRANTS: _quadrants, Form.RANKED: _ranked}
)


def curves(chart: Chart) -> dict[str, Any]:
    """Return a chart as the script of the page reads it.

    `x` holds lengths, `m` medians, `lo` and `hi` how far the quartiles are below and above
    them; null where a length was not measured.
    """
    return {
        "place": chart.title,
        "unit": chart.y.unit,
        **chart.facts,
        "x": [point.x for point in chart.series[0].points],
        "series": [_curve(one) for one in chart.series],
    }


def _curve(series: ChartSeries) -> dict[str, Any]:
    known = [
        None if one.y is None else (one.y, one.low or 0, one.high or 0) for one in series.points
    ]
    return {
        "name": series.name,
        "implementation": series.label,
        "m": [one and _short(one[0]) for one in known],
        "lo": [one and _short(one[0] - one[1]) for one in known],
        "hi": [one and _short(one[2] - one[0]) for one in known],
    }


def _short(value: float) -> int | float:
    """Drop decimals that nobody could see, since they are most of a page's bytes."""
    return round(value) if abs(value) >= 100 or value == round(value) else round(value, 1)
