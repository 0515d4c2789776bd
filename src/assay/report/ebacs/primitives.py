# SPDX-License-Identifier: MIT
"""What the page of a primitive shows: at each place the implementations and their tries."""

from collections.abc import Iterable, Mapping

from assay.report.ebacs.options import TriedImplementation, candidates
from assay.report.ebacs.records import Provenance, Records
from assay.report.ebacs.views import Curve

UNKNOWN = "cycles or ticks"


def by_primitive(records: Records) -> dict[str, dict[Provenance, Records]]:
    """Return what belongs to each primitive at each place, sorted by name."""
    found: dict[str, dict[Provenance, Records]] = {}
    for source, _, primitive in records.subjects:
        found.setdefault(primitive, {}).setdefault(Provenance.of(source), Records())
    for name, places in found.items():
        own = records.of_primitive(name)
        for place in places:
            places[place] = own.at(place)
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


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
