# SPDX-License-Identifier: MIT
"""Whether associated data may come in pieces, where the cipher says so."""

from collections.abc import Iterator

from assay.execute.agent import Answer
from assay.suite.check import Check, CheckInapplicable, CheckSkipped
from assay.suite.stream.checks.laying import (
    Message,
    Places,
    fresh,
    get,
    lay,
    load_key,
    must_equal,
)
from assay.suite.stream.checks.ways import shift
from assay.suite.stream.session import ENCRYPT, StreamSession
from assay.suite.stream.trial import Trial
from assay.suite.stream.vectors.produce import mac_bytes

TEXT_BYTES = 5


def splits(trial: Trial) -> None:
    """Give associated data in one piece, in two at every place, in bytes, and in blocks."""
    flags = trial.subject.flags
    if "supports-aad" not in flags:
        if not trial.subject.authenticates:
            raise CheckInapplicable("the API has no associated data")
        raise CheckSkipped("the cipher takes no associated data (ECRYPT_SUPPORTS_AAD)")
    if "incremental-aad" not in flags:
        raise CheckSkipped("the cipher takes it in one piece (ECRYPT_SUPPORTS_INCREMENTAL_AAD)")
    longest = 2 * trial.subject.block_bytes + 3
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, TEXT_BYTES, longest)
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            for length in {longest, longest - 3, longest // 2}:
                _compare(trial, session, places, message, length)


def _cuts(trial: Trial, length: int) -> Iterator[tuple[int, ...]]:
    steps = 1 if trial.thorough else 5
    for first in range(0, length + 1, steps):
        yield first, length - first
    for first in range(0, length + 1, steps):
        second = trial.random.randint(0, length - first)
        yield first, second, length - first - second
    yield (1,) * length


def _compare(
    trial: Trial, session: StreamSession, places: Places, message: Message, length: int
) -> None:
    whole = _mac(session, places, message, (length,))
    cuts = _cuts(trial, length)
    waiting = [(cut, _mac(session, places, message, cut)) for cut in cuts]
    if "authenticate_blocks" in trial.subject.functions:
        block = trial.subject.block_bytes
        parts = (length // block * block, length % block)
        waiting.append((parts, _mac(session, places, message, parts, blocks=True)))
    for cut, mac in waiting:
        pieces = " + ".join(map(str, cut))
        complaint = f"associated data as {pieces} bytes has another MAC than in one piece"
        must_equal(complaint, message, whole.data, mac.data)


def _mac(session: StreamSession, places: Places, message: Message, cut: tuple[int, ...],
         *, blocks: bool = False) -> Answer:  # fmt: skip
    """Authenticate the pieces, the first one by authenticate_blocks if `blocks` says so."""
    session.ivsetup(places.ctx, places.iv)
    at = 0
    for length in cut:
        aad = shift(places.aad, at)
        if blocks and at == 0:
            session.authenticate_blocks(places.ctx, aad, length // session.subject.block_bytes)
        else:
            session.authenticate_bytes(places.ctx, aad, length)
        at += length
    session.crypt_bytes(ENCRYPT, places.ctx, places.source, places.to, len(message.text))
    session.finalize(places.ctx, places.mac)
    return get(session, places.mac, mac_bytes(message.sizes))


CHECKS = (
    Check(
        name="aad/splits",
        asks="Has associated data one MAC, however it is cut into calls?",
        why="ECRYPT_SUPPORTS_INCREMENTAL_AAD says that it may come in pieces: header fields one "
        "by one. An incomplete word must then wait for the next call.",
        mend="Keep the incomplete word in the context and go on with it, or do not define "
        "ECRYPT_SUPPORTS_INCREMENTAL_AAD.",
        run=splits,
    ),
)
