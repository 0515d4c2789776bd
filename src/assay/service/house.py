# SPDX-License-Identifier: MIT
"""What every request has at hand, and what people do there besides sending bytes.

At hand are tables, folder and queue; people name an address, complete an upload, and withdraw.
"""

import re
from typing import Any

from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException, PermissionDeniedException
from msgspec import Struct

from assay.errors import UsageError
from assay.service import work
from assay.service.accounts import ServiceAccount
from assay.service.desk import SubmissionDesk
from assay.service.fetching import required_address
from assay.service.places import ServiceFolder, Upload, drop_file, drop_tree
from assay.service.records import ServiceRecords
from assay.service.states import State
from assay.service.submissions import (
    Submission,
    bury,
    find,
    in_digest,
    may_see,
    offered,
    owns,
    submit,
)  # fmt: skip
from assay.writing import write_below

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
Connection = ASGIConnection[Any, Any, Any, Any]


class House(Struct, frozen=True):
    """The parts of a running service; `origin` is its address outside, without a path."""

    records: ServiceRecords
    folder: ServiceFolder
    desk: SubmissionDesk
    origin: str

    @property
    def secure(self) -> bool:
        """Return whether browsers reach it by https."""
        return self.origin.startswith("https://")

    def page_of(self, submission: str) -> str:
        """Return the whole address of a submission's page."""
        return f"{self.origin}/submissions/{submission}"

    def seen(self, number: str, account: ServiceAccount | None) -> Submission:
        """Return a submission that an account may see; others are not found, there or not."""
        one = find(self.records, number)
        if one is None or not may_see(account, one):
            raise NotFoundException(f"there is no submission {number[:20]!a}")
        return one

    def owned(self, number: str, account: ServiceAccount) -> Submission:
        """Return a submission that an account may withdraw."""
        one = self.seen(number, account)
        if not owns(account, one):
            raise PermissionDeniedException("this is another account's submission")
        return one


def house_of(connection: Connection) -> House:
    """Return the service that a request came to."""
    house: House = connection.app.state.house
    return house


def submit_address(
    house: House, account: ServiceAccount, url: str, sha256: str, name: str, message: str
) -> Submission:
    """Take a submission that is fetched later; UsageError for an address that is never fetched."""
    if not _SHA256.fullmatch(sha256):
        raise UsageError("the SHA-256 is no such", "Give 64 hexadecimal digits.")
    address = str(required_address(url, house.desk.permitted))
    one, _ = submit(house.records, account, offered(sha256, name, message, address))
    return one


def submit_upload(
    house: House, account: ServiceAccount, upload: Upload, name: str, message: str
) -> Submission:
    """Take a submission of bytes that are here; they are not kept where it is refused."""
    if not upload.size:
        raise UsageError("the upload is empty", "Send an archive.")
    digest = upload.keep()
    try:
        offer = offered(digest, name, message, size=upload.size)
        return submit(house.records, account, offer)[0]
    finally:
        _drop_unused(house, digest)


async def withdraw(house: House, one: Submission, account: ServiceAccount, reason: str) -> None:
    """Make a tombstone of a submission: its archive, its bundles and its results are removed.

    UsageError if it was withdrawn before.
    """
    with house.records.change() as to:
        if not bury(to, one.id, account.name, reason):
            raise UsageError(f"{one.id} was withdrawn before", "Nothing is left to be done.")
        jobs = work.end_all(to, one.id)
    for each in jobs:
        await house.desk.queue.withdraw(each.name)
        if each.folder:
            drop_tree(house.folder.results, each.folder)
            write_below(house.folder.root, house.desk.stale.name, one.id)
        if each.bundle:
            drop_file(house.folder, each.bundle)
            await house.desk.queue.forget(each.bundle)
    _drop_unused(house, one.digest)


def _drop_unused(house: House, digest: str) -> None:
    """Remove an archive that no submission has any more."""
    if all(one.state is State.WITHDRAWN for one in in_digest(house.records, digest)):
        drop_file(house.folder, digest)
