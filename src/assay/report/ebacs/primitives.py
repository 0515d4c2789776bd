# SPDX-License-Identifier: MIT
"""What the page of a primitive shows: at each place the implementations and their tries."""

from collections.abc import Iterable, Mapping

from assay.model.supercop import Record
from assay.report.ebacs.options import TriedImplementation, candidates
from assay.report.ebacs.ranking import KeySeries
from assay.report.ebacs.records import Provenance, Records

Places = dict[Provenance, list[Record]]
UNKNOWN = "cycles or ticks"


def by_primitive(records: Records) -> dict[str, dict[Provenance, Records]]:
    """Return the attempts and code sizes of each primitive at each place, sorted by name."""
    names = {one.subject.primitive for one in records.measurements}
    found: dict[str, Places] = {name: {} for name in names}
    for one in records.attempts:
        _put(found, one)
    for size in records.sizes:
        _put(found, size)
    return {
        name: {place: Records.of(here) for place, here in sorted(found[name].items())}
        for name in sorted(found)
    }


def _put(found: dict[str, Places], one: Record) -> None:
    places = found.setdefault(one.subject.primitive, {})
    places.setdefault(Provenance.of(one.source), []).append(one)


def benches(
    places: Mapping[Provenance, Records],
    primitive: str,
    numbers: dict[str, str],
    units: Mapping[Provenance, str],
) -> list[tuple[Provenance, str, tuple[TriedImplementation, ...]]]:
    """Return the implementations of a primitive by place, with the unit of their scores."""
    found = []
    for place, here in places.items():
        shown = candidates(here, primitive, numbers)
        if shown:
            found.append((place, units.get(place, UNKNOWN), shown))
    return found


def score_units(series: Iterable[KeySeries]) -> dict[Provenance, str]:
    """Name the unit of scores at each place: that of its timings, if there is but one."""
    found: dict[Provenance, set[str]] = {}
    for one in series:
        if one.key.endswith("cycles"):
            found.setdefault(one.place, set()).add(one.unit)
    return {place: found[place].pop() for place in found if len(found[place]) == 1}
