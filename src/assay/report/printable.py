# SPDX-License-Identifier: MIT
"""Text that submitted code chose, made harmless for lines and terminals, and its order."""

import re

_DIGITS = re.compile("([0-9]+)")


def printable(text: str) -> str:
    """Replace line ends, escape sequences and the like by question marks.

    A cipher's name must neither steer a terminal nor add lines to a report.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)


def natural(*names: str) -> list[list[tuple[int, str]]]:
    """Return what orders names as readers do: machine2 stands before machine10."""
    return [[_order(part) for part in _DIGITS.split(name)] for name in names]


def _order(part: str) -> tuple[int, str]:
    """Order a number by its digits, which may be more than int() takes; words as they are."""
    digits = part.lstrip("0") if part.isdigit() else ""
    return len(digits), digits or part
