# SPDX-License-Identifier: MIT
"""Pages for administrators: approvals, accounts and the audit log."""

from litestar import Router, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from assay.service import accounts as people
from assay.service import work
from assay.service.doors import (
    AnyRequest,
    form_of,
    require_administrators_session,
    require_same_origin,
    who,
)
from assay.service.house import house_of
from assay.service.pages import FORM_BYTES, Page, onward, shown
from assay.service.records import audit_lines
from assay.service.states import JobState

SHOWN_LINES = 200
ASKED = [require_administrators_session]
FORM = [require_same_origin, require_administrators_session]
HOME = "/administration"


@get("/", guards=ASKED, include_in_schema=False)
async def home(request: AnyRequest) -> Page:
    """Return what waits for a person, all accounts, and the newest lines of the audit log."""
    records = house_of(request).records
    return shown(
        request, "administration.html.j2",
        asked=work.in_states(records, JobState.ASKED),
        accounts=people.all_accounts(records),
        audit=audit_lines(records, SHOWN_LINES),
    )  # fmt: skip


@post("/jobs/{name:str}", guards=FORM, include_in_schema=False)
async def decide(request: AnyRequest, name: FromPath[str]) -> Redirect:
    """Approve or decline a job."""
    form, account = await form_of(request), who(request).account
    agreed = form.get("agreed") == "yes"
    if not await house_of(request).desk.decide(name, account.name, agreed=agreed):
        raise NotFoundException("no job of this name waits for a person")
    return onward(HOME)


@post("/invitations", guards=FORM, include_in_schema=False)
async def invite(request: AnyRequest) -> Page:
    """Show the code of a new invitation, once."""
    form, account = await form_of(request), who(request).account
    name = form.get("name", "").strip()
    code = people.invite(
        house_of(request).records, name, form.get("mail", "").strip(), who=account.name
    )
    return shown(request, "invited.html.j2", name=name, code=code)


@post("/accounts/{name:str}/close", guards=FORM, include_in_schema=False)
async def close(request: AnyRequest, name: FromPath[str]) -> Redirect:
    """Close an account."""
    await form_of(request)
    if not people.close_account(house_of(request).records, name, who(request).account.name):
        raise NotFoundException("there is no such account")
    return onward(HOME)


ADMINISTRATION = Router(
    HOME, route_handlers=[home, decide, invite, close], request_max_body_size=FORM_BYTES
)
