# SPDX-License-Identifier: MIT
"""Figures that others have published, to stand beside ours."""

from msgspec import Struct


class Published(Struct, frozen=True):
    """One row of somebody's table, for code of one architecture; None where it has no figure.

    `long_cycles` are per byte, `short_cycles` for a message of 32 bytes, on `machine`.
    """

    architecture: str
    size_bytes: int
    long_cycles: float | None
    short_cycles: int | None
    machine: str
    source: str
