# SPDX-License-Identifier: MIT
"""The API: what programs ask, in JSON; `/api/openapi.json` describes it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from litestar import Controller, Router, delete, get, post
from litestar.exceptions import NotFoundException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.response import File

from assay.package.download import LIMIT_BYTES
from assay.service import accounts as people
from assay.service.bodies import (
    AccountView,
    AddressOffer,
    AuditLine,
    Decision,
    InvitationCode,
    NewInvitation,
    NewToken,
    Problem,
)
from assay.service.doors import (
    AnyRequest,
    maybe_token,
    require_administrator,
    require_token,
    stream_of,
    who,
)
from assay.service.house import house_of, submit_address, submit_upload, withdraw
from assay.service.places import receive, uploading
from assay.service.records import audit_lines
from assay.service.submissions import (
    MOST_MESSAGE,
    MOST_NAME,
    PAGE,
    listed,
    offered,
    require_quota,
)
from assay.service.views import (
    MachineView,
    SubmissionSummary,
    SubmissionView,
    letter_of,
    machines_of,
    summary_of,
    view_of,
)

JSON_BYTES = 64 << 10
AUDIT_LINES = 1000
Text = Annotated[str, QueryParameter(max_length=MOST_MESSAGE)]
Name = Annotated[str, QueryParameter(min_length=1, max_length=MOST_NAME)]


def _refused(what: str) -> ResponseSpec:
    return ResponseSpec(Problem, description=what, generate_examples=False)


REFUSALS = {
    400: _refused("Something in the request is wrong"),
    401: _refused("No token, or a wrong one"),
    403: _refused("Not with this account"),
    404: _refused("Not there, or another account's"),
    413: _refused("Too large"),
    429: _refused("A quota is reached"),
    503: _refused("The service cannot keep it now"),
}


@dataclass
class ArchiveBody(Operation):
    """An operation that takes an archive as it is."""

    def __post_init__(self) -> None:
        """Describe the body."""
        raw = OpenAPIMediaType(Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody({"application/octet-stream": raw}, required=True)


class Submissions(Controller):
    """Submissions: listed, seen and sent."""

    path = "/submissions"

    @get("/", responses={k: REFUSALS[k] for k in (400, 401)})
    async def list_submissions(
        self,
        request: AnyRequest,
        before: Annotated[str, QueryParameter(max_length=40)] = "",
    ) -> list[SubmissionSummary]:
        """Return the newest public submissions, and one's own with a token; then those before."""
        found, house = maybe_token(request), house_of(request)
        account = found.account if found else None
        return [
            summary_of(house, one)
            for one in listed(house.records, account, before=before, newest=PAGE)
        ]

    @get("/{number:str}", responses={k: REFUSALS[k] for k in (400, 401, 404)})
    async def see(self, request: AnyRequest, number: FromPath[str]) -> SubmissionView:
        """Return a submission: state, reason, history, jobs and pages of results."""
        found, house = maybe_token(request), house_of(request)
        account = found.account if found else None
        return view_of(house, house.seen(number, account), account)

    @post(
        "/", guards=[require_token], request_max_body_size=LIMIT_BYTES, status_code=201,
        operation_class=ArchiveBody, responses={k: REFUSALS[k] for k in (400, 401, 413, 429, 503)},
    )  # fmt: skip
    async def send(self, request: AnyRequest, name: Name, message: Text = "") -> SubmissionView:
        """Take an archive: the body is its bytes."""
        house, account = house_of(request), who(request).account
        require_quota(house.records, account)
        offered("", name, message)
        async with uploading(house.folder) as upload:
            await receive(stream_of(request), upload)
            one = submit_upload(house, account, upload, name, message)
        return view_of(house, one, account)

    @post(
        "/by-address", guards=[require_token], status_code=201,
        responses={k: REFUSALS[k] for k in (400, 401, 429, 503)},
    )  # fmt: skip
    async def send_address(
        self, request: AnyRequest, data: JSONBody[AddressOffer]
    ) -> SubmissionView:
        """Have an archive fetched from the public web."""
        house, account = house_of(request), who(request).account
        one = submit_address(house, account, data.url, data.sha256, data.name, data.message)
        return view_of(house, one, account)

    @delete(
        "/{number:str}", guards=[require_token], status_code=200,
        responses={k: REFUSALS[k] for k in (400, 401, 403, 404)},
    )  # fmt: skip
    async def take_back(
        self, request: AnyRequest, number: FromPath[str], reason: Text = ""
    ) -> SubmissionView:
        """Withdraw a submission: archive and results go, its SHA-256 stays."""
        house, account = house_of(request), who(request).account
        await withdraw(house, house.owned(number, account), account, reason)
        return view_of(house, house.seen(number, account), account)

    @get(
        "/{number:str}/letter", guards=[require_token], media_type="message/rfc822",
        responses={k: REFUSALS[k] for k in (400, 401, 403, 404)},
    )  # fmt: skip
    async def letter(self, request: AnyRequest, number: FromPath[str]) -> bytes:
        """Return a message to its submitter on the state of a submission, ready to be mailed."""
        house, account = house_of(request), who(request).account
        return letter_of(house, house.owned(number, account)).as_bytes()

    @get("/{number:str}/archive", guards=[require_token],
         responses={k: REFUSALS[k] for k in (400, 401, 403, 404)})  # fmt: skip
    async def archive(self, request: AnyRequest, number: FromPath[str]) -> File:
        """Return the archive to its owner."""
        house, account = house_of(request), who(request).account
        one = house.owned(number, account)
        return attached(house.folder.archive(one.digest), f"{one.id}.archive")


