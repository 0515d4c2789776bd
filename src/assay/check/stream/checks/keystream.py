# SPDX-License-Identifier: MIT
"""Whether the keystream functions give what encryption adds."""

from assay.check import splitting
from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.lengths.sweep import sweep
from assay.check.splitting import Pieces
from assay.check.stream.checks.laying import (
    LONGEST_SWEPT,
    Message,
    Places,
    fresh,
    lay,
    load_key,
    must_equal,
    outcome,
    put,
)
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.ways import keystream_pieces, packet
from assay.model.apis import PACKAGED

FUNCTIONS = ("keystream_bytes", "keystream_blocks")


def keystream(trial: Trial) -> None:
    """Keystream in one piece and in many is encryption of zeros."""
    _skip_if_missing(trial)
    block = trial.subject.block_bytes
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, max(LONGEST_SWEPT, 9 * block + 7))
        length = len(message.text)
        cuts: list[Pieces] = [
            *((one,) for one in sweep(block, thorough=trial.thorough)),
            *splitting.in_all_ways(block),
            *splitting.at_random(trial.random, block, length, splitting.RANDOM_SPLITS),
        ]
        cuts = [pieces for pieces in cuts if sum(pieces) <= length]
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            _compare(session, places, message, cuts)


def _skip_if_missing(trial: Trial) -> None:
    if not PACKAGED[trial.package.api].has("_keystream_bytes"):
        raise CheckInapplicable(f"the API {trial.package.api} has no keystream functions")
    if "generates-keystream" not in trial.subject.flags:
        raise CheckSkipped("the cipher says that it generates no keystream")
    missing = [name for name in FUNCTIONS if name not in trial.subject.functions]
    if missing:
        raise CheckSkipped(
            "ECRYPT_GENERATES_KEYSTREAM is set, but not defined: "
            f"{', '.join(f'ECRYPT_{name}' for name in missing)} (quirk/keystream-missing)"
        )


def _compare(
    session: StreamSession,
    places: Places,
    message: Message,
    cuts: list[Pieces],
) -> None:
    length = len(message.text)
    put(session, places.source, bytes(length))
    packet(ENCRYPT, session, places, length, 0)
    whole = outcome(session, places, message.sizes, length).output
    waiting = []
    for pieces in cuts:
        block = session.subject.block_bytes
        counts = (one // block for one in pieces[:-1])
        keystream_pieces(session, places, sum(pieces), counts)
        waiting.append((pieces, outcome(session, places, message.sizes, sum(pieces)).output))
    for pieces, done in waiting:
        complaint = f"{sum(pieces)} bytes of keystream, as {splitting.said(pieces)}, are not what "
        must_equal(f"{complaint}encryption adds", message, whole.data[: sum(pieces)], done.data)


CHECKS = (
    Check(
        name="keystream/functions",
        asks="Do keystream_bytes and keystream_blocks give the encryption of zeros?",
        why=(
            "No vector covers these functions. Some well-known submissions announce them and "
            "lack them; Assay reports that as a quirk and skips this check."
        ),
        cure=(
            "Use one generator for keystream and encryption. Store the keystream in the output "
            "rather than adding it, because the output may hold anything."
        ),
        run=keystream,
    ),
)
