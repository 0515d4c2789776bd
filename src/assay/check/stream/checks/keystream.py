# SPDX-License-Identifier: MIT
"""Whether the keystream functions give what encryption adds."""

from assay.check.check import Check, CheckInapplicable, CheckSkipped
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
    sweep,
)
from assay.check.stream.checks.lengths import Cut, all_cuts, random_cuts
from assay.check.stream.checks.ways import keystream_pieces, packet
from assay.check.stream.session import ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.model.apis import PACKAGED

FUNCTIONS = ("keystream_bytes", "keystream_blocks")


def keystream(trial: Trial) -> None:
    """Keystream in one piece and in many is encryption of zeros."""
    _skip_if_missing(trial)
    block = trial.subject.block_bytes
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, max(LONGEST_SWEPT, 9 * block + 7))
        cuts: list[Cut] = [(length, ()) for length in sweep(block, thorough=trial.thorough)]
        cuts += [*all_cuts(block), *random_cuts(trial, len(message.text))]
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
    cuts: list[Cut],
) -> None:
    length = len(message.text)
    put(session, places.source, bytes(length))
    packet(ENCRYPT, session, places, length, 0)
    whole = outcome(session, places, message.sizes, length).output
    waiting = []
    for part, counts in cuts:
        keystream_pieces(session, places, part, counts)
        waiting.append((part, counts, outcome(session, places, message.sizes, part).output))
    for part, counts, done in waiting:
        calls = " + ".join(map(str, counts)) or "no"
        complaint = f"{part} bytes of keystream, as {calls} blocks and a remainder, are not what "
        must_equal(f"{complaint}encryption adds", message, whole.data[:part], done.data)


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
