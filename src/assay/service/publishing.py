# SPDX-License-Identifier: MIT
"""From bundles to pages: each bundle is read like a stranger's, its results lie in a store.

A job has a folder of its own among the results, named by us, so that what a bundle says of its
machine replaces nobody else's results.
"""

import json
import shutil
import tempfile
from contextlib import suppress
from itertools import chain
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError, UsageError
from assay.fleet.archived import MACHINES, folders
from assay.fleet.bundle import Bundle, open_bundle
from assay.fleet.signing import fingerprint
from assay.fleet.taken import take
from assay.fleet.verdict import Judgement, verdict_of
from assay.report.printable import printable
from assay.service.places import ServiceFolder, drop_tree, run_assay
from assay.site.names import version_at
from assay.site.reading import own_folders
from assay.site.version import WORST
from assay.store import Store
from assay.writing import make_folder, new_below

SITE_SECONDS = 3600.0
MOST_LINKED = 200
LINKS = ("Submissions=/submissions", "Sign in=/sign-in")  # from the pages back to the service


class Sender(Struct, frozen=True):
    """Who a worker says that it is: its machine, and the public key that it registered."""

    machine: str
    key: str

    def doubts(self, bundle: Bundle) -> str:
        """Return what a bundle says otherwise; nothing where it agrees."""
        said = []
        if bundle.host != printable(self.machine):
            said.append(f"its bundle names the machine {bundle.host or '(none)'}")
        with suppress(UsageError):  # a key that is none was not registered
            if self.key and not _signer(bundle).endswith(fingerprint(self.key)):
                said.append("it is not signed with the key that this machine registered")
        return "; ".join(said)


class BundleTaken(Struct, frozen=True):
    """Who signed a bundle, what it says, where its results lie, and the pages of them."""

    signer: str
    reason: str
    folder: str = ""
    links: str = "[]"


def judged_by(bundle: Path, sender: Sender) -> tuple[BundleTaken, Judgement]:
    """Return who signed a bundle of verdicts, and the verdict on everything in it."""
    with tempfile.TemporaryDirectory(prefix="assay-service-") as scratch:
        opened = open_bundle(bundle, Path(scratch))
        judgement = verdict_of(opened.results)
        reason = _said(str(judgement), sender.doubts(opened))
        return BundleTaken(_signer(opened), reason), judgement


def import_bundle(
    bundle: Path, folder: ServiceFolder, job: str, sender: Sender, told: str
) -> BundleTaken:
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
    reason = _said(told, sender.doubts(opened))
    return BundleTaken(_signer(opened), reason, str(inside), json.dumps(links))


def _links(folder: Path, store: Store) -> list[tuple[str, str, str]]:
    """Return name, worst verdict and address of each version of a package."""
    found: dict[tuple[str, str], set[str]] = {}
    for cell in chain.from_iterable(one.cells for one in own_folders(folder, store)):
        if cell.version:
            found.setdefault((cell.selector, cell.version), set()).add(cell.verdict)
    return [(printable(name), next(one for one in WORST if one in given),
             f"{version_at(version)}/index.html")
            for (name, version), given in sorted(found.items())]  # fmt: skip


def _signer(bundle: Bundle) -> str:
    return "" if bundle.signature is None else printable(str(bundle.signature))


def _said(*texts: str) -> str:
    return "; ".join(filter(None, texts))


async def make_site(folder: ServiceFolder) -> None:
    """Make the pages of all results anew; AssayError says why that failed."""
    if not any(one != folder.results for one in folders(folder.results)):
        drop_tree(folder.root, "site")
        make_folder(folder.site)
        return
    links = (word for link in LINKS for word in ("--link", link))
    code, said = await run_assay(
        "site", str(folder.results), "--to", str(folder.site), *links, seconds=SITE_SECONDS
    )
    if code not in (0, 1):
        raise AssayError(f"the site could not be made: {said.strip()}")
