# SPDX-License-Identifier: MIT
"""Drawings as PDF (ISO 32000-1): one page of lines, dots and words in Helvetica.

Every reader has that font, and how wide its letters are is written here, so that words can end at
a place or have it in their middle.
"""

import zlib
from functools import cache, lru_cache

from assay.report.drawing import SIZE, Dot, Drawing, Polyline, Shape, Stroke, Word
from assay.report.formats.pictured import PALE, colour_of
from assay.report.printable import printable

FONTS = ("Helvetica", "Helvetica-Bold")  # F1 and F2 in operators
ROUND = 1  # ends of lines
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}  # how much of a word stands before its place
PLAIN = set(map(chr, range(32, 127))) - set("()\\")  # characters that mean themselves

# Thousandths of the size, from Adobe's metrics of the two fonts; other characters are USUAL.
USUAL = 556
WIDTHS = (
    {
        191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft", 333: "()-`r", 334: "{}", 355: '"',
        389: "*", 469: "^", 500: "Jcksvxyz", 584: "+<=>~", 611: "FTZ", 667: "&ABEKPSVXY",
        722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1015: "@",
    },
    {
        238: "'", 278: " ,./I\\ijl", 280: "|", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"', 500: "z",
        584: "+<=>^~", 611: "?FLTZbdghnopqu", 667: "EPSVXY", 722: "&ABCDHKNRU", 778: "GOQw",
        833: "M", 889: "%m", 944: "W", 975: "@",
    },
)  # fmt: skip
WIDE = tuple({one: width for width, all_of in font.items() for one in all_of} for font in WIDTHS)


def pdf_of(found: Drawing) -> bytes:
    """Write a drawing as a PDF file of one page (ISO 32000-1); the same one gives the same bytes.

    A site has many thousands: a library for any document took five times as long.
    """
    operators = (f"{ROUND} J", *(_operators(one, found.height) for one in found.shapes))
    drawn = zlib.compress("\n".join(operators).encode("ascii"))
    fonts = " ".join(
        f"/F{at} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
        for at, name in enumerate(FONTS, 1)
    )
    resources = f"<< /Font << {fonts} >> /ExtGState << /Pale << /ca {PALE:g} >> >> >>"
    box = f"/MediaBox [0 0 {found.width:g} {found.height:g}]"
    title = b"\xfe\xff" + printable(found.title).encode("utf-16-be", "replace")
    return _file(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {box} /Resources {resources} /Contents 4 0 R >>".encode(),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(drawn), drawn),
        b"<< /Title <%b> /Producer (Assay) >>" % title.hex().encode(),
    )


def _file(*objects: bytes) -> bytes:
    """Write numbered objects, of which the first is the catalogue and the last says the title."""
    made, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, one in enumerate(objects, 1):
        places.append(b"%010d 00000 n \n" % len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, one)
    count = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%b" % (count, b"".join(places))
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (count, count - 1)
    return b"%b%b%b\nstartxref\n%d\n%%%%EOF\n" % (made, table, trailer, len(made))


def _operators(shape: Shape, height: float) -> str:
    """Write a shape by the operators of ISO 32000-1, annex A; in PDF y grows upwards."""
    match shape:
        case Word(x, y, text, anchor, bold):
            left = x - ANCHORS[anchor] * _width(text, bold)
            font = f"/F{1 + bold} {SIZE:g} Tf"
            return f"BT {font} {left:.2f} {height - y:.2f} Td ({_string(text)}) Tj ET"
        case Stroke(x1, y1, x2, y2, width, soft):
            way = f"{x1:.2f} {height - y1:.2f} m {x2:.2f} {height - y2:.2f} l"
            return f"{0.6 if soft else 0} G {width:g} w {way} S"
        case Dot(x, y, radius, colour):
            # A line of no length with round ends: a circle is four curves, six times as long.
            at = f"{x:.2f} {height - y:.2f}"
            return f"{_inks(colour)} RG {2 * radius:g} w {at} m {at} l S"
        case Polyline(_, colour, True):
            return f"q /Pale gs {_inks(colour)} rg {_way(shape, height)} f Q"
        case Polyline(_, colour):
            return f"{_inks(colour)} RG 1 w {_way(shape, height)} S"


def _way(curve: Polyline, height: float) -> str:
    first, *others = (f"{x:.1f} {height - y:.1f}" for x, y in curve.points)
    return " ".join((f"{first} m", *(f"{one} l" for one in others)))


@lru_cache(maxsize=4096)
def _string(text: str) -> str:
    """Write a text as PDF has it, in the encoding of its fonts."""
    known = printable(text).encode("cp1252", "replace")
    return "".join(chr(one) if chr(one) in PLAIN else f"\\{one:03o}" for one in known)


@lru_cache(maxsize=4096)
def _width(text: str, bold: bool) -> float:
    """Return how wide a text is, in points."""
    return sum(WIDE[bold].get(one, USUAL) for one in printable(text)) * SIZE / 1000


@cache
def _inks(number: int | None) -> str:
    """Write red, green and blue, from 0 to 1; none is black."""
    parts = bytes(3) if number is None else bytes.fromhex(colour_of(number).removeprefix("#"))
    return " ".join(f"{part / 255:.3g}" for part in parts)
