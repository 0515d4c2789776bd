# SPDX-License-Identifier: MIT
"""Accounts by invitation, and the secrets by which they are known: hashed where they are kept.

There are no passwords. An invitation is redeemed for a token, once; a token signs in the command
line with each request, and a browser for a session. All of them are 256 random bits, so a plain
SHA-256 of them says nothing to whoever reads the tables.
"""

import hashlib
import hmac
import re
import secrets
from datetime import timedelta
from email.errors import HeaderParseError
from email.headerregistry import Address
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from assay.errors import UsageError
from assay.service.records import (
    ServiceRecords,
    accounts,
    invitations,
    noted,
    now,
    sessions,
    tokens,
)

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
INVITED = timedelta(days=14)
SIGNED_IN = timedelta(days=14)
WAITING, DAILY = 5, 20
MOST_TOKENS = 20
_PREFIX = "assay_"  # by which scanners of leaked secrets may know them


class ServiceAccount(Struct, frozen=True):
    """Who sends packages: a name, where refusals are mailed to, and how much may be sent."""

    id: int
    name: str
    mail: str
    administrator: bool
    waiting: int
    daily: int


class SignedIn(Struct, frozen=True):
    """An account, by which token, and what a form of this session must carry."""

    account: ServiceAccount
    token: int
    form: str = ""


