# SPDX-License-Identifier: MIT
"""What random inputs do not ask of X25519, alone and in NaCl's boxes, and of Ed25519."""

from collections.abc import Callable, Iterator
from functools import partial

from assay.check.arena import Arena
from assay.check.check import Check, CheckFinding
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import lattices
from assay.check.schemes.ed25519 import Refused, refused, unreduced
from assay.check.schemes.known import (
    LENGTH,
    SIGNED,
    Question,
    ask_all,
    box_key,
    boxes,
    call_of,
    multiplies,
    only_known,
    points,
    product,
    scalars,
    signature,
)
from assay.check.seal.openings import Opening, opened, refuse_all

SECONDS = 2.0
DEEP_SECONDS = 150.0
SIZE = 32
PUBLIC_KEY = "p"
PAIRS = 1 << 16  # values of two bytes
WORD = 2
FEW = 512
GROUP = 4096


def run_encodings(trial: OperationTrial) -> str:
    """Ask for points and secret keys at the ends, and for signatures that are none."""
    if not boxes(trial):
        only_known(trial)
    with trial.session() as session:
        if multiplies(trial):
            asked = _products(trial, partial(product, call_of(trial, session, "")))
            return ask_all(trial, session, SECONDS, tuple(asked))
        if boxes(trial):
            asked = _products(trial, partial(box_key, call_of(trial, session, "_beforenm")))
            return ask_all(trial, session, SECONDS, tuple(asked))
        call = call_of(trial, session, "_open")
        tried = [_signed(call, one) for one in refused(trial.bytes)]
        remark = refuse_all(trial, session, SECONDS, tried)
        _look_at_unreduced(trial, session, call)
        return remark


def _signed(call: Opening, one: Refused) -> Opening:
    signed = call.given(SIGNED, one.signature + one.message, "")
    return signed.given(PUBLIC_KEY, one.public, one.about)


def _look_at_unreduced(trial: OperationTrial, session: OperationSession, call: Opening) -> None:
    """Raise CheckFinding if a key is taken that is not written as the RFC wants it."""
    session.agent.forget_buffers()
    for one in unreduced(trial.bytes):
        if opened(Arena(session), _signed(call, one))[0] == 0:
            raise CheckFinding(
                f"{call.step.function} takes {one.about}",
                f"public key {one.public.hex()}\nRFC 8032, section 5.1.3, refuses it; widespread "
                "implementations take it, which matters where all must agree\n",
            )


def _products(
    trial: OperationTrial, ask: Callable[[str, bytes, bytes], Question]
) -> Iterator[Question]:
    for about, point in points(trial.bytes):
        yield ask(f"a point {about}", trial.bytes(SIZE), point)
    for about, scalar in scalars(trial.bytes):
        yield ask(f"a secret key {about}", scalar, trial.bytes(SIZE))


def run_keys(trial: OperationTrial) -> str:
    """Use keys of which every two bytes take all their values, with `--deep` all of them."""
    if lattices.names_lattices(trial):
        return lattices.compare_keys(trial)
    only_known(trial)
    remark = ""
    with trial.session() as session:
        call = call_of(trial, session, "")
        seconds = DEEP_SECONDS if trial.deep else SECONDS / 2
        number = PAIRS if trial.deep else FEW
        groups = range(0, number, GROUP)
        columns = [
            (trial.random.randrange(1, PAIRS, 2), trial.random.randrange(PAIRS))
            for _ in range(2 * SIZE // WORD)
        ]
        for at in groups:
            asked = [
                _with_key(trial, call, columns, at + more) for more in range(min(GROUP, number))
            ]
            remark = ask_all(trial, session, seconds / len(groups), asked) or remark
    return remark


def _with_key(
    trial: OperationTrial, call: Opening, columns: list[tuple[int, int]], at: int
) -> Question:
    """Return a question; each column is a permutation of all values of two bytes."""
    numbers = ((odd * at + first) % PAIRS for odd, first in columns)
    data = b"".join(one.to_bytes(WORD, "little") for one in numbers)
    key, other = data[:SIZE], data[SIZE:]
    if multiplies(trial):
        return product(call, "one key of many", key, other)
    return signature(call, "one key of many", key, other + trial.bytes(LENGTH - SIZE))


CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "schemes/encodings",
        "Are points, keys and signatures right that random ones are never like?",
        (
            "Random inputs have no S of L or more, no public key that is no point, no coordinate "
            "of p or more and no point of small order. RFC 8032 refuses the first two, and "
            "RFC 7748 says what X25519 of the others is. A signature that is accepted with S + L "
            "can be changed by anybody; SUPERCOP's own tests do not ask."
        ),
        "Follow RFC 8032, section 5.1.7, and RFC 7748, section 5.",
        run_encodings,
    ),
    Check(
        "schemes/keys",
        "Do many keys give what another implementation gives?",
        (
            "A carry that comes with one key of 65,536 passes tests with hundreds of them. With "
            "`--deep` two neighbouring bytes of a key and of a point or message take all values. "
            "Asked of X25519 and Ed25519, and of ML-KEM and ML-DSA as far as the installed "
            "library has them: what it makes the package opens, and the other way round, at "
            "long lengths, too."
        ),
        "Compare the named key with another implementation, step by step.",
        run_keys,
    ),
)
