# SPDX-License-Identifier: MIT
"""The `sign.input` file of Ed25519's authors: `sk pk:pk:message:signature message:` per line."""

import re
from collections.abc import Iterator

from assay.check.answers.records import AnswerTask, KnownAnswer, Skip
from assay.errors import VectorFormatError

FIELDS = 4
SEED_BYTES = 32
_LINE = re.compile(r"[0-9a-fA-F]*(:[0-9a-fA-F]*){3}:?")


def is_colons(line: str) -> bool:
    """Return whether a line is one of these."""
    return _LINE.fullmatch(line.strip()) is not None


def answers(lines: list[str], name: str) -> Iterator[KnownAnswer | Skip]:
    """Read a file: a key pair from its seed, and a signed message, per line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        parts = line.strip().split(":")[:FIELDS]
        try:
            secret, public, message, signed = (bytes.fromhex(part) for part in parts)
        except ValueError:
            raise VectorFormatError(
                f"{name}:{number} is no line of four hexadecimal fields",
                "docs/reference/known-answers.md shows the formats.",
            ) from None
        place = f"{name}:{number}"
        keys = {"random": secret[:SEED_BYTES], "public": public}
        yield KnownAnswer(AnswerTask.KEYPAIR, place, keys)
        values = {"key_random": secret[:SEED_BYTES], "message": message, "signed": signed}
        yield KnownAnswer(AnswerTask.SIGN, place, values)
