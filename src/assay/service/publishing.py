# SPDX-License-Identifier: MIT
"""From bundles to pages: each bundle is read like a stranger's, its results lie in a store.

A job has a folder of its own among the results, named by us, so that what a bundle says of its
machine replaces nobody else's results.
"""

import json
import shutil
import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from assay.errors import AssayError
from assay.fleet.archived import MACHINES, folders
from assay.fleet.bundle import open_bundle
from assay.fleet.taken import take
from assay.fleet.verdict import Judgement, verdict_of
from assay.report.printable import printable
from assay.service.places import ServiceFolder, drop_tree, run_assay
from assay.site.names import version_at
from assay.site.reading import places_of
from assay.store import Store
from assay.writing import make_folder, new_below

SITE_SECONDS = 3600.0
MOST_LINKED = 200


@dataclass(frozen=True, slots=True)
class ImportedBundle:
    """Who signed a bundle, where its results lie, and the pages of what was measured."""

    signer: str
    folder: str
    links: str


def judged_by(bundle: Path) -> tuple[str, Judgement]:
    """Return who signed a bundle of verdicts, and the verdict on everything in it."""
    with tempfile.TemporaryDirectory(prefix="assay-service-") as scratch:
        opened = open_bundle(bundle, Path(scratch))
        return _signer(opened.signature), verdict_of(opened.results)


def import_bundle(bundle: Path, folder: ServiceFolder, job: str) -> ImportedBundle:
    """Take the results in a bundle among those that the site shows, in the folder of its job."""
    inside = Path(MACHINES, job)
    with tempfile.TemporaryDirectory(prefix="assay-service-") as scratch:
        opened = open_bundle(bundle, Path(scratch, "bundle"))
        taken, _ = take(bundle, Path(scratch, "taken"))
        with Store.open(taken, read_only=True) as store:
            links = list(_links(taken, store))[:MOST_LINKED]
        for one in sorted(taken.iterdir()):
            with new_below(folder.results, inside / one.name) as to, one.open("rb") as source:
                shutil.copyfileobj(source, to)
    return ImportedBundle(_signer(opened.signature), str(inside), json.dumps(links))


def _links(folder: Path, store: Store) -> list[tuple[str, str, str]]:
    """Return name, verdict and address of each version of a package, the worst verdict first."""
    found: dict[tuple[str, str], str] = {}
    for cell in chain.from_iterable(one.cells for one in places_of(folder, store, {}).values()):
        if cell.version:
            found.setdefault((cell.selector, cell.version), cell.verdict)
    return [(printable(name), verdict, f"{version_at(version)}/index.html")
            for (name, version), verdict in sorted(found.items())]  # fmt: skip


def _signer(signature: object) -> str:
    return "" if signature is None else printable(str(signature))


async def make_site(folder: ServiceFolder) -> None:
    """Make the pages of all results anew; AssayError says why that failed."""
    if not any(one != folder.results for one in folders(folder.results)):
        drop_tree(folder.root, "site")
        make_folder(folder.site)
        return
    code, said = await run_assay(
        "site", str(folder.results), "--to", str(folder.site), seconds=SITE_SECONDS
    )
    if code not in (0, 1):
        raise AssayError(f"the site could not be made: {said.strip()}")
