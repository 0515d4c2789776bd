# SPDX-License-Identifier: MIT
"""What programs send to the API and get from it, besides submissions and machines."""

from typing import Annotated

from msgspec import Meta, Struct

from assay.service.submissions import MOST_ADDRESS, MOST_MESSAGE, MOST_NAME


class Problem(Struct, frozen=True):
    """Why a request was refused."""

    status_code: int
    detail: str


class AddressOffer(Struct, frozen=True):
    """An archive on the web, and its SHA-256."""

    url: Annotated[str, Meta(max_length=MOST_ADDRESS)]
    sha256: Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}$")]
    name: Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]
    message: Annotated[str, Meta(max_length=MOST_MESSAGE)] = ""


class InvitationCode(Struct, frozen=True):
    """The code of an invitation, and what the token is to be called."""

    code: Annotated[str, Meta(max_length=200)]
    label: Annotated[str, Meta(max_length=100)] = "API"


class NewToken(Struct, frozen=True):
    """A token, which is shown this once."""

    token: str


class AccountView(Struct, frozen=True):
    """The account of a token, and its quotas."""

    name: str
    mail: str
    administrator: bool
    waiting: int
    daily: int


class NewInvitation(Struct, frozen=True):
    """Who is to be invited."""

    name: Annotated[str, Meta(max_length=40)]
    mail: Annotated[str, Meta(max_length=254)] = ""
    administrator: bool = False


class Decision(Struct, frozen=True):
    """Whether a person agrees to a job."""

    agreed: bool


class AuditLine(Struct, frozen=True):
    """Who did what."""

    at: str
    who: str
    action: str
    subject: str
    detail: str
