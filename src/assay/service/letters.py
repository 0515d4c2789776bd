# SPDX-License-Identifier: MIT
"""What leaves the service as text: letters to submitters, and the feed of what was published."""

from email.message import EmailMessage
from xml.sax.saxutils import escape, quoteattr

from assay.service.accounts import account_of
from assay.service.house import House
from assay.service.states import MEANING, letter
from assay.service.submissions import Submission, listed


def letter_of(house: House, one: Submission) -> EmailMessage:
    """Return a letter on the state of a submission to its account's address."""
    mail = account_of(house.records, one.account).mail
    return letter(one.state, one.name, one.reason, digest=one.digest, mail=mail,
                  page=house.page_of(one.id))  # fmt: skip


def feed_of(house: House) -> str:
    """Return an Atom feed of submissions that are public."""
    found = listed(house.records, None)
    updated = max((one.changed for one in found), default="1970-01-01T00:00:00+00:00")
    here = f"{house.origin}/submissions/feed.xml"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "<title>Submissions</title>",
        f"<id>{escape(here)}</id>",
        f"<updated>{updated}</updated>",
        "<author><name>Assay</name></author>",
        f'<link rel="self" href={quoteattr(here)}/>',
    ]
    for one in found:
        page = house.page_of(one.id)
        lines.append(
            f"<entry><title>{escape(one.name)}: {one.state}</title>"
            f"<id>urn:assay:submission:{one.id}</id><updated>{one.changed}</updated>"
            f"<author><name>{escape(one.owner)}</name></author>"
            f"<link href={quoteattr(page)}/><summary>{escape(MEANING[one.state])} "
            f"SHA-256 {one.digest}</summary></entry>"
        )
    return "\n".join([*lines, "</feed>", ""])
