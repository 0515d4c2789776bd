# SPDX-License-Identifier: MIT
"""What every request has at hand: tables, folder, queue, and how the service is known outside."""

from dataclasses import dataclass
from typing import Any

from litestar.connection import ASGIConnection
from litestar.exceptions import NotFoundException, PermissionDeniedException

from assay.service.accounts import ServiceAccount
from assay.service.desk import SubmissionDesk
from assay.service.places import ServiceFolder
from assay.service.records import ServiceRecords
from assay.service.submissions import Submission, find, may_see, owns

Connection = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class House:
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
