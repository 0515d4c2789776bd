# SPDX-License-Identifier: MIT
"""What programs send to the API and get from it, besides submissions and machines."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from assay.service.submissions import MOST_ADDRESS, MOST_MESSAGE, MOST_NAME


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request was refused."""

    status_code: int
    detail: str


@dataclass(frozen=True, slots=True)
class AddressOffer:
    """An archive on the web, and its SHA-256."""

    url: Annotated[str, Meta(max_length=MOST_ADDRESS)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}$")]
    name: Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]
    message: Annotated[str, Meta(max_length=MOST_MESSAGE)] = ""


@dataclass(frozen=True, slots=True)
class InvitationCode:
    """The code of an invitation, and what the token is to be called."""

    code: Annotated[str, Meta(max_length=200)]
    label: Annotated[str, Meta(max_length=100)] = "API"


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token, which is shown this once."""

    token: str


@dataclass(frozen=True, slots=True)
class AccountView:
    """The account of a token, and its quotas."""

    name: str
    mail: str
    administrator: bool
    waiting: int
    daily: int


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """Who is to be invited."""

    name: Annotated[str, Meta(max_length=40)]
    mail: Annotated[str, Meta(max_length=254)] = ""
    administrator: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a person agrees to a job."""

    agreed: bool


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Who did what."""

    at: str
    who: str
    action: str
    subject: str
    detail: str
