# SPDX-License-Identifier: MIT
"""Whether associated data may come in pieces, where the cipher says so."""

from collections.abc import Callable, Iterator

from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.stream.checks.laying import (
    Message,
    Places,
    fresh,
    get,
    lay,
    load_key,
    must_equal,
)
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import mac_bytes
from assay.check.stream.ways import shift
from assay.execute.agent import PendingAnswer

TEXT_BYTES = 5
Cuts = Callable[[Trial, int], Iterator[tuple[int, ...]]]


def splits(trial: Trial) -> None:
    """Authenticate data in one piece, and cut after whole blocks, by bytes and by blocks."""
    _ask(trial, _block_cuts)


def odd_splits(trial: Trial) -> None:
    """Authenticate data in one piece, in two at every place, and byte by byte."""
    _ask(trial, _odd_cuts)


def _ask(trial: Trial, cuts: Cuts) -> None:
    flags = trial.subject.flags
    if "supports-aad" not in flags:
        if not trial.subject.authenticates:
            raise CheckInapplicable("the API has no associated data")
        raise CheckSkipped("the cipher takes no associated data (ECRYPT_SUPPORTS_AAD)")
    if "incremental-aad" not in flags:
        raise CheckSkipped("the cipher takes it in one piece (ECRYPT_SUPPORTS_INCREMENTAL_AAD)")
    longest = 4 * trial.subject.block_bytes + 3
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, TEXT_BYTES, longest)
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            for length in {longest, longest - 3, longest // 2}:
                _compare(trial, session, places, message, cuts(trial, length))


def _block_cuts(trial: Trial, length: int) -> Iterator[tuple[int, ...]]:
    """Cut after whole blocks: in two, in three and in single blocks; the rest comes last."""
    block = trial.subject.block_bytes
    whole = length // block * block
    for first in range(0, whole + 1, block):
        yield first, length - first
        for second in range(0, whole - first + 1, block):
            yield first, second, length - first - second
    yield (*(block,) * (whole // block), length - whole)


def _odd_cuts(trial: Trial, length: int) -> Iterator[tuple[int, ...]]:
    steps = 1 if trial.thorough else 5
    for first in range(0, length + 1, steps):
        yield first, length - first
    for first in range(0, length + 1, steps):
        second = trial.random.randint(0, length - first)
        yield first, second, length - first - second
    yield (1,) * length


def _compare(
    trial: Trial,
    session: StreamSession,
    places: Places,
    message: Message,
    cuts: Iterator[tuple[int, ...]],
) -> None:
    chosen = tuple(cuts)
    whole = _mac(session, places, message, (sum(chosen[0]),))
    waiting = [(cut, _mac(session, places, message, cut)) for cut in chosen]
    if "authenticate_blocks" in trial.subject.functions:
        waiting += [(cut, _mac(session, places, message, cut, blocks=True)) for cut in chosen]
    for cut, mac in waiting:
        pieces = " + ".join(map(str, cut))
        complaint = f"associated data as {pieces} bytes has another MAC than in one piece"
        must_equal(complaint, message, whole.data, mac.data)


def _mac(session: StreamSession, places: Places, message: Message, cut: tuple[int, ...],
         *, blocks: bool = False) -> PendingAnswer:  # fmt: skip
    """Authenticate the pieces; whole blocks by authenticate_blocks if `blocks` says so."""
    block = session.subject.block_bytes
    session.ivsetup(places.ctx, places.iv)
    at = 0
    for length in cut:
        aad = shift(places.aad, at)
        if blocks and length % block == 0 and at + length < sum(cut):
            session.authenticate_blocks(places.ctx, aad, length // block)
        else:
            session.authenticate_bytes(places.ctx, aad, length)
        at += length
    session.crypt_bytes(ENCRYPT, places.ctx, places.source, places.to, len(message.text))
    session.finalize(places.ctx, places.mac)
    return get(session, places.mac, mac_bytes(message.sizes))


def _free(_: Trial) -> str:
    return "the API lets data come in whole blocks and one rest"


CHECKS = (
    Check(
        name="aad/splits",
        asks="Is the MAC the same however associated data is split after whole blocks?",
        why=(
            "ECRYPT_SUPPORTS_INCREMENTAL_AAD promises that associated data may come in pieces, "
            "as messages do: any number of whole blocks, then one remainder."
        ),
        cure=(
            "Look at the state that a call leaves for the next one, or do not define "
            "ECRYPT_SUPPORTS_INCREMENTAL_AAD."
        ),
        run=splits,
    ),
    Check(
        name="aad/odd-splits",
        asks="Is the MAC the same wherever associated data is split?",
        why=(
            "Header fields come one by one, and few are as long as a block. The API does not "
            "require this, so a difference is a finding and does not fail the package."
        ),
        cure=(
            "Keep the incomplete word in the context and continue with it, or document that all "
            "pieces but the last must be whole blocks."
        ),
        run=odd_splits,
        excuse=_free,
    ),
)
