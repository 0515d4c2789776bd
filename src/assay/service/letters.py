# SPDX-License-Identifier: MIT
"""What leaves the service as text: letters to submitters, and the feed of what was published."""

from email import policy
from email.message import EmailMessage
from xml.sax.saxutils import escape, quoteattr

from assay.report.printable import printable
from assay.service.accounts import account_of
from assay.service.house import House
from assay.service.states import MEANING, State
from assay.service.submissions import Submission, listed

_SUBJECTS = {
    State.REFUSED: "could not be accepted",
    State.WITHDRAWN: "was withdrawn",
    State.PUBLISHED: "is published",
}


def letter_of(house: House, one: Submission) -> EmailMessage:
    """Write to a submitter what became of a submission: a message that can be sent as it is.

    Whatever somebody typed stays in its line of the header, and in the text.
    """
    message = EmailMessage(policy=policy.SMTP)
    says = f"Your submission {printable(one.name)} {_SUBJECTS.get(one.state, f'is {one.state}')}"
    message["Subject"] = says
    if mail := account_of(house.records, one.account).mail:
        message["To"] = mail
    reason = [f"  {printable(line)}" for line in one.reason.splitlines()]
    lines = [f"{says}.", "", *(["Reason:", "", *reason, ""] if reason else []),
             MEANING[one.state], "", f"SHA-256: {one.digest}",
             f"Page: {house.page_of(one.id)}", ""]  # fmt: skip
    message.set_content("\n".join(lines))
    return message


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
