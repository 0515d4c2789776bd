# SPDX-License-Identifier: MIT
"""What the page of a primitive shows: at each place the implementations and their tries."""

from collections.abc import Iterable, Mapping

from assay.report.ebacs.options import TriedImplementation, candidates
from assay.report.ebacs.ranking import Curve
from assay.report.ebacs.records import Provenance, Records

UNKNOWN = "cycles or ticks"


def by_primitive(records: Records) -> dict[str, dict[Provenance, Records]]:
    """Return what belongs to each primitive at each place, sorted by name."""
    found = {primitive: set[Provenance]() for _, _, primitive in records.subjects}
    for source, _, primitive in records.subjects:
        found[primitive].add(Provenance.of(source))
    return {
        name: {place: records.of_primitive(name).at(place) for place in sorted(found[name])}
        for name in sorted(found)
    }


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


def score_units(curves: Iterable[Curve]) -> dict[Provenance, str]:
    """Name the unit of scores at each place: that of its timings, if there is but one."""
    found: dict[Provenance, set[str]] = {}
    for one in curves:
        if one.key.endswith("cycles"):
            place, *_, unit = one.build
            found.setdefault(place, set()).add(unit)
    return {place: found[place].pop() for place in found if len(found[place]) == 1}
