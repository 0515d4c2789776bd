# SPDX-License-Identifier: MIT
"""Drawings as PDF files of one page (ISO 32000-1), with Helvetica, which every reader has."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.report.drawing import COLOURS, SIZE, Dot, Drawing, Polyline, Shape, Stroke, Word
from assay.report.printable import printable

PALE, GREY = "/P gs", "0.6 G"
ROUND = 0.5523  # how far a Bezier curve's handles are for a quarter of a circle, by its radius
CHARACTERS = "cp1252"  # WinAnsiEncoding
# Adobe's widths of Helvetica's characters from blank to tilde, in thousandths; others are as most.
WIDTHS = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(10 * (556,)),
    *(278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667),
    *(556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278),
    *(469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
USUAL = 556
BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # how much of a word is left of its place


def pdf_of(found: Drawing) -> bytes:
    """Write a drawing as a PDF file; the same drawing gives the same bytes."""
    drawn = "\n".join((f"1 0 0 -1 0 {found.height:g} cm", *_drawn(found.shapes)))
    packed = zlib.compress(drawn.encode("ascii"))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    used = "/Font << /F 5 0 R /B 6 0 R >> /ExtGState << /P << /ca 0.25 >> >>"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 {found.width:g} {found.height:g} ] "
        f"/Contents 4 0 R /Resources << {used} >> >>".encode(),
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%b\nendstream" % (len(packed), packed),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
        f"<< /Title {_title(found.title)} /Producer (Assay) >>".encode(),
    )
    return _file(objects)


def _file(objects: Sequence[bytes]) -> bytes:
    """Join numbered objects: the first is the catalogue, the last is about the file."""
    text, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    about = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (size, len(objects))
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return b"%b%b%btrailer\n%b\nstartxref\n%d\n%%%%EOF\n" % (text, head, table, about, len(text))


def _title(text: str) -> str:
    marked = f"\ufeff{printable(text)}"  # a byte order mark says that it is UTF-16
    return f"<{marked.encode('utf-16-be', 'replace').hex()}>"


def _drawn(shapes: Sequence[Shape]) -> Iterator[str]:
    """Yield what draws shapes, y growing downwards."""
    for shape in shapes:
        match shape:
            case Word(x, y, text, anchor, bold):
                yield _word(x, y, printable(text).encode(CHARACTERS, "replace"), anchor, bold=bold)
            case Stroke(x1, y1, x2, y2, width, soft):
                grey = GREY if soft else "0 G"
                yield f"{grey} {width:g} w {x1:.2f} {y1:.2f} m {x2:.2f} {y2:.2f} l S"
            case Dot(x, y, radius, colour):
                paint = "0 g" if colour is None else _colour(colour, "rg")
                yield f"{paint} {_circle(x, y, radius)}"
            case Polyline(points, colour, filled):
                way = " ".join(f"{x:.1f} {y:.1f} {'l' if at else 'm'}"
                               for at, (x, y) in enumerate(points))  # fmt: skip
                paint = f"{PALE} {_colour(colour, 'rg')}" if filled else _colour(colour, "RG")
                yield f"q 1 w {paint} {way} {'h f' if filled else 'S'} Q"


def _word(x: float, y: float, text: bytes, anchor: str, *, bold: bool) -> str:
    """Write a word where it begins; `bold` ones have no other anchor."""
    first = ord(" ")
    wide = sum(WIDTHS[at - first] if first <= at <= ord("~") else USUAL for at in text)
    left = x - BEFORE[anchor] * wide * SIZE / 1000
    font = "B" if bold else "F"
    return f"BT 0 g /{font} {SIZE:g} Tf 1 0 0 -1 {left:.2f} {y:.2f} Tm <{text.hex()}> Tj ET"


def _circle(x: float, y: float, radius: float) -> str:
    """Fill a circle of four curves."""
    ends = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 0))
    way = [f"{x + radius:.2f} {y:.2f} m"]
    for (x1, y1), (x2, y2) in pairwise(ends):
        handles = (x1 + ROUND * x2, y1 + ROUND * y2, x2 + ROUND * x1, y2 + ROUND * y1, x2, y2)
        numbers = (f"{(y if at % 2 else x) + radius * one:.2f}" for at, one in enumerate(handles))
        way.append(f"{' '.join(numbers)} c")
    return f"{' '.join(way)} f"


def _colour(number: int, operator: str) -> str:
    """Choose a colour for what follows."""
    code = COLOURS[number % len(COLOURS)]
    parts = (f"{int(code[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))
    return f"{' '.join(parts)} {operator}"