@get("/machines", responses={503: REFUSALS[503]})
async def list_machines(request: AnyRequest) -> list[MachineView]:
    """Return the machines that measure, as they describe themselves."""
    return await machines_of(house_of(request))


@get("/account", guards=[require_token], responses={401: REFUSALS[401]})
async def own_account(request: AnyRequest) -> AccountView:
    """Return whose token this is."""
    one = who(request).account
    return AccountView(one.name, one.mail, one.administrator, one.waiting, one.daily)


@post("/tokens", status_code=201, responses={400: REFUSALS[400]})
async def redeem(request: AnyRequest, data: JSONBody[InvitationCode]) -> NewToken:
    """Redeem an invitation for a token."""
    return NewToken(people.redeem(house_of(request).records, data.code, data.label))


@post("/invitations", guards=[require_administrator], status_code=201,
      responses={k: REFUSALS[k] for k in (400, 401, 403)})  # fmt: skip
async def invite(request: AnyRequest, data: JSONBody[NewInvitation]) -> InvitationCode:
    """Invite somebody: the code becomes a token once, within 14 days."""
    code = people.invite(
        house_of(request).records, data.name, data.mail,
        administrator=data.administrator, who=who(request).account.name,
    )  # fmt: skip
    return InvitationCode(code)


@post("/jobs/{name:str}", guards=[require_administrator], status_code=200,
      responses={k: REFUSALS[k] for k in (400, 401, 403, 404, 503)})  # fmt: skip
async def decide(request: AnyRequest, name: FromPath[str], data: JSONBody[Decision]) -> Decision:
    """Approve or decline a job of a machine whose owner wants a person to agree."""
    house, account = house_of(request), who(request).account
    if not await house.desk.decide(name, account.name, agreed=data.agreed):
        raise NotFoundException("no job of this name waits for a person")
    return data


@get("/audit", guards=[require_administrator],
     responses={k: REFUSALS[k] for k in (401, 403)})  # fmt: skip
async def read_audit(request: AnyRequest) -> list[AuditLine]:
    """Return the newest lines of the audit log."""
    lines = audit_lines(house_of(request).records, AUDIT_LINES)
    return [AuditLine(one.at, one.who, one.action, one.subject, one.detail) for one in lines]


def attached(path: Path, name: str) -> File:
    """Return a file that a browser keeps and does not show; NotFoundException without one."""
    if not path.is_file():
        raise NotFoundException("there is no such file any more")
    return File(path, filename=name, media_type="application/octet-stream",
                content_disposition_type="attachment")  # fmt: skip


API = Router(
    "/api/v1",
    route_handlers=[
        Submissions, list_machines, own_account, redeem, invite, decide, read_audit,
    ],
    request_max_body_size=JSON_BYTES,
)  # fmt: skip
