# SPDX-License-Identifier: MIT
"""Whether associated data may come in pieces, and is authenticated with every pair of lengths.

Each pair of short lengths is encrypted, decrypted, and encrypted with the last byte of either
changed. Each length of the message has another of the lengths that a MAC may have.
"""

from collections.abc import Callable, Iterator
from functools import partial

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.evidence import require_equal
from assay.check.routine import Pieces, Routine
from assay.check.seal.lengths import DEEP, DEEP_SECONDS, SECONDS, SHORT
from assay.check.stream.checks.mac import LEAST_MAC_BYTES, MacPair, mac_by, sizes_with_mac
from assay.check.stream.routines import CipherMessage, fresh_message, mac_bytes
from assay.check.stream.trial import Trial
from assay.execute.agent import PendingAnswer

TEXT_BYTES = 5
Cuts = Callable[[Trial, int], Iterator[Pieces]]

FEW = 21  # lengths of data with each length of the message
ENCRYPT, DECRYPT = "encrypt_packet", "decrypt_packet"


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


def run_pairs(trial: Trial) -> str:
    """Encrypt and decrypt all pairs of lengths, as far as there is time."""
    every = [one for one in sizes_with_mac(trial) if mac_bytes(one) >= LEAST_MAC_BYTES]
    if "supports-aad" not in trial.subject.flags or not every:
        raise CheckInapplicable("there are no data, or no MAC of four bytes")
    longest = DEEP if trial.deep else SHORT
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        for length in budget.each(session, trial.random.sample(range(longest), longest)):
            sizes = trial.random.choice(every)
            message = fresh_message(trial.bytes, trial.subject, sizes, longest, longest)
            chosen = trial.random.sample(range(longest), longest if trial.deep else FEW)
            for look in list(_looks(Arena(session), message, length, sorted(chosen))):
                look.judge()
    return budget.remark("lengths")


def _looks(
    arena: Arena, message: CipherMessage, length: int, every: list[int]
) -> Iterator[MacPair]:
    """Encrypt a length of the message with some lengths of data, decrypt, and change the ends."""
    arena.prepare(message.by(ENCRYPT))
    back, before = arena.turned("input", "output"), None
    for data in every:
        about = f"{length} bytes with {data} of data ({message.sizes})"
        way = message.by(ENCRYPT, length, data)
        mac, opened_mac = mac_by(arena, way), mac_by(back, message.by(DECRYPT, length, data))
        wrong = f"{about}: decryption gives another message, or another MAC"
        yield MacPair(wrong, message.text[:length], back.get("output", length), same=True)
        yield MacPair(wrong, mac, opened_mac, same=True)
        for name, label, size in (("ciphertext", "input", length), ("data", "AAD", data)):
            if size:
                changed = _mac_changed(arena, way, label, size)
                yield MacPair(
                    f"{about}: the last byte of the {name} does not matter", mac, changed
                )
        if before is not None:
            yield MacPair(f"{before[0]} have the MAC of {about}", before[1], mac)
        before = about, mac


def _mac_changed(arena: Arena, way: Routine, name: str, size: int) -> PendingAnswer:
    """Return the MAC with the last of so many bytes of an input changed."""
    agent, buffer, last = arena.session.agent, arena.buffer(name), size - 1
    byte = (way.variables[name].value or b"")[last]
    agent.write(buffer, bytes([byte ^ 1]), last)
    mac = mac_by(arena, way)
    agent.write(buffer, bytes([byte]), last)
    return mac


PAIRS: Check[Trial] = Check(
    "mac/pairs",
    "Are messages and data decrypted and authenticated, whatever pair of lengths they have?",
    (
        "What is done with the last, incomplete block of data may depend on whether there is a "
        "message, and on how it ends. Code that leaves out the end of 13 bytes of data with a "
        "message of 7 passes tests that vary one length at a time. Each length below 64 of the "
        "message is asked with another length of the MAC, and with a third of the lengths of the "
        "data; `--deep` asks all pairs below 300."
    ),
    "Look at what is done with the last blocks of data and message for the lengths named.",
    run_pairs,
)
