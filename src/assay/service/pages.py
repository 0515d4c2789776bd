# SPDX-License-Identifier: MIT
"""Pages and forms for browsers, in the templates of the static site."""

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from litestar import Router, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import File, Redirect, Response

from assay.errors import UsageError
from assay.package.download import LIMIT_BYTES
from assay.service import accounts as people
from assay.service.api import attached
from assay.service.doors import (
    AnyRequest,
    cookie_name,
    form_of,
    form_with_file,
    local_path,
    require_same_origin,
    require_session,
    session_cookie,
    signed_in,
    who,
)
from assay.service.house import house_of, submit_address, submit_upload, withdraw
from assay.service.places import uploading
from assay.service.states import ENDED, State
from assay.service.submissions import listed, owns, require_quota
from assay.service.views import feed_of, letter_of, machines_of, summary_of, view_of
from assay.site.page import environment

FORM_BYTES = 64 << 10
OVERHEAD_BYTES = 1 << 20  # of a form around its file
OPEN_FORM = [require_same_origin]
FORM = [require_same_origin, require_session]
HTML = "text/html"
Page = Response[str]


@cache
def templates() -> Environment:
    """Return the site's templates, with the service's over them."""
    site = environment()
    made = site.overlay()
    made.loader = ChoiceLoader([PackageLoader("assay.service"), *filter(None, [site.loader])])
    return made


def shown(request: AnyRequest, template: str, status: int = 200, **context: Any) -> Page:
    """Return a page; all have who is signed in, and the mark that forms carry."""
    found = signed_in(request)
    text = (
        templates()
        .get_template(template)
        .render(
            root="/", account=found and found.account, mark=found.form if found else "", **context
        )
    )
    return Response(text, media_type=HTML, status_code=status)


def onward(path: str) -> Redirect:
    """Return an answer that makes a browser show another page, and not send the form again."""
    return Redirect(path, status_code=303)


@get("/", include_in_schema=False)
async def front(request: AnyRequest) -> Page:
    """Return the first page: what this is, and what was published last."""
    house = house_of(request)
    newest = [summary_of(house, one) for one in listed(house.records, None, newest=10)]
    has_site = (house.folder.site / "index.html").is_file()
    return shown(request, "service.html.j2", newest=newest, has_site=has_site,
                 machines=await machines_of(house))  # fmt: skip


@get("/submissions", include_in_schema=False)
async def submissions(request: AnyRequest, before: FromQuery[str] = "") -> Page:
    """Return the list of submissions that somebody may see."""
    house, found = house_of(request), signed_in(request)
    some = listed(house.records, found.account if found else None, before=before)
    return shown(request, "submissions.html.j2",
                 submissions=[summary_of(house, one) for one in some])  # fmt: skip


@get("/submissions/feed.xml", include_in_schema=False)
async def feed(request: AnyRequest) -> Response[str]:
    """Return the feed of submissions that are public."""
    return Response(feed_of(house_of(request)), media_type="application/atom+xml")


@get("/submissions/{number:str}", include_in_schema=False)
async def submission(request: AnyRequest, number: FromPath[str]) -> Page:
    """Return the page of a submission."""
    house, found = house_of(request), signed_in(request)
    account = found.account if found else None
    one = house.seen(number, account)
    mine = account is not None and owns(account, one)
    return shown(request, "submission.html.j2", one=view_of(house, one, account), mine=mine,
                 gone=one.state is State.WITHDRAWN, ended=one.state in ENDED)  # fmt: skip


@get("/submissions/{number:str}/archive", guards=[require_session], include_in_schema=False)
async def archive(request: AnyRequest, number: FromPath[str]) -> File:
    """Return the archive to its owner."""
    house = house_of(request)
    one = house.owned(number, who(request).account)
    return attached(house.folder.archive(one.digest), f"{one.id}.archive")


@get("/submissions/{number:str}/letter", guards=[require_session], include_in_schema=False)
async def letter(request: AnyRequest, number: FromPath[str]) -> Response[bytes]:
    """Return the letter to the owner, as a file for a mail program."""
    house = house_of(request)
    one = house.owned(number, who(request).account)
    name = {"Content-Disposition": f'attachment; filename="{one.id}.eml"'}
    return Response(letter_of(house, one).as_bytes(), media_type="message/rfc822", headers=name)


@get("/submissions/{number:str}/bundles/{digest:str}", include_in_schema=False)
async def bundle(request: AnyRequest, number: FromPath[str], digest: FromPath[str]) -> File:
    """Return a bundle of results, for `assay verify`."""
    house, found = house_of(request), signed_in(request)
    one = house.seen(number, found.account if found else None)
    known = view_of(house, one, None).jobs
    if not any(each.bundle == digest and digest for each in known):
        raise NotFoundException("this submission has no such bundle")
    return attached(house.folder.bundles / digest, f"{one.id}.bundle.tar.gz")


