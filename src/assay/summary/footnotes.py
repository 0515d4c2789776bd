# SPDX-License-Identifier: MIT
"""What stands below every table of a results folder: what was left out, and why."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from assay.model import Configuration, Dropped, Package, Slower, Unused
from assay.model.toolchains import HIDDEN, left_out
from assay.store import Store
from assay.store.rows import Notes, ObjectKey, StoredCell
from assay.summary.ranks import listed_names

Names = Mapping[str, str]  # selectors of packages by their places
FEWER_INPUTS = (
    " Checks of these, and of others that did not win, had fewer inputs than those of winners."
)


def footnotes(store: Store, operation: str | None = None) -> tuple[str, ...]:
    """Return the lines below the tables of an operation, or of all that a store has."""
    of = f"{operation}/" if operation else ""
    shown = {one.place: one for one in store.packages() if one.selector.startswith(of)}
    named = {place: one.selector for place, one in shown.items()}
    cells, notes = store.cells(), Notes(store)
    return (
        *hidden_features(store.configurations()),
        *_untried(shown, notes.all(Dropped)),
        *_unfair(named, cells, notes.all(Unused)),
        *_slow(named, notes.all(Slower)),
        *_libraries(named, cells),
        *_foreign(cells),
    )


def _foreign(cells: Iterable[StoredCell]) -> Iterator[str]:
    """Count the cells whose verdicts this user's Assay did not store here."""
    count = sum(not one.own for one in cells)
    if count:
        yield (
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


def _untried(shown: Mapping[str, Package], notes: Mapping[ObjectKey, Dropped]) -> Iterator[str]:
    """Name the packages that were left out, if there are any."""
    places = {key.place for key, note in notes.items() if not note.round}
    left = sorted((shown[one] for one in places if one in shown), key=lambda one: one.selector)
    if not left:
        return
    contested = [one.kind.rules.contests for one in left]
    option = "--all" if all(contested) else "--exhaustive"
    if option != "--all" and any(contested):
        option = "--exhaustive (--all for operations)"
    fewer = FEWER_INPUTS if any(contested) else ""
    yield (
        "Not tried with further configurations, being far slower than the best of their "
        f"primitive with the first ones: {listed_names(one.selector for one in left)}.{fewer} "
        f"`assay run {option}` tries all, and checks them thoroughly."
    )


def _unfair(
    named: Names, cells: Iterable[StoredCell], notes: Mapping[ObjectKey, Unused]
) -> Iterator[str]:
    """Name packages of which no code was compiled as its sources provide for."""
    fair = {cell.key.place for cell in cells if cell.key and cell.key not in notes}
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


def _slow(named: Names, notes: Mapping[ObjectKey, Slower]) -> Iterator[str]:
    """Name the ciphers that were skipped, being slower than the rate of a campaign."""
    found = {named[key.place]: note for key, note in notes.items() if key.place in named}
    if found:
        limits = sorted({f"{note.limit_cycles:g}" for note in found.values()})
        listed = listed_names(f"{name} ({found[name].rate_cycles:.1f})" for name in sorted(found))
        yield (
            f"Skipped, being slower than {' or '.join(limits)} cycles/byte: {listed}. "
            "`assay run --slower-than 0` measures all."
        )


def _libraries(named: Names, cells: Iterable[StoredCell]) -> Iterator[str]:
    """Name libraries with their versions, and what is linked with them."""
    users: defaultdict[str, set[str]] = defaultdict(set)
    for cell in cells:
        if cell.package.place in named:
            for one in cell.build.libraries:
                users[str(one)].add(named[cell.package.place])
    listed = (f"{name} in {listed_names(sorted(users[name]))}" for name in sorted(users))
    if users:
        yield f"Linked libraries: {'; '.join(listed)}."