def invite(
    records: ServiceRecords,
    name: str,
    mail: str = "",
    *,
    administrator: bool = False,
    waiting: int = WAITING,
    daily: int = DAILY,
    who: str = "command line",
) -> str:
    """Make an account, or find the one of this name, and return a code for one new token."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!a} cannot be the name of an account",
            "Use up to 40 letters a to z, digits, points, hyphens and underscores.",
        )
    _require_mail(mail)
    code = secrets.token_urlsafe(32)
    with records.change() as to:
        known = to.execute(select(accounts.c.id).where(accounts.c.name == name)).scalar()
        if known is None:
            row = {"name": name, "mail": mail, "administrator": administrator, "created": now(),
                   "waiting": waiting, "daily": daily}  # fmt: skip
            made = insert(accounts).values(row).returning(accounts.c.id)
            known = to.execute(made).scalar_one()
        row = {"hash": hashed(code), "account": known, "expires": now(INVITED)}
        to.execute(insert(invitations).values(row))
        noted(to, who, "invite", name, "administrator" if administrator else "")
    return code


def redeem(records: ServiceRecords, code: str, label: str) -> str:
    """Return a token for the code of an invitation, which is used up by that."""
    with records.change() as to:
        found = to.execute(
            delete(invitations)
            .where(invitations.c.hash == hashed(code), invitations.c.expires > now())
            .returning(invitations.c.account)
        ).scalar()
        if found is None:
            raise UsageError(
                "this invitation is unknown, used or older than 14 days", "Ask for a new one."
            )
        return _new_token(to, found, label)


def another_token(records: ServiceRecords, account: ServiceAccount, label: str) -> str:
    """Return one more token of an account."""
    with records.change() as to:
        many = select(func.count()).where(tokens.c.account == account.id)
        if to.execute(many).scalar_one() >= MOST_TOKENS:
            raise UsageError(f"there are {MOST_TOKENS} tokens", "Revoke one first.")
        return _new_token(to, account.id, label)


def _new_token(to: Connection, account: int, label: str) -> str:
    token = _PREFIX + secrets.token_urlsafe(32)
    row = {"hash": hashed(token), "account": account, "label": label, "created": now()}
    to.execute(insert(tokens).values(row))
    name = to.execute(select(accounts.c.name).where(accounts.c.id == account)).scalar_one()
    noted(to, name, "token", name, label)
    return token


def revoke(records: ServiceRecords, account: ServiceAccount, token: int) -> bool:
    """Forget a token of an account, and the sessions that it began."""
    with records.change() as to:
        gone = to.execute(
            delete(tokens).where(tokens.c.id == token, tokens.c.account == account.id)
        ).rowcount
        if gone:
            noted(to, account.name, "revoke", account.name, str(token))
    return bool(gone)


def close_account(records: ServiceRecords, name: str, who: str) -> bool:
    """Close an account for good: its tokens end, what it published stays."""
    with records.change() as to:
        found = to.execute(
            update(accounts).where(accounts.c.name == name).values(closed=True)
        ).rowcount
        mine = select(accounts.c.id).where(accounts.c.name == name).scalar_subquery()
        to.execute(delete(tokens).where(tokens.c.account == mine))
        to.execute(delete(invitations).where(invitations.c.account == mine))
        if found:
            noted(to, who, "close", name)
    return bool(found)


def tokens_of(records: ServiceRecords, account: ServiceAccount) -> list[Any]:
    """Return number, label and day of the tokens of an account."""
    with records.look() as at:
        wanted = select(tokens.c.id, tokens.c.label, tokens.c.created)
        return list(at.execute(wanted.where(tokens.c.account == account.id)))


def by_token(records: ServiceRecords, token: str) -> SignedIn | None:
    """Return whose token this is."""
    return _signed_in(records, tokens.c.hash == hashed(token))


def begin_session(records: ServiceRecords, token: int) -> str:
    """Return the secret of a new session of a browser."""
    secret = secrets.token_urlsafe(32)
    with records.change() as to:
        to.execute(delete(sessions).where(sessions.c.expires <= now()))
        row = {"hash": hashed(secret), "token": token, "expires": now(SIGNED_IN)}
        to.execute(insert(sessions).values(row))
    return secret


def by_session(records: ServiceRecords, secret: str) -> SignedIn | None:
    """Return who began a session, unless it has ended."""
    mine = (sessions.c.hash == hashed(secret)) & (sessions.c.expires > now())
    which = tokens.c.id.in_(select(sessions.c.token).where(mine))
    return _signed_in(records, which, form_mark(secret))


def _signed_in(
    records: ServiceRecords, which: ColumnElement[bool], form: str = ""
) -> SignedIn | None:
    """Return whose token it is, if the account is open."""
    wanted = select(accounts, tokens.c.id.label("token")).join(tokens)
    with records.look() as at:
        row = at.execute(wanted.where(which, ~accounts.c.closed)).first()
    return None if row is None else SignedIn(_account(row), row.token, form)


def end_session(records: ServiceRecords, secret: str) -> None:
    """Forget a session."""
    with records.change() as to:
        to.execute(delete(sessions).where(sessions.c.hash == hashed(secret)))


def account_of(records: ServiceRecords, number: int) -> ServiceAccount:
    """Return an account by its number."""
    with records.look() as at:
        return _account(at.execute(select(accounts).where(accounts.c.id == number)).one())


def all_accounts(records: ServiceRecords) -> list[Any]:
    """Return the rows of all accounts, by name."""
    with records.look() as at:
        return list(at.execute(select(accounts).order_by(accounts.c.name)))


def form_mark(secret: str) -> str:
    """Return what forms of a session carry, which no other site can know."""
    return hmac.new(secret.encode(), b"form", "sha256").hexdigest()


def hashed(secret: str) -> str:
    """Return a secret as it is kept."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _account(row: Row[Any]) -> ServiceAccount:
    return ServiceAccount(row.id, row.name, row.mail, row.administrator, row.waiting, row.daily)


def _require_mail(mail: str) -> None:
    """Raise UsageError for what is no address of one mailbox; none at all is allowed."""
    if not mail:
        return
    try:
        fine = mail.isascii() and mail.isprintable() and bool(Address(addr_spec=mail).domain)
    except (HeaderParseError, ValueError, IndexError):
        fine = False
    if not fine or len(mail) > 254:
        raise UsageError(f"{mail!a} is no address for mail", "Give one like name@example.org.")
