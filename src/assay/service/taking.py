# SPDX-License-Identifier: MIT
"""What people do with submissions besides sending bytes: name an address, withdraw."""

import re

from assay.errors import UsageError
from assay.service import work
from assay.service.accounts import ServiceAccount
from assay.service.fetching import required_address
from assay.service.house import House
from assay.service.places import Upload, drop_file, drop_tree
from assay.service.states import State
from assay.service.submissions import Submission, bury, in_digest, offered, submit
from assay.writing import write_below

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


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
