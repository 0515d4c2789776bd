# SPDX-License-Identifier: MIT
"""Drawings, and the chart of a report, as files: SVG, and PDF by reportlab."""

import io
from functools import cache, lru_cache
from html import escape
from typing import Any

from assay.errors import UsageError
from assay.report.drawing import (
    COLOURS,
    SIZE,
    Dot,
    Drawing,
    Polyline,
    Shape,
    Stroke,
    Word,
)
from assay.report.printable import printable
from assay.report.ranked import ranked_charts
from assay.report.table import Report

FONT, BOLD = "Helvetica", "Helvetica-Bold"
SOFT = "#999999"
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}  # how much of a word stands before its place
PLAIN = set(map(chr, range(32, 127))) - set("()\\")  # characters that mean themselves in PDF
PALE = 0.25
ROUND = 1  # ends of lines in PDF
STYLE = (
    "@media (prefers-color-scheme: dark) { .paper { fill: #14181c } text, .ink { fill: #e4e8ec }"
    " line.ink { stroke: #e4e8ec } }"
)


def drawn(report: Report) -> Drawing:
    """Draw the charts of a report's tables; UsageError if no table has figures to compare."""
    found = ranked_charts(report.tables, report.origin)
    if found is None:
        raise UsageError(
            "there is no chart: no table has two figures to compare",
            "Measure two packages at least, or choose a format for tables.",
        )
    return found


def svg_of(found: Drawing) -> str:
    """Write a drawing as SVG, which is as dark as what is around it."""
    size = f'width="{found.width:g}pt" height="{found.height:g}pt"'
    box = f'viewBox="0 0 {found.width:g} {found.height:g}"'
    font = f'font-family="{FONT}, Arial, sans-serif" font-size="{SIZE:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" {font}>',
        f"<title>{_text(found.title)}</title>",
        f"<style>{STYLE}</style>",
        '<rect class="paper" width="100%" height="100%" fill="white"/>',
        *map(_svg, found.shapes),
        "</svg>",
        "",
    ]
    return "\n".join(lines)


def _svg(shape: Shape) -> str:
    match shape:
        case Word(x, y, text, anchor, bold):
            weight = ' font-weight="bold"' if bold else ""
            at = f'x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}"{weight}'
            return f"<text {at}>{_text(text)}</text>"
        case Stroke(x1, y1, x2, y2, width, soft):
            ends = f'x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}"'
            paint = f'stroke="{SOFT}"' if soft else 'class="ink" stroke="black"'
            return f'<line {ends} {paint} stroke-width="{width:g}"/>'
        case Dot(x, y, radius, colour, title):
            paint = 'class="ink"' if colour is None else f'fill="{_colour(colour)}"'
            circle = f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" {paint}'
            return f"{circle}><title>{_text(title)}</title></circle>" if title else f"{circle}/>"
        case Polyline(points, colour, filled):
            way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            if filled:
                paint = f'fill="{_colour(colour)}" fill-opacity="{PALE:g}"'
                return f'<polygon points="{way}" {paint}/>'
            return f'<polyline points="{way}" fill="none" stroke="{_colour(colour)}"/>'


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _text(text: str) -> str:
    """Escape a text that a stranger chose."""
    return escape(printable(text))


def pdf_of(found: Drawing) -> bytes:
    """Write a drawing as a PDF file; the same drawing gives the same bytes."""
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415 - for PDF alone

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(found.width, found.height), invariant=1)
    canvas.setTitle(printable(found.title))
    canvas.setLineCap(ROUND)
    font = ""
    for shape in found.shapes:
        if isinstance(shape, Word) and font != _font(shape):
            font = _font(shape)
            canvas.setFont(font, SIZE)
        if isinstance(shape, Polyline) and shape.filled:
            _put_area(canvas, shape, found.height)
        else:
            # A site has many thousands of pictures, and calls for each shape took half their time.
            canvas.addLiteral(_operators(shape, found.height))
    canvas.save()
    return file.getvalue()


def _operators(shape: Shape, height: float) -> str:
    """Write a shape by the operators of ISO 32000-1, annex A; in PDF y grows upwards."""
    match shape:
        case Word(x, y, text, anchor):
            left = x - ANCHORS[anchor] * _width(text, _font(shape))
            return f"BT {left:.2f} {height - y:.2f} Td ({_string(text)}) Tj ET"
        case Stroke(x1, y1, x2, y2, width, soft):
            way = f"{x1:.2f} {height - y1:.2f} m {x2:.2f} {height - y2:.2f} l"
            return f"{0.6 if soft else 0} G {width:g} w {way} S"
        case Dot(x, y, radius, colour):
            # A line of no length with round ends: a circle is four curves, six times as long.
            at = f"{x:.2f} {height - y:.2f}"
            return f"{_inks(colour)} RG {2 * radius:g} w {at} m {at} l S"
        case Polyline(_, colour):
            return f"{_inks(colour)} RG 1 w {_way(shape, height)} S"


def _put_area(canvas: Any, area: Polyline, height: float) -> None:
    """Fill an area; how pale it is stands among the resources of the page."""
    canvas.saveState()
    canvas.setFillAlpha(PALE)
    canvas.addLiteral(f"{_inks(area.colour)} rg {_way(area, height)} f")
    canvas.restoreState()


def _way(curve: Polyline, height: float) -> str:
    first, *others = (f"{x:.1f} {height - y:.1f}" for x, y in curve.points)
    return " ".join((f"{first} m", *(f"{one} l" for one in others)))


def _font(one: Word) -> str:
    return BOLD if one.bold else FONT


@lru_cache(maxsize=4096)
def _string(text: str) -> str:
    """Write a text as PDF has it, in the encoding of its fonts."""
    known = printable(text).encode("cp1252", "replace")
    return "".join(chr(one) if chr(one) in PLAIN else f"\\{one:03o}" for one in known)


@lru_cache(maxsize=4096)
def _width(text: str, font: str) -> float:
    from reportlab.pdfbase.pdfmetrics import stringWidth  # noqa: PLC0415 - for PDF alone

    known = printable(text).encode("cp1252", "replace").decode("cp1252")
    return float(stringWidth(known, font, SIZE))


@cache
def _inks(number: int | None) -> str:
    """Write red, green and blue, from 0 to 1; none is black."""
    parts = bytes(3) if number is None else bytes.fromhex(_colour(number).removeprefix("#"))
    return " ".join(f"{part / 255:.3g}" for part in parts)