@post("/submissions/{number:str}/withdraw", guards=FORM, include_in_schema=False)
async def take_back(request: AnyRequest, number: FromPath[str]) -> Redirect:
    """Withdraw a submission."""
    house, account = house_of(request), who(request).account
    form = await form_of(request)
    await withdraw(house, house.owned(number, account), account, form.get("reason", "")[:2000])
    return onward(f"/submissions/{number}")


@get("/submit", guards=[require_session], include_in_schema=False)
async def submit_page(request: AnyRequest) -> Page:
    """Return the forms of a submission."""
    return shown(request, "submit.html.j2", limit=LIMIT_BYTES >> 20)


@post("/submit", guards=FORM, include_in_schema=False,
      request_max_body_size=LIMIT_BYTES + OVERHEAD_BYTES)  # fmt: skip
async def submit_file(request: AnyRequest) -> Redirect:
    """Take an archive of a form."""
    house, account = house_of(request), who(request).account
    require_quota(house.records, account)
    async with uploading(house.folder) as upload:
        form = await form_with_file(request, upload)
        one = submit_upload(house, account, upload, form.get("name", ""), form.get("message", ""))
    return onward(f"/submissions/{one.id}")


@post("/submit/address", guards=FORM, include_in_schema=False)
async def submit_by_address(request: AnyRequest) -> Redirect:
    """Take an address of a form."""
    form = await form_of(request)
    one = submit_address(
        house_of(request), who(request).account, form.get("url", "").strip(),
        form.get("sha256", "").strip(), form.get("name", ""), form.get("message", ""),
    )  # fmt: skip
    return onward(f"/submissions/{one.id}")


@get("/sign-in", include_in_schema=False)
async def sign_in_page(request: AnyRequest, then: FromQuery[str] = "/") -> Page:
    """Return the forms for a token, and for an invitation."""
    return shown(request, "sign-in.html.j2", then=local_path(then))


@post("/sign-in", guards=OPEN_FORM, include_in_schema=False)
async def sign_in(request: AnyRequest) -> Response[Any]:
    """Begin a session of a browser."""
    house, form = house_of(request), await form_of(request, marked=False)
    then = local_path(form.get("then", "/"))
    found = people.by_token(house.records, form.get("token", "").strip())
    if found is None:
        wrong = "This token is unknown or revoked."
        return shown(request, "sign-in.html.j2", 401, then=then, wrong=wrong)
    answer = onward(then)
    answer.set_cookie(session_cookie(house, people.begin_session(house.records, found.token)))
    return answer


@post("/invitation", guards=OPEN_FORM, include_in_schema=False)
async def invitation(request: AnyRequest) -> Page:
    """Show the token of an invitation, once."""
    form = await form_of(request, marked=False)
    records = house_of(request).records
    try:
        token = people.redeem(records, form.get("code", "").strip(), "from an invitation")
    except UsageError as error:
        return shown(request, "sign-in.html.j2", 400, then="/", wrong=f"{error}. {error.cure}")
    return shown(request, "token.html.j2", token=token)


@post("/sign-out", guards=FORM, include_in_schema=False)
async def sign_out(request: AnyRequest) -> Redirect:
    """End the session."""
    await form_of(request)
    house = house_of(request)
    people.end_session(house.records, request.cookies.get(cookie_name(house), ""))
    answer = onward("/")
    answer.set_cookie(session_cookie(house, ""))
    return answer


@get("/account", guards=[require_session], include_in_schema=False)
async def account_page(request: AnyRequest) -> Page:
    """Return quotas and tokens of an account."""
    found = who(request)
    mine = people.tokens_of(house_of(request).records, found.account)
    return shown(request, "account.html.j2", tokens=mine, current=found.token)


@post("/account/tokens", guards=FORM, include_in_schema=False)
async def new_token(request: AnyRequest) -> Page:
    """Show one more token of an account, once."""
    form, account = await form_of(request), who(request).account
    label = form.get("label", "").strip()[:100] or "unnamed"
    token = people.another_token(house_of(request).records, account, label)
    return shown(request, "token.html.j2", token=token)


@post("/account/tokens/{number:int}/revoke", guards=FORM, include_in_schema=False)
async def revoke_token(request: AnyRequest, number: FromPath[int]) -> Redirect:
    """Revoke a token of one's own."""
    await form_of(request)
    people.revoke(house_of(request).records, who(request).account, number)
    return onward("/account")


PAGES = Router(
    "/",
    route_handlers=[
        front, submissions, feed, submission, archive, letter, bundle, take_back,
        submit_page, submit_file, submit_by_address,
        sign_in_page, sign_in, invitation, sign_out, account_page, new_token, revoke_token,
    ],
    request_max_body_size=FORM_BYTES,
)  # fmt: skip
