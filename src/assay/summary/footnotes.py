# SPDX-License-Identifier: MIT
"""What stands below every table of a results folder: what was left out, and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from assay.model import Configuration, Dropped, Slower, Unused
from assay.model.native import HIDDEN, left_out
from assay.store import Store
from assay.store.notes import Notes
from assay.summary.ranks import listed_names

FEWER_INPUTS = (
    " Checks of these, and of others that did not win, had fewer inputs than those of winners."
)


def footnotes(store: Store, operation: str | None = None) -> tuple[str, ...]:
    """Return the lines below the tables of an operation, or of all that a store has."""
    lines = (
        *hidden_features(store.configurations()),
        untried(store, operation),
        *unfair(store, operation),
        *slow(store, operation),
        *libraries(store, operation),
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


def untried(store: Store, operation: str | None = None) -> str:
    """Return the line that names those left out, of one operation or of all; empty if none."""
    contested = {one.selector for one in store.packages() if one.kind.rules.contests}
    named = _places(store, operation)
    left = {key.place for key, note in Notes(store).all(Dropped).items() if not note.round}
    names = sorted(named[place] for place in left if place in named)
    if not names:
        return ""
    option = "--all" if all(one in contested for one in names) else "--exhaustive"
    if option != "--all" and any(one in contested for one in names):
        option = "--exhaustive (--all for operations)"
    fewer = FEWER_INPUTS if any(one in contested for one in names) else ""
    return (
        "Not tried with further configurations, being far slower than the best of their "
        f"primitive with the first ones: {listed_names(names)}.{fewer} `assay run {option}` tries "
        "all, and checks them thoroughly."
    )


def unfair(store: Store, operation: str | None = None) -> Iterator[str]:
    """Yield a line for packages of which no code was compiled as its sources provide for."""
    named = _places(store, operation)
    notes = Notes(store).all(Unused)
    fair = {cell.key.place for cell in store.cells() if cell.key and cell.key not in notes}
    found = {key.place: note for key, note in notes.items() if key.place not in fair}
    macros = sorted({macro for place in found if place in named for macro in found[place].macros})
    names = sorted(named[place] for place in found if place in named)
    if names:
        option = next(note.option for note in found.values())
        yield (
            f"Might be faster: {listed_names(names)}. The sources have code for instructions of "
            f"this machine ({listed_names(macros)}) that no configuration here uses; try one with "
            f"{option}."
        )


def slow(store: Store, operation: str | None = None) -> Iterator[str]:
    """Yield a line for the ciphers that were skipped, being slower than the rate of a campaign."""
    named = _places(store, operation)
    notes = Notes(store).all(Slower).items()
    found = {named[key.place]: note for key, note in notes if key.place in named}
    if found:
        limits = sorted({f"{note.limit_cycles:g}" for note in found.values()})
        listed = listed_names(f"{name} ({found[name].rate_cycles:.1f})" for name in sorted(found))
        yield (
            f"Skipped, being slower than {' or '.join(limits)} cycles/byte: {listed}. "
            "`assay run --slower-than 0` measures all."
        )


def libraries(store: Store, operation: str | None = None) -> Iterator[str]:
    """Yield the line that names libraries with their versions, and what is linked with them."""
    named = _places(store, operation)
    users: defaultdict[str, set[str]] = defaultdict(set)
    for cell in store.cells():
        if cell.package.place in named:
            for one in cell.build.libraries:
                users[str(one)].add(named[cell.package.place])
    listed = (f"{name} in {listed_names(sorted(users[name]))}" for name in sorted(users))
    if users:
        yield f"Linked libraries: {'; '.join(listed)}."


def _places(store: Store, operation: str | None) -> dict[str, str]:
    """Return the selectors of packages by their places."""
    of = f"{operation}/" if operation else ""
    return {one.place: one.selector for one in store.packages() if one.selector.startswith(of)}
