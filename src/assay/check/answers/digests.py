# SPDX-License-Identifier: MIT
"""Known answers of hashes and XOFs: digests, outputs, Monte Carlo chains."""

from assay.check.answers.asked import AskedPackage, Unfit, compared, succeeded
from assay.check.answers.records import AnswerTask, KnownAnswer, Mismatch
from assay.check.operation.script import Script
from assay.model.operation import Op

CHAINED = 1000  # digests between two that a Monte Carlo test states (SHAVS, SHA3VS)
AT_ONCE = 100
THREE = 3


def hashed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a digest."""
    asked.fits("digest", answer.value("digest"), "BYTES")
    return _hash(asked, answer.value("message"), answer.value("digest"))


def hashed_shortly(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output of any length, which is the beginning of every longer one."""
    output = answer.value("output")
    if len(output) > asked.constant("BYTES"):
        size = asked.constant("BYTES")
        raise Unfit(f"an output of more bytes than the package has ({size})")
    return _hash(asked, answer.value("message"), output)


def extended(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output, or a digest, with crypto_xof's of the same length."""
    message = answer.value("message")
    output = answer.value("output") or answer.value("digest")
    to = asked.room("output", len(output))
    run = asked.call("", to, len(output), asked.put("message", message), len(message))
    got = asked.get("output", len(output))
    return succeeded(Op.XOF, run.first) or compared(("the output", output, got))


def customised(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output of crypto_cxof with that for the same customisation string."""
    message, name = answer.value("message"), answer.value("z")
    output = answer.value("output") or answer.value("digest")
    to = asked.room("output", len(output))
    given = asked.put("message", message), len(message), asked.put("data", name), len(name)
    run = asked.call("", to, len(output), *given)
    got = asked.get("output", len(output))
    return succeeded(Op.CXOF, run.first) or compared(("the output", output, got))


def chained(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare the thousandth digest of a chain."""
    seed, digest = answer.value("seed"), answer.value("digest")
    asked.fits("digest", digest, "BYTES")
    size, width = len(digest), THREE if answer.task is AnswerTask.CHAIN_OF_THREE else 1
    if len(seed) != size and width == THREE:
        raise Unfit("a chain whose seed is no digest")
    data = asked.put("message", seed * width)
    to = asked.room("output", size)
    length = len(seed) * width
    for _ in range(CHAINED // AT_ONCE):
        script = Script()
        for _ in range(AT_ONCE):
            script.call(asked.number(""), (to, data, length))
            if width == THREE:
                script.copy(data, data.at(size), 2 * size)
            script.copy(data.at((width - 1) * size), to, size)
            length = size * width
        asked.run(script)
    return compared(("the last digest of the chain", digest, asked.get("output", size)))


def _hash(asked: AskedPackage, message: bytes, digest: bytes) -> Mismatch | None:
    to = asked.room("output", asked.constant("BYTES"))
    run = asked.call("", to, asked.put("message", message), len(message))
    got = asked.get("output", len(digest))
    return succeeded(Op.HASH, run.first) or compared(("the digest", digest, got))
