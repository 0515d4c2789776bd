# SPDX-License-Identifier: MIT
"""Small inline SVG: a bar from quartile to quartile, and a line of canary figures."""

import statistics
from collections.abc import Sequence

from markupsafe import Markup

WIDTH = 120.0
HEIGHT = 14.0
LINE_WIDTH = 640.0
LINE_HEIGHT = 60.0
MARGIN = 2.0
TREND_RANGE = 0.05
# So that a bar of no width is still seen.
THINNEST = 1.5

_BAR = (
    '<svg class="bar" width="{w:.0f}" height="{h:.0f}" viewBox="0 0 {w:.0f} {h:.0f}" role="img"'
    ' aria-label="{label}"><line class="axis" x1="0" y1="{mid}" x2="{x2:.2f}" y2="{mid}"/>'
    '<rect class="box" x="{x1:.2f}" y="3" width="{span:.2f}" height="8"/>'
    '<line class="median" x1="{xm:.2f}" y1="0" x2="{xm:.2f}" y2="{h:.0f}"/></svg>'
)
_LINE = (
    '<svg class="trend" viewBox="0 0 {w:.0f} {h:.0f}" role="img" aria-label="{label}">'
    '<polyline points="{points}"/></svg>'
)


def quartile_bar(q1: float, median: float, q3: float, largest: float) -> Markup:
    """Draw the quartiles on a scale from 0 to `largest` (same unit, positive)."""
    scale = (WIDTH - MARGIN) / largest if largest > 0 else 0.0
    x1, xm, x3 = (value * scale for value in (q1, median, q3))
    label = f"median {median:.2f}, quartiles {q1:.2f} to {q3:.2f}"
    return Markup(_BAR).format(  # noqa: S704 - a constant
        w=WIDTH,
        h=HEIGHT,
        mid=HEIGHT / 2,
        label=label,
        x1=x1,
        x2=x1,
        xm=xm,
        span=max(x3 - x1, THINNEST),
    )


def trend(values: Sequence[float], label: str) -> Markup:
    """Draw values in the order of time; 5 % around their median fill the height at least.

    A fixed least range keeps harmless noise from looking like a storm.
    """
    middle = statistics.median(values)
    low = min(*values, middle * (1.0 - TREND_RANGE))
    high = max(*values, middle * (1.0 + TREND_RANGE))
    step = (LINE_WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
    rise = (LINE_HEIGHT - 2 * MARGIN) / ((high - low) or 1.0)
    points = " ".join(
        f"{MARGIN + index * step:.1f},{LINE_HEIGHT - MARGIN - (value - low) * rise:.1f}"
        for index, value in enumerate(values)
    )
    return Markup(_LINE).format(  # noqa: S704 - a constant
        w=LINE_WIDTH, h=LINE_HEIGHT, label=label, points=points
    )
