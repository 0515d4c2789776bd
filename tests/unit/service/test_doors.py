# SPDX-License-Identifier: MIT
"""Who may come in: forged and revoked tokens, forms of other sites, and others' things."""

import asyncio
import re
import sqlite3

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace
from tests.unit.service.conftest import ORIGIN, Client, FakeWorker, Person, published, sent

from assay.errors import UsageError
from assay.service.accounts import (
    account_of,
    begin_session,
    by_session,
    by_token,
    invite,
    redeem,
    revoke,
)
from assay.service.app import make_app
from assay.service.desk import SubmissionDesk
from assay.service.house import House
from assay.service.places import ServiceFolder
from assay.service.records import ServiceRecords


def sign_in(client: Client, who: Person) -> str:
    """Begin a session; return the mark that its forms carry."""
    client.cookies.clear()
    answer = client.post("/sign-in", data={"token": who.token, "then": "/account"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    return mark_of(client.get("/account").text)


def mark_of(page: str) -> str:
    """Return the mark of the forms on a page."""
    found = re.search(r'name="mark" value="([0-9a-f]{64})"', page)
    assert found is not None
    return found[1]


def test_secrets_are_kept_as_hashes(
    records: ServiceRecords, folder: ServiceFolder, ann: Person
) -> None:
    """Neither a token, nor the code of an invitation, nor a session can be read in the tables."""
    code = invite(records, "carl")
    signed = by_token(records, ann.token)
    assert signed is not None
    session = begin_session(records, signed.token)
    with sqlite3.connect(folder.root / "service.db") as tables:
        dump = "\n".join(tables.iterdump())
    tables.close()
    assert "INSERT" in dump
    for secret in (ann.token, ann.token.removeprefix("assay_"), code, session):
        assert secret not in dump


def test_an_invitation_works_once(records: ServiceRecords) -> None:
    """Whoever comes second gets no token."""
    code = invite(records, "carl")
    redeem(records, code, "first")
    with pytest.raises(UsageError, match="unknown, used or older"):
        redeem(records, code, "second")


def test_a_revoked_token_ends_its_sessions(records: ServiceRecords, ann: Person) -> None:
    """A stolen browser is out as soon as its token is."""
    signed = by_token(records, ann.token)
    assert signed is not None
    session = begin_session(records, signed.token)
    assert by_session(records, session) is not None
    assert revoke(records, account_of(records, signed.account.id), signed.token)
    assert by_session(records, session) is None
    assert by_token(records, ann.token) is None


@pytest.mark.parametrize(
    "header",
    ["Bearer assay_forged", "Bearer ", "Basic YW5uOg==", "Bearer ' OR 1=1 --", "bearer", "é" * 50],
)
def test_a_forged_token_is_refused(client: Client, ann: Person, header: str) -> None:
    """Whatever is sent in the place of a token."""
    del ann
    headers = [(b"Authorization", header.encode("latin-1"))]
    answer = client.post(
        "/api/v1/submissions", params={"name": "x"}, content=b"x", headers=headers
    )
    assert answer.status_code == 401


def test_the_api_takes_no_cookies_and_pages_take_no_tokens(client: Client, ann: Person) -> None:
    """So no other site can make a browser use the API."""
    sign_in(client, ann)
    assert client.post("/api/v1/submissions", params={"name": "x"}).status_code == 401
    client.cookies.clear()
    assert client.get("/account", headers=ann.headers).status_code == 303


def test_a_form_counts_only_with_the_mark_of_its_session(
    client: Client, ann: Person, bob: Person
) -> None:
    """None, a made-up one, and another session's are refused."""
    others = sign_in(client, bob)
    sign_in(client, ann)
    for mark in ("", "0" * 64, others, "é"):
        answer = client.post("/account/tokens", data={"mark": mark, "label": "x"})
        assert answer.status_code == 403
    assert client.post("/account/tokens", data={"label": "x"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": ORIGIN},
    ],
)
@pytest.mark.parametrize("path", ["/account/tokens", "/sign-in", "/invitation"])
def test_forms_of_other_sites_are_refused(
    client: Client, ann: Person, path: str, headers: dict[str, str]
) -> None:
    """Those that need no session, too: nobody is signed in as somebody else."""
    mark = sign_in(client, ann)
    data = {"mark": mark, "token": ann.token, "code": "x"}
    assert client.post(path, data=data, headers=headers).status_code == 403


def test_a_form_that_is_sent_again_submits_once(
    client: Client, ann: Person, archive: bytes
) -> None:
    """The second answer leads to the first submission."""
    mark = sign_in(client, ann)
    form = {"mark": mark, "name": "rc4", "message": ""}
    file = {"archive": ("rc4.tar.gz", archive)}
    first, second = (client.post("/submit", data=form, files=file) for _ in range(2))
    assert first.status_code == second.status_code == 303
    assert first.headers["location"] == second.headers["location"]


def test_a_form_of_a_session_that_has_ended_is_refused(client: Client, ann: Person) -> None:
    """Signing out ends the session at the service, and not only in the browser."""
    mark = sign_in(client, ann)
    kept = dict(client.cookies)
    assert client.post("/sign-out", data={"mark": mark}).status_code == 303
    client.cookies.update(kept)
    answer = client.post("/account/tokens", data={"mark": mark, "label": "x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?then=%2F")


def test_others_cannot_see_or_change_what_is_not_published(
    client: Client, ann: Person, bob: Person, archive: bytes
) -> None:
    """It is not there for them: by the API, by pages, with and without an account."""
    number = sent(client, ann, archive)["id"]
    here = f"/api/v1/submissions/{number}"
    for headers in ({}, bob.headers):
        assert client.get(here, headers=headers).status_code == 404
        assert number not in client.get("/api/v1/submissions", headers=headers).text
    for path in (here, f"{here}/archive", f"{here}/letter"):
        method = "DELETE" if path == here else "GET"
        assert client.request(method, path, headers=bob.headers).status_code == 404
    mark = sign_in(client, bob)
    for path in ("", "/archive", "/letter"):
        assert client.get(f"/submissions/{number}{path}").status_code == 404
    assert client.post(f"/submissions/{number}/withdraw", data={"mark": mark}).status_code == 404
    assert number not in client.get("/submissions").text


def test_others_cannot_change_what_is_published(
    client: Client,
    ann: Person,
    bob: Person,
    archive: bytes,
    desk: SubmissionDesk,
    worker: FakeWorker,
) -> None:
    """They see it, and neither withdraw it nor read its archive or letter."""
    number = sent(client, ann, archive)["id"]
    asyncio.run(published(desk, worker, number))
    here = f"/api/v1/submissions/{number}"
    assert client.get(here, headers=bob.headers).status_code == 200
    assert client.delete(here, headers=bob.headers).status_code == 403
    for what in ("archive", "letter"):
        assert client.get(f"{here}/{what}", headers=bob.headers).status_code == 403


@pytest.mark.parametrize("path", ["/audit", "/invitations", "/jobs/x"])
def test_what_is_for_administrators_is_for_nobody_else(
    client: Client, ann: Person, admin: Person, path: str
) -> None:
    """By the API, and by pages."""
    method = "GET" if path == "/audit" else "POST"
    body = {"name": "dora", "agreed": True}
    for who, statuses in ((ann, {403}), (admin, {200, 201, 404})):
        answer = client.request(method, f"/api/v1{path}", headers=who.headers, json=body)
        assert answer.status_code in statuses
    sign_in(client, ann)
    assert client.get("/administration").status_code == 403
    sign_in(client, admin)
    assert client.get("/administration").status_code == 200


def test_cookies_are_bound_to_https_where_that_is_used(house: House, ann: Person) -> None:
    """The prefix makes browsers refuse them from any other host, path or scheme."""
    secure = replace(house, origin="https://bench.example")
    with TestClient(make_app(secure, working=False), base_url=secure.origin) as client:
        client.follow_redirects = False
        answer = client.post("/sign-in", data={"token": ann.token})
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("__host-assay=")
    for word in ("httponly", "secure", "samesite=lax", "path=/"):
        assert word in cookie
    assert "domain" not in cookie
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    "then",
    ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "/a\r\nb"],
)
def test_signing_in_leads_to_pages_of_ours_only(client: Client, ann: Person, then: str) -> None:
    """No link makes this service send anybody elsewhere."""
    answer = client.post("/sign-in", data={"token": ann.token, "then": then})
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("host", ["evil.example", "bench.example.evil.example", "127.0.0.1"])
def test_other_names_of_the_host_are_refused(client: Client, host: str) -> None:
    """A name that leads here by a trick of DNS serves nothing."""
    assert client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/v1/nothing", "/site.css", "/account"])
def test_every_answer_forbids_what_pages_do_not_need(client: Client, path: str) -> None:
    """Errors, files and redirections included."""
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
