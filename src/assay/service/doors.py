# SPDX-License-Identifier: MIT
"""Who may come in: tokens for programs, sessions for browsers, and forms of our own pages only.

The API takes tokens and no cookies, pages take cookies and no tokens. So no other site can make
a browser use the API, and a form counts only if it carries the mark of its session.
"""

import hmac
from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import urlsplit

from litestar import Request
from litestar.datastructures import Cookie
from litestar.exceptions import (
    ClientException,
    InternalServerException,
    NotAuthorizedException,
    PermissionDeniedException,
)
from litestar.handlers import BaseRouteHandler
from litestar.types import Message, Scope
from multipart import MultipartError, MultipartSegment, PushMultipartParser

from assay.service.accounts import SIGNED_IN, SignedIn, by_session, by_token
from assay.service.house import Connection, House, house_of
from assay.service.places import Upload, UploadError, receive

AnyRequest = Request[Any, Any, Any]
FIELD_BYTES = 16 << 10
MOST_FIELDS = 10
_SIGNED = "signed"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)


async def add_headers(message: Message, scope: Scope) -> None:
    """Add to every answer, errors included, what browsers are to forbid."""
    if message["type"] == "http.response.start":
        house: House = scope["litestar_app"].state.house
        more = [(b"strict-transport-security", b"max-age=31536000")] if house.secure else []
        have = {name.lower() for name, _ in message["headers"]}
        if not scope["path"].startswith("/api/") and b"cache-control" not in have:
            mine = _SIGNED in scope.get("state", {})
            more.append((b"cache-control", b"no-store" if mine else b"no-cache"))
        message["headers"] = [*message["headers"], *HEADERS, *more]


def cookie_name(house: House) -> str:
    """Return the name of the session's cookie; the prefix binds it to this host and to https."""
    return "__Host-assay" if house.secure else "assay"


def session_cookie(house: House, secret: str) -> Cookie:
    """Return the cookie of a session; without a secret, one that ends it."""
    return Cookie(
        cookie_name(house), value=secret, httponly=True, secure=house.secure, samesite="lax",
        max_age=int(SIGNED_IN.total_seconds()) if secret else 0, path="/",
    )  # fmt: skip


async def require_token(connection: Connection, _: BaseRouteHandler) -> None:
    """Let those in who send a token, before anything of what they send is read."""
    found = _token(connection)
    if found is None:
        raise NotAuthorizedException(
            "send a token: `Authorization: Bearer TOKEN`",
            headers={"WWW-Authenticate": 'Bearer realm="assay"'},
        )
    connection.state[_SIGNED] = found


async def require_administrator(connection: Connection, handler: BaseRouteHandler) -> None:
    """Let administrators in who send a token."""
    await require_token(connection, handler)
    _require_administrator(connection)


async def require_session(connection: Connection, _: BaseRouteHandler) -> None:
    """Let browsers in that have signed in."""
    if signed_in(connection) is None:
        raise NotAuthorizedException("sign in first")


async def require_administrators_session(
    connection: Connection, handler: BaseRouteHandler
) -> None:
    """Let browsers of administrators in."""
    await require_session(connection, handler)
    _require_administrator(connection)


async def require_same_origin(connection: Connection, _: BaseRouteHandler) -> None:
    """Refuse what another site's page makes a browser send."""
    site = connection.headers.get("sec-fetch-site", "same-origin")
    origin = connection.headers.get("origin")
    ours = house_of(connection).origin
    if site not in ("same-origin", "none") or origin not in (None, ours):
        raise PermissionDeniedException("this form was sent by another site")


def _require_administrator(connection: Connection) -> None:
    if not who(connection).account.administrator:
        raise PermissionDeniedException("this is for administrators")


def _token(connection: Connection) -> SignedIn | None:
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token:
        return None
    return by_token(house_of(connection).records, token.strip())


def maybe_token(connection: Connection) -> SignedIn | None:
    """Return who sends a token; anybody may send none, but not a wrong one."""
    found = _token(connection)
    if found is None and "authorization" in connection.headers:
        raise NotAuthorizedException("this token is unknown or revoked")
    return found


def signed_in(connection: Connection) -> SignedIn | None:
    """Return whose browser it is."""
    house = house_of(connection)
    secret = connection.cookies.get(cookie_name(house))
    found = by_session(house.records, secret) if secret else None
    if found is not None:
        connection.state[_SIGNED] = found
    return found


def who(connection: Connection) -> SignedIn:
    """Return whom a guard has let in."""
    return cast("SignedIn", connection.state[_SIGNED])


def require_mark(request: AnyRequest, mark: str) -> None:
    """Refuse a form that is none of this session."""
    if not hmac.compare_digest(mark.encode(errors="replace"), who(request).form.encode()):
        raise PermissionDeniedException("this form is of another session; load its page again")


async def form_of(request: AnyRequest, *, marked: bool = True) -> dict[str, str]:
    """Return the fields of a form without files; refuse one that is none of this session."""
    if request.content_type[0] != "application/x-www-form-urlencoded":
        raise ClientException("this is no form")
    found = dict((await request.form()).multi_items())
    if marked:
        require_mark(request, str(found.get("mark", "")))
    return {key: value for key, value in found.items() if isinstance(value, str)}


async def form_with_file(request: AnyRequest, upload: Upload) -> dict[str, str]:
    """Return the fields of a form, and write its file to an upload.

    The mark has to come first: without it, nothing of the file is written.
    """
    boundary = request.content_type[1].get("boundary", "")
    if request.content_type[0] != "multipart/form-data" or not boundary:
        raise ClientException("this is no form with a file")
    form = _FormWithFile(request, boundary)
    await receive(form.chunks(), upload)
    require_mark(request, form.fields.get("mark", ""))
    return form.fields


class _FormWithFile:
    """A form with a file, read piece by piece: fields are short, the file goes to its place."""

    def __init__(self, request: AnyRequest, boundary: str) -> None:
        self._request, self._boundary = request, boundary
        self.fields: dict[str, str] = {}

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the file, and nothing where that is empty or absent."""
        segment: MultipartSegment | None = None
        text = bytearray()
        try:
            with PushMultipartParser(self._boundary, max_segment_count=MOST_FIELDS) as parser:
                async for chunk in stream_of(self._request):
                    yield b""  # that something came counts as progress
                    for part in () if parser.closed else parser.parse(chunk):
                        if isinstance(part, MultipartSegment):
                            segment, text = part, bytearray()
                        elif segment is None:
                            continue
                        elif part and segment.filename is not None:
                            require_mark(self._request, self.fields.get("mark", ""))
                            yield bytes(part)
                        elif part:
                            text += part
                            if len(text) > FIELD_BYTES:
                                raise ClientException(f"the field {segment.name!a} is too long")
                        elif segment.filename is None:
                            self.fields[segment.name] = text.decode(errors="replace")
        except MultipartError as error:
            raise UploadError(f"the form was cut short: {error}", "Send it again.") from None


async def stream_of(request: AnyRequest) -> AsyncIterator[bytes]:
    """Yield what comes; UploadError where it ends too soon."""
    try:
        async for chunk in request.stream():
            yield chunk
    except InternalServerException:
        raise UploadError("the upload was cut short", "Send it again.") from None


def local_path(text: str) -> str:
    """Return a path of our own to go on to; the front page for anything else."""
    parts = urlsplit(text)
    ours = text.startswith("/") and not (parts.scheme or parts.netloc) and "\\" not in text
    return text if ours and text.isprintable() and not text.startswith("//") else "/"
