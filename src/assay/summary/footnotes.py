# SPDX-License-Identifier: MIT
"""What stands below every table of a results folder: what was left out, and why."""

from collections.abc import Iterable, Iterator

from assay.model import Configuration
from assay.model.native import HIDDEN, left_out
from assay.store import Store
from assay.summary.untried import slow, unfair, untried


def footnotes(store: Store, operation: str | None = None) -> tuple[str, ...]:
    """Return the lines below the tables of an operation, or of all that a store has."""
    lines = (
        *hidden_features(store.configurations()),
        untried(store, operation),
        *unfair(store, operation),
        *slow(store, operation),
        foreign(store),
    )
    return tuple(filter(None, lines))


def foreign(store: Store) -> str:
    """Return how many cells have verdicts that this user's Assay did not store here."""
    count = sum(not one.own for one in store.cells())
    if not count:
        return ""
    return (
        f"The verdicts on {count} {'cell' if count == 1 else 'cells'} are of another user or "
        "machine: `assay run` in the folder asks for them again."
    )


def hidden_features(configurations: Iterable[Configuration]) -> Iterator[str]:
    """Name what was left out of `native`, once for each compiler."""
    seen = {(one.command, left_out(one.arch)): one.name for one in configurations}
    for (command, names), example in seen.items():
        if names:
            listed = ", ".join(names)
            yield f"native of {command} ({example}) is used without {listed}, {HIDDEN}."
