# SPDX-License-Identifier: MIT
"""Text that submitted code chose, made harmless for lines and terminals."""


def printable(text: str) -> str:
    """Replace line ends, escape sequences and the like by question marks.

    A cipher's name must neither steer a terminal nor add lines to a report.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)
