# SPDX-License-Identifier: MIT
"""The page of a package version, at an address that its contents alone decide."""

import json
from collections.abc import Iterable, Iterator, Sequence
from shlex import join
from typing import Any

from assay.grouped import grouped
from assay.report.printable import printable
from assay.site.cells import SiteCell, SiteCheck, SiteMachine, digest
from assay.site.figures import what_is
from assay.site.names import Key, primitive_at, version_at
from assay.site.page import Known, lines, page
from assay.site.views import PrimitiveEntries, SiteEntry, days, level, newest
from assay.site.writer import Page

WORST = ("fail", "open", "pass")


def version_pages(key: Key, entries: PrimitiveEntries, known: Known) -> Iterator[Page]:
    """Yield the pages of all versions whose page no other primitive has."""
    versions = grouped(
        (one.cell.version, one) for one in entries.in_time
        if one.cell.version and one.cell.version not in known.elsewhere
    )  # fmt: skip
    for version, found in sorted(versions.items()):
        yield from _version(key, version, found, known)


def _version(key: Key, version: str, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    at = version_at(version)
    latest = newest(entries)
    cells = [one.cell for one in latest]
    names = sorted({cell.selector for cell in cells})
    dates = days(entries)
    cite = _citation(names[0], version, latest, known, dates)
    yield f"{at}/cite.bib", cite["bibtex"]
    yield f"{at}/CITATION.cff", cite["cff"]
    yield page(
        f"{at}/index.html",
        "version.html.j2",
        names=[printable(one) for one in names],
        contents=version,
        primitive=printable(key[1]),
        primitive_at=primitive_at(key),
        verdict=next(one for one in (*WORST, cells[0].verdict)
                     if one in {cell.verdict for cell in cells}),
        level=level(*key, cells[0].facts),
        facts=sorted(cells[0].facts.items()),
        entries=sorted(latest, key=_order),
        known=known,
        what_is=what_is,
        repeated=repeated,
        checks=_checks(latest, known),
        messages=_messages(cells),
        notes=list(dict.fromkeys(note for cell in cells for note in cell.notes)),
        dates=dates,
        cite=cite,
    )  # fmt: skip


def _order(one: SiteEntry) -> tuple[str, bool, float, str]:
    figure = one.figure
    return one.machine, figure is None, figure.middle if figure else 0.0, one.cell.configuration


def repeated(cell: SiteCell) -> str:
    """Return the command that measures a cell again."""
    target = ["--target", cell.target] if cell.target != "native" else []
    return printable(join(["assay", "run", cell.selector, "--conf", cell.configuration, *target]))


def _checks(entries: Iterable[SiteEntry], known: Known) -> list[dict[str, Any]]:
    """Gather verdicts with reasons: one row for each, with where it was given."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in entries:
        cell = one.cell
        built = f"build ({printable(cell.configuration)})"
        failed = [SiteCheck(built, "fail", cell.reason, cell.cure)] if cell.reason else []
        passed = (SiteCheck(name, "pass") for name in cell.passed.split())
        for each in (*failed, *cell.checks, *passed):
            row = found.setdefault((each.check, each.verdict, each.reason),
                                   {"cure": printable(each.cure), "where": []})  # fmt: skip
            row["where"].append(f"{known.labels[one.machine]}, {printable(cell.configuration)}")
    rank = {"fail": 0, "open": 1, "finding": 2, "skipped": 3, "pass": 4}
    return [
        {"check": printable(check), "verdict": verdict, "reason": lines(reason), **more}
        for (check, verdict, reason), more in sorted(
            found.items(), key=lambda item: (rank.get(item[0][1], 5), item[0]))
    ]  # fmt: skip


def _messages(cells: Iterable[SiteCell]) -> list[dict[str, Any]]:
    """Gather what compilers said, once for equal words."""
    found = grouped(
        (lines(cell.diagnostics), printable(cell.configuration))
        for cell in cells if cell.diagnostics.strip()
    )  # fmt: skip
    return [{"text": text, "where": sorted(set(where))} for text, where in found.items()]


def _citation(
    name: str, version: str, entries: Sequence[SiteEntry], known: Known, dates: Sequence[str]
) -> dict[str, str]:
    """Write how a version's figures are cited: date, commit, processor, clock."""
    title = f"{printable(name)}, measured by Assay"
    date = dates[-1] if dates else ""
    where = sorted({_machine_text(known.facts[one.source, one.machine]) for one in entries})
    note = f"package {version}; {'; '.join(where[:4])}"
    if len(where) > 4:
        note += f"; and {len(where) - 4} more machines"
    tag = f"assay-{digest(version, length=8)}"
    fields = {"title": title, "year": date[:4], "note": f"{date}; {note}", "version": version}
    body = ",\n".join(f"  {key} = {{{_tex(value)}}}" for key, value in fields.items() if value)
    cff = {"cff-version": "1.2.0", "message": "Cite these figures as below.", "type": "dataset",
           "title": title, "version": version, "abstract": note}  # fmt: skip
    written = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in cff.items()]
    written += ["authors:", '  - name: "Assay"']
    if date:
        written.insert(4, f"date-released: {date}")
    return {
        "bibtex": f"@misc{{{tag},\n{body}\n}}\n",
        "cff": "\n".join(written) + "\n",
        "text": f"{title}. {date}. {note}.",
    }


def _machine_text(machine: SiteMachine) -> str:
    clock = f" at {machine.mhz:.0f} MHz" if machine.mhz else ""
    assay = machine.settings.get("Assay")
    by = f", Assay {assay}" if assay else ""
    return printable(f"{machine.host}: {machine.cpu or machine.architecture}{clock}{by}")


def _tex(text: str) -> str:
    """Escape what BibTeX would take for its own."""
    return "".join(f"\\{one}" if one in "{}%&$#_" else one for one in text.replace("\\", "/"))
