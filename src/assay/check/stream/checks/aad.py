# SPDX-License-Identifier: MIT
"""Whether associated data may come in pieces."""

from collections.abc import Callable, Iterator
from functools import partial

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.evidence import require_equal
from assay.check.routine import Pieces, Routine
from assay.check.stream.routines import CipherMessage, fresh_message
from assay.check.stream.trial import Trial

TEXT_BYTES = 5
Cuts = Callable[[Trial, int], Iterator[Pieces]]


def require_data(trial: Trial) -> None:
    """Raise CheckSkipped if the cipher takes no associated data."""
    if "supports-aad" not in trial.subject.flags:
        if not trial.subject.authenticates:
            raise CheckInapplicable("the API has no associated data")
        raise CheckSkipped("the cipher takes no associated data (ECRYPT_SUPPORTS_AAD)")


def splits(trial: Trial, cuts: Cuts) -> None:
    """Authenticate data in one piece, and cut, by bytes and by blocks."""
    require_data(trial)
    if "incremental-aad" not in trial.subject.flags:
        raise CheckSkipped("the cipher takes it in one piece (ECRYPT_SUPPORTS_INCREMENTAL_AAD)")
    longest = 4 * trial.subject.block_bytes + 3
    for sizes in trial.few_sizes:
        message = fresh_message(trial.bytes, trial.subject, sizes, TEXT_BYTES, longest)
        with trial.session() as session:
            arena = Arena(session)
            arena.use(message.by("encrypt_packet"))
            for length in {longest, longest - 3, longest // 2}:
                _compare(arena, message, tuple(cuts(trial, length)))
            _compare(arena, message, ((0,), (), (0, 0)))


def _block_cuts(trial: Trial, length: int) -> Iterator[Pieces]:
    """Cut after whole blocks: in two, in three and in single blocks; the rest comes last."""
    block = trial.subject.block_bytes
    whole = length // block * block
    for first in range(0, whole + 1, block):
        yield first, length - first
        for second in range(0, whole - first + 1, block):
            yield first, second, length - first - second
    yield (*(block,) * (whole // block), length - whole)


def _odd_cuts(trial: Trial, length: int) -> Iterator[Pieces]:
    """Cut in two and in three at every place, and into bytes."""
    steps = 1 if trial.thorough else 5
    for first in range(0, length + 1, steps):
        yield first, length - first
    for first in range(0, length + 1, steps):
        second = trial.random.randint(0, length - first)
        yield first, second, length - first - second
    yield (1,) * length


def _compare(arena: Arena, message: CipherMessage, cuts: tuple[Pieces, ...]) -> None:
    whole = arena.again(_in_pieces(message, (sum(cuts[0]),)), "MAC")
    with_blocks = "authenticate_blocks" in message.subject.functions
    waiting = []
    for blocks in (False, True) if with_blocks else (False,):
        for cut in cuts:
            if blocks and not any(one and one % message.unit == 0 for one in cut[:-1]):
                continue  # there is nothing that goes to the function for blocks
            routine = _in_pieces(message, cut, blocks=blocks)
            waiting.append((cut, routine, arena.again(routine, "MAC")))
    expected = whole.value.outputs["MAC"]
    for cut, routine, mac in waiting:
        pieces = " + ".join(map(str, cut))
        complaint = f"associated data as {pieces} bytes has another MAC than in one piece"
        require_equal(routine, complaint, "MAC", expected, mac.value.outputs["MAC"])


def _in_pieces(message: CipherMessage, cut: Pieces, *, blocks: bool = False) -> Routine:
    """Authenticate the pieces; whole blocks by authenticate_blocks if `blocks` says so."""
    title, text = f"a message with data in pieces ({message.sizes})", (len(message.text),)
    return message.cut(title, "encrypt_bytes", text, cut, in_blocks=blocks)


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
        run=partial(splits, cuts=_block_cuts),
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
        run=partial(splits, cuts=_odd_cuts),
        excuse=_free,
    ),
)
