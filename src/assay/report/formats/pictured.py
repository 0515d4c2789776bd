# SPDX-License-Identifier: MIT
"""Drawings, and the chart of a report, as files: SVG, and PDF by reportlab."""

import io
from collections.abc import Iterable
from functools import cache, lru_cache
from html import escape
from itertools import groupby

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
BLACK = (0, 0, 0)
PALE = 0.25
ROUND = 1  # ends of lines in PDF
BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # share of a word that stands before its place
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
    """Write a drawing as a PDF file: straight lines, curves, dots, and words above all.

    A drawing always gives the same bytes.
    """
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415 - for PDF alone

    file, height = io.BytesIO(), found.height
    canvas = Canvas(file, pagesize=(found.width, height), invariant=1)
    canvas.setTitle(printable(found.title))
    canvas.setLineCap(ROUND)
    strokes, dots = (
        [_line(one, height) for one in found.shapes if isinstance(one, kind)]
        for kind in (Stroke, Dot)
    )
    canvas.addLiteral(_painted(strokes))
    canvas.saveState()
    canvas.setFillAlpha(PALE)
    for one in found.shapes:
        if isinstance(one, Polyline):
            canvas.addLiteral(_curve(one, height))
    canvas.restoreState()
    canvas.addLiteral(_painted(dots))
    for bold, font in ((False, FONT), (True, BOLD)):
        words = (one for one in found.shapes if isinstance(one, Word) and one.bold is bold)
        canvas.setFont(font, SIZE)
        canvas.addLiteral(" ".join(("BT", *(_word(one, font, height) for one in words), "ET")))
    canvas.save()
    return file.getvalue()


def _painted(lines: Iterable[tuple[str, str]]) -> str:
    """Write lines, with how they are painted once for those that are painted alike."""
    groups = groupby(lines, lambda one: one[0])
    return " ".join(
        part for paint, some in groups for part in (paint, *(line for _, line in some))
    )


def _line(shape: Stroke | Dot, height: float) -> tuple[str, str]:
    """Return how a line is painted, and the line, in words of PDF, where y grows upwards.

    A dot is a line of no length with round ends: a circle is four curves, six times as long.
    """
    match shape:
        case Stroke(x1, y1, x2, y2, width, soft):
            paint = f"{0.6 if soft else 0} G {width:g} w"
        case Dot(x1, y1, radius, colour):
            x2, y2 = x1, y1
            red, green, blue = BLACK if colour is None else _inks(colour)
            paint = f"{red:.3g} {green:.3g} {blue:.3g} RG {2 * radius:g} w"
    return paint, f"{x1:.2f} {height - y1:.2f} m {x2:.2f} {height - y2:.2f} l S"


def _word(one: Word, font: str, height: float) -> str:
    """Return a word in those of PDF, at its place."""
    said, wide = _said(one.text, font)
    x = one.x - BEFORE[one.anchor] * wide
    return f"1 0 0 1 {x:.2f} {height - one.y:.2f} Tm ({said}) Tj"


@lru_cache(maxsize=4096)
def _said(text: str, font: str) -> tuple[str, float]:
    """Return a text between the parentheses of PDF, whoever chose it, and how wide it is."""
    from reportlab.pdfbase.pdfmetrics import stringWidth  # noqa: PLC0415 - for PDF alone

    known = printable(text).encode("cp1252", "replace")
    plain = (32 <= one < 127 and one not in b"()\\" for one in known)
    said = "".join(chr(one) if as_it_is else f"\\{one:03o}"
                   for one, as_it_is in zip(known, plain, strict=True))  # fmt: skip
    return said, stringWidth(known.decode("cp1252"), font, SIZE)


def _curve(one: Polyline, height: float) -> str:
    """Return a line through points, or an area, in words of PDF."""
    red, green, blue = (f"{part:.3g}" for part in _inks(one.colour))
    first, *others = (f"{x:.2f} {height - y:.2f}" for x, y in one.points)
    way = " ".join((f"{first} m", *(f"{each} l" for each in others)))
    paint, end = ("rg", "f") if one.filled else ("RG", "S")
    return f"{red} {green} {blue} {paint} 1 w {way} {end}"


@cache
def _inks(number: int) -> tuple[float, ...]:
    """Return red, green and blue, from 0 to 1."""
    return tuple(part / 255 for part in bytes.fromhex(_colour(number).removeprefix("#")))
