# SPDX-License-Identifier: MIT
"""Comparing a package with a file of known answers."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from assay.check.answers import public_key, sessions, symmetric
from assay.check.answers.asked import AskedPackage, Unfit, Unfollowed
from assay.check.answers.records import (
    AnswerEvidence,
    AnswerFile,
    AnswerTask,
    FileAgreement,
    KnownAnswer,
    Mismatch,
    Result,
)
from assay.check.answers.wycheproof import REPEATING
from assay.check.budget import Budget
from assay.check.operation.session import OperationSession
from assay.execute.agent import AgentFault, AgentLost, AgentRefusal, AgentSilent
from assay.model.operation import Op

TOO_SLOW = "they take long, and --answers compares all"

_NO_LETTER = re.compile(r"[^a-z0-9]+")

Driver = Callable[[AskedPackage, KnownAnswer], Mismatch | None]

DRIVERS: dict[str, dict[AnswerTask, Driver]] = {
    Op.HASH: {
        AnswerTask.DIGEST: symmetric.hashed,
        AnswerTask.XOF: symmetric.hashed_shortly,
        AnswerTask.CHAIN: symmetric.chained,
        AnswerTask.CHAIN_OF_THREE: symmetric.chained,
    },
    Op.XOF: {AnswerTask.DIGEST: symmetric.extended, AnswerTask.XOF: symmetric.extended},
    Op.CXOF: {AnswerTask.DIGEST: symmetric.customised, AnswerTask.XOF: symmetric.customised},
    Op.AUTH: {AnswerTask.MAC: symmetric.authenticated},
    Op.ONETIMEAUTH: {AnswerTask.MAC: symmetric.authenticated},
    Op.AEAD: {AnswerTask.SEAL: symmetric.sealed},
    Op.SECRETBOX: {AnswerTask.SEAL: symmetric.boxed},
    Op.BOX: {AnswerTask.BOX: symmetric.public_boxed},
    Op.STREAM: {AnswerTask.STREAM: symmetric.streamed},
    Op.SCALARMULT: {AnswerTask.EXCHANGE: public_key.multiplied},
    Op.DH: {AnswerTask.EXCHANGE: public_key.exchanged, AnswerTask.KEYPAIR: public_key.paired},
    Op.KEM: {
        AnswerTask.KEYPAIR: public_key.paired,
        AnswerTask.ENCAPSULATE: public_key.encapsulated,
        AnswerTask.DECAPSULATE: public_key.decapsulated,
        AnswerTask.KEM_SESSION: sessions.kem,
        AnswerTask.FIRST: partial(sessions.first, texts=sessions.kem_texts),
    },
    Op.SIGN: {
        AnswerTask.KEYPAIR: public_key.paired,
        AnswerTask.SIGN: public_key.signed,
        AnswerTask.VERIFY: public_key.verified,
        AnswerTask.SIGN_SESSION: sessions.sign,
        AnswerTask.FIRST: partial(sessions.first, texts=sessions.sign_texts),
    },
    Op.ENCRYPT: {
        AnswerTask.KEYPAIR: public_key.paired,
        AnswerTask.ENCRYPT_SESSION: sessions.encrypt,
    },
}

OPENING = {
    AnswerTask.KEM_SESSION: AnswerTask.DECAPSULATE,
    AnswerTask.SIGN_SESSION: AnswerTask.VERIFY,
}
"""What a package that cannot be given a seed's bytes can be asked of an answer from it."""

FED: dict[str, frozenset[str]] = {Op.CXOF: frozenset({"z"})}
"""Fields of answers that an operation has an input for and others of their task have not."""


def verify(
    session: OperationSession, file: AnswerFile, seconds: float = math.inf
) -> FileAgreement:
    """Compare every answer that fits the package; the others are counted with the reason.

    After so many seconds of the agent's processor no further answer is tried, but at least one is.

    The session's buffers are taken over. A fault of the code under test is a wrong answer.
    Where the agent is lost or silent that is the last one, and the rest is skipped.
    """
    return _Comparison(session, file).outcome(Budget(seconds))


