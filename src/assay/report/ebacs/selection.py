# SPDX-License-Identifier: MIT
"""Which tables a reader asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.report.ebacs.quantities import (
    LONG,
    Part,
    Quantity,
    counted,
    find_quantity,
    quantities,
)
from assay.report.ebacs.ranking import (
    Curve,
    View,
    lengths_of,
    sizes_of,
    tables,
)

NEARBY = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show: None for everything of its kind.

    `size` is a number of bytes or `long`; `measure` a key such as `open_cycles`; `part`
    which of two lengths grows; `together` puts all machines into one table, and `everything` shows
    every build, not the best one of a primitive alone.
    """

    size: int | str | None = None
    measure: str | None = None
    part: Part = Part.MESSAGE
    together: bool = False
    everything: bool = False


def chosen_views(curves: Sequence[Curve], operation: str, choice: Choice) -> tuple[View, ...]:
    """Return what to show, in the order of the operation's quantities."""
    wanted = [one for one in _quantities(curves, operation, choice) if choice.part in one.parts]
    if not wanted:
        raise UsageError(f"{operation} has no {choice.part.value}", "Choose `message`.")
    if choice.size is None:
        return tuple(view for one in wanted for view in _views(curves, one, choice.part))
    sized = [one for one in wanted if one.sizes]
    if not sized:
        raise UsageError(f"{wanted[0].title} of {operation} has no length", "Leave the size out.")
    view = View(sized[0], choice.part, choice.size)
    if not tables(curves, view):
        raise UsageError(f"{operation}, {view.text}: not measured", _cure(curves, view))
    return (view,)


def _quantities(curves: Sequence[Curve], operation: str, choice: Choice) -> tuple[Quantity, ...]:
    """Return the chosen measure, or all timed ones."""
    planned = quantities(operation)
    if choice.measure is None:
        return planned
    others = counted(operation, (point for one in curves for point in one.points.values()))
    return (find_quantity(operation, choice.measure, (*planned, *others)),)


def _views(curves: Sequence[Curve], quantity: Quantity, part: Part) -> tuple[View, ...]:
    """Return a view for each size that was measured, or the one without a size."""
    if quantity.sizes:
        return tuple(View(quantity, part, size) for size in sizes_of(curves, quantity, part))
    return (View(quantity, part),)


def _cure(curves: Sequence[Curve], view: View) -> str:
    """Name the lengths that were measured next to the one that was not."""
    known = lengths_of(curves, view.quantity, view.part)
    if not known:
        return "Measure the operation first."
    if not isinstance(view.size, int):
        return f"Measure at least two lengths, or choose one of those known, not {LONG}."
    near = sorted(sorted(known, key=lambda length: abs(length - int(view.size or 0)))[:NEARBY])
    return f"Lengths nearby that were measured: {', '.join(map(str, near))}."
