# SPDX-License-Identifier: MIT
"""Drawings as PDF files of one page, by reportlab."""

import io
from typing import Any

from assay.report.drawing import COLOURS, SIZE, Dot, Drawing, Polyline, Shape, Stroke, Word
from assay.report.printable import printable

FONT, BOLD = "Helvetica", "Helvetica-Bold"
BLACK = "#000000"
PALE = 0.25


def pdf_of(found: Drawing) -> bytes:
    """Write a drawing as a PDF file; the same drawing gives the same bytes."""
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415 - for PDF alone

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(found.width, found.height), invariant=1)
    canvas.setTitle(printable(found.title))
    for shape in found.shapes:
        _draw(canvas, shape, found.height)
    canvas.save()
    return file.getvalue()


def _draw(canvas: Any, shape: Shape, height: float) -> None:
    """Draw a shape; in PDF y grows upwards."""
    match shape:
        case Word(x, y, text, anchor, bold):
            canvas.setFont(BOLD if bold else FONT, SIZE)
            canvas.setFillColor(BLACK)
            write = {
                "start": canvas.drawString,
                "middle": canvas.drawCentredString,
                "end": canvas.drawRightString,
            }[anchor]
            write(x, height - y, printable(text).encode("cp1252", "replace").decode("cp1252"))
        case Stroke(x1, y1, x2, y2, width, soft):
            canvas.setStrokeGray(0.6 if soft else 0.0)
            canvas.setLineWidth(width)
            canvas.line(x1, height - y1, x2, height - y2)
        case Dot(x, y, radius, colour):
            canvas.setFillColor(BLACK if colour is None else _colour(colour))
            canvas.circle(x, height - y, radius, stroke=0, fill=1)
        case Polyline():
            _draw_curve(canvas, shape, height)


def _draw_curve(canvas: Any, curve: Polyline, height: float) -> None:
    canvas.saveState()
    canvas.setLineWidth(1)
    canvas.setStrokeColor(_colour(curve.colour))
    canvas.setFillColor(_colour(curve.colour))
    canvas.setFillAlpha(PALE)
    path = canvas.beginPath()
    (x, y), *others = curve.points
    path.moveTo(x, height - y)
    for x, y in others:
        path.lineTo(x, height - y)
    canvas.drawPath(path, stroke=not curve.filled, fill=curve.filled)
    canvas.restoreState()


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