class _Comparison:
    """The counts while a file is compared."""

    def __init__(self, session: OperationSession, file: AnswerFile) -> None:
        self._agent = session.agent
        self._asked = AskedPackage(session)
        self._operation = session.subject.operation
        self._drivers = DRIVERS.get(self._operation, {})
        own = own_name(session.subject.primitive, file.answers)
        self._answers = tuple(one for one in file.answers if one.of in ("", own))
        self._unfollowed = ""  # why the package's requests for random bytes are not met
        self._found = FileAgreement(Counter(file.skipped))
        if file.answers and not self._answers:
            self._found.skipped["they are of other primitives"] = len(file.answers)

    def outcome(self, budget: Budget) -> FileAgreement:
        """Compare all, or as many as there is time for."""
        found = self._found
        for number, answer in enumerate(self._answers, 1):
            left = len(self._answers) - number
            try:
                with budget.spending(self._agent):
                    self._one(answer)
            except (AgentLost, AgentSilent) as error:
                self._judge(answer, Mismatch(str(error)))
                found.skipped["not tried: the agent had ended"] += left
                break
            if budget.over:
                found.skipped[f"not tried: {TOO_SLOW}"] += left
                break
        found.skipped = +found.skipped
        return found

    def _one(self, answer: KnownAnswer) -> None:
        driver = self._drivers.get(answer.task)
        if driver is None:
            self._found.skipped[f"{answer.task}: {self._operation} has none"] += 1
            return
        fed = FED.get(self._operation, frozenset())
        given = {name for name in answer.unfed if name.lower() not in fed}
        again = {name for name in given if name.lower().endswith(REPEATING)}
        self._found.repeated |= again
        unfed = tuple(sorted(given - again))
        if unfed:
            self._found.skipped[_unfed(unfed, self._operation)] += 1
            self._found.unfed += 1
            return
        try:
            self._judge(answer, self._answered(driver, answer))
        except Unfit as reason:
            self._found.skipped[str(reason)] += 1
        except (AgentFault, AgentRefusal) as error:
            self._judge(answer, Mismatch(str(error)))

    def _answered(self, driver: Driver, answer: KnownAnswer) -> Mismatch | None:
        """Compare an answer, or only what opens where the package's requests are not followed."""
        opening = self._drivers.get(OPENING.get(answer.task, answer.task), driver)
        if opening is driver or not self._unfollowed:
            try:
                return driver(self._asked, answer)
            except Unfollowed as reason:
                if opening is driver:
                    raise
                self._unfollowed = str(reason)
        mismatch = opening(self._asked, answer)
        self._found.opened[self._unfollowed] += 1
        return mismatch

    def _judge(self, answer: KnownAnswer, mismatch: Mismatch | None) -> None:
        found = self._found
        if mismatch is None:
            found.passed += 1
            found.accepted += answer.result is Result.VALID
            return
        found.failed += 1
        flags = f" ({', '.join(answer.flags)})" if answer.flags else ""
        found.wrong[mismatch.what + flags] += 1
        found.evidence = found.evidence or AnswerEvidence(answer, mismatch)


def own_name(primitive: str, answers: Iterable[KnownAnswer]) -> str:
    """Return the name that a file has for a primitive: the longest that ends the primitive's.

    `ML-KEM-512` is `ml_kem_512`, and `OV-Is` is `uov_ov_Is`. Empty if the file has none.
    """
    whole = _plain(primitive)
    fitting = (one.of for one in answers if one.of and whole.endswith(_plain(one.of)))
    return max(fitting, key=lambda name: len(_plain(name)), default="")


def _plain(name: str) -> str:
    return _NO_LETTER.sub("", name.lower())


def _unfed(names: tuple[str, ...], operation: str) -> str:
    """State which fields of an answer the operation cannot be given."""
    what = "the field" if len(names) == 1 else "the fields"
    return f"they have {what} {' and '.join(names)}, which {operation} has no input for"
