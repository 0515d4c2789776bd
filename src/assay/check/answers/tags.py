# SPDX-License-Identifier: MIT
"""Known answers of crypto_auth and crypto_onetimeauth: tags, and forgeries to refuse."""

from assay.check.answers.asked import AskedPackage, compared, refusal, succeeded
from assay.check.answers.records import KnownAnswer, Mismatch, Result
from assay.model.operation import Op


def authenticated(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a tag, and its verification."""
    tag, message = answer.value("tag"), answer.value("message")
    asked.fits("key", answer.value("key"), "KEYBYTES")
    asked.fits("tag", tag, "BYTES")
    data, key = asked.put("message", message), asked.put("key", answer.value("key"))
    run = asked.call("_verify", asked.put("tag", tag), data, len(message), key)
    settled, mismatch = refusal(answer, "verification", run.first)
    if settled and answer.result is not Result.VALID:
        return mismatch
    run = asked.call("", asked.room("output", len(tag)), data, len(message), key)
    got = asked.get("output", len(tag))
    return succeeded(Op.AUTH, run.first) or compared(("the tag", tag, got)) or mismatch
