# SPDX-License-Identifier: MIT
"""Known answers that tests write by hand, and what a package makes of them."""

from pathlib import Path

from assay.check.answers.records import (
    AnswerFile,
    AnswerTask,
    FileAgreement,
    KnownAnswer,
    Result,
)
from assay.check.answers.verify import verify
from assay.check.operation.session import OperationSession


def outcome(
    session: OperationSession, *answers: KnownAnswer, skipped: dict[str, int] | None = None
) -> FileAgreement:
    """Compare some answers."""
    return verify(session, AnswerFile(Path("some"), "some", answers, skipped or {}))


def answer(
    task: AnswerTask, result: Result = Result.VALID, /, **values: bytes | str
) -> KnownAnswer:
    """Write an answer; texts are hexadecimal."""
    given = {
        name: bytes.fromhex(value) if isinstance(value, str) else value
        for name, value in values.items()
    }
    return KnownAnswer(task, "some:1", given, result)
