# SPDX-License-Identifier: MIT
"""The chart of a report as a file: SVG, or PDF for papers."""

import io
from html import escape
from typing import Any

from assay.errors import UsageError
from assay.report.drawing import SIZE, Dot, Drawing, Shape, Stroke, Word, drawing
from assay.report.printable import printable
from assay.report.ranked import ranked_chart
from assay.report.table import Report

FONT, BOLD = "Helvetica", "Helvetica-Bold"
SOFT = "#999999"


def drawn(report: Report) -> Drawing:
    """Draw the charts of a report's tables; UsageError if no table has figures to compare."""
    charts = [chart for table in report.tables if (chart := ranked_chart(table)) is not None]
    if not charts:
        raise UsageError(
            "there is no chart: no table has two figures to compare",
            "Measure two packages at least, or choose a format for tables.",
        )
    return drawing(charts, report.origin)


def svg_text(report: Report) -> str:
    """Write the chart as one SVG file."""
    found = drawn(report)
    size = f'width="{found.width:g}pt" height="{found.height:g}pt"'
    box = f'viewBox="0 0 {found.width:g} {found.height:g}"'
    font = f'font-family="{FONT}, Arial, sans-serif" font-size="{SIZE:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" {font}>',
        f"<title>{_text(found.title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
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
            return f'<line {ends} stroke="{SOFT if soft else "black"}" stroke-width="{width:g}"/>'
        case Dot(x, y, radius):
            return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}"/>'


def _text(text: str) -> str:
    """Escape a text that a stranger chose."""
    return escape(printable(text))


def pdf_bytes(report: Report) -> bytes:
    """Write the chart as a PDF file of one page, as large as the chart."""
    found = drawn(report)
    try:
        from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415 - for PDF alone
    except ImportError as error:
        raise UsageError(
            "--format pdf needs the library reportlab, which is not installed",
            "`pip install 'assay[pdf]'`, or in a clone `.venv/bin/pip install reportlab`; "
            "--format svg needs nothing.",
        ) from error
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(found.width, found.height), invariant=1)
    canvas.setTitle(printable(found.title))
    for shape in found.shapes:
        _pdf(canvas, shape, found.height)
    canvas.save()
    return file.getvalue()


def _pdf(canvas: Any, shape: Shape, height: float) -> None:
    match shape:
        case Word(x, y, text, anchor, bold):
            canvas.setFont(BOLD if bold else FONT, SIZE)
            write = {
                "start": canvas.drawString,
                "middle": canvas.drawCentredString,
                "end": canvas.drawRightString,
            }[anchor]
            write(x, height - y, printable(text).encode("latin-1", "replace").decode("latin-1"))
        case Stroke(x1, y1, x2, y2, width, soft):
            canvas.setStrokeGray(0.6 if soft else 0.0)
            canvas.setLineWidth(width)
            canvas.line(x1, height - y1, x2, height - y2)
        case Dot(x, y, radius):
            canvas.circle(x, height - y, radius, stroke=0, fill=1)
