# SPDX-License-Identifier: MIT
"""Whether a message comes out the same however it is cut, at all lengths, none included."""

from collections.abc import Iterator
from dataclasses import replace

from assay.check.check import Check
from assay.check.stream.checks.laying import (
    LONGEST_SWEPT,
    EqualPairs,
    Message,
    Places,
    Processed,
    fresh,
    lay,
    load_key,
    must_equal,
    outcome,
    sweep,
)
from assay.check.stream.checks.ways import CRYPT_WAYS, at_once, begin, packet, pieces
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.trial import Trial

MOST_BLOCKS = 3
RANDOM_SPLITS = 12
LONG_BLOCKS = 40
LONG_BYTES = 2048
ACTIONS = ((ENCRYPT, "encrypt"), (DECRYPT, "decrypt"))

Cut = tuple[int, tuple[int, ...]]  # a length, and the counts of its *_blocks calls


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """Yield every sequence of positive numbers with this sum."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in compositions(total - first):
            yield (first, *rest)


def all_cuts(block: int) -> Iterator[Cut]:
    """Cut messages of up to three blocks and a tail in every way."""
    tails = sorted({0, 1, block // 2, block - 1})
    for blocks in range(MOST_BLOCKS + 1):
        for tail in tails:
            for used in range(blocks + 1):
                for counts in compositions(used):
                    yield blocks * block + tail, counts


def random_cuts(trial: Trial, length: int) -> Iterator[Cut]:
    """Cut a long message at random."""
    block = trial.subject.block_bytes
    for _ in range(RANDOM_SPLITS if trial.thorough else 2):
        counts: list[int] = []
        while sum(counts) < length // block and (not counts or trial.random.random() < 0.9):
            counts.append(trial.random.randint(1, length // block - sum(counts)))
        yield length, tuple(counts)


def splits(trial: Trial) -> None:
    """Cut messages in every way, and try every length at once."""
    block = trial.subject.block_bytes
    for sizes in trial.few_sizes:
        message = fresh(
            trial, sizes, max(min(LONG_BLOCKS * block, LONG_BYTES), 5 * block, LONGEST_SWEPT) + 1
        )
        cuts = [*all_cuts(block), *random_cuts(trial, len(message.text))]
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            _compare_cuts(session, places, message, cuts if trial.thorough else cuts[::3])
            _compare_lengths(session, places, message, thorough=trial.thorough)


def _compare_cuts(
    session: StreamSession, places: Places, message: Message, cuts: list[Cut]
) -> None:
    pairs = EqualPairs(message)
    aad = len(message.aad)
    for action, verb in ACTIONS:
        whole: dict[int, Processed] = {}
        for length, counts in cuts:
            if length not in whole:
                packet(action, session, places, length, aad)
                whole[length] = outcome(session, places, message.sizes, length)
            pieces(action, session, places, length, aad, counts)
            calls = " + ".join(map(str, counts)) or "no"
            complaint = (
                f"{length} bytes, as {calls} blocks and a remainder, differ from {verb}_packet"
            )
            done = outcome(session, places, message.sizes, length)
            pairs.expect(complaint, whole[length], done)
    pairs.judge()


def _compare_lengths(
    session: StreamSession, places: Places, message: Message, *, thorough: bool
) -> None:
    """Compare every length with the packet; of keystream ciphers, with the long message."""
    pairs = EqualPairs(message)
    lengths = sweep(session.subject.block_bytes, thorough=thorough, dense=160)
    for action, verb in ACTIONS:
        for length in lengths:
            packet(action, session, places, length, len(message.aad))
            expected = outcome(session, places, message.sizes, length)
            at_once(action, session, places, length, len(message.aad))
            done = outcome(session, places, message.sizes, length)
            pairs.expect(f"{verb}_bytes of {length} bytes differs from the packet", expected, done)
    pairs.judge()
    if "generates-keystream" in session.subject.flags:
        _compare_prefixes(session, places, message, lengths)


def _compare_prefixes(
    session: StreamSession, places: Places, message: Message, lengths: tuple[int, ...]
) -> None:
    """Keystream does not depend on how much of it is used."""
    packet(ENCRYPT, session, places, len(message.text), 0)
    whole = outcome(session, places, message.sizes, len(message.text)).output
    waiting = []
    for length in lengths:
        at_once(ENCRYPT, session, places, length, 0)
        waiting.append((length, outcome(session, places, message.sizes, length).output))
    for length, prefix in waiting:
        complaint = f"{length} bytes encrypt differently from the same bytes in a longer message"
        must_equal(complaint, message, whole.data[:length], prefix.data)


# ---------------------------------------------------------------- nothing at all


def zero(trial: Trial) -> None:
    """Call with nothing to do: the position stays, and the empty message has one MAC."""
    block = trial.subject.block_bytes
    for sizes in trial.wide_sizes:
        message = fresh(trial, sizes, 3 * block + 1)
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            _idle_calls(session, places, message)
            if trial.subject.authenticates:
                _empty_macs(session, places, replace(message, text=b""))


def _idle_calls(session: StreamSession, places: Places, message: Message) -> None:
    pairs = EqualPairs(message)
    for action, verb in ACTIONS:
        length = len(message.text)
        packet(action, session, places, length, len(message.aad))
        expected = outcome(session, places, message.sizes, length)
        for counts in ((0, 3), (1, 0, 2), (1, 1, 1, 0), (0, 0, 2, 0)):
            pieces(action, session, places, length, len(message.aad), counts)
            done = outcome(session, places, message.sizes, length)
            calls = " + ".join(map(str, counts))
            pairs.expect(f"{verb}_blocks: {calls} differ from no empty call", expected, done)
    pairs.judge()


def _empty_macs(session: StreamSession, places: Places, message: Message) -> None:
    """Encryption, decryption and no call at all must agree on the empty message."""
    pairs = EqualPairs(message)
    for aad_length in sorted({0, len(message.aad)}):
        begin(session, places, aad_length)
        session.finalize(places.ctx, places.mac)
        expected = outcome(session, places, message.sizes, 0)
        for way in CRYPT_WAYS:
            way.run(session, places, 0, aad_length)
            done = outcome(session, places, message.sizes, 0)
            complaint = f"{way.name} of an empty message with {aad_length} bytes of AAD differs"
            pairs.expect(complaint, expected, done)
    pairs.judge()


CHECKS = (
    Check(
        name="lengths/splits",
        asks="Does a message of any length give the same output, however it is split into calls?",
        why=(
            "Data arrives in pieces of any size. Counters, buffered keystream and partial MAC "
            "words go wrong at the boundaries between calls and in the last piece."
        ),
        cure=(
            "Look at what a *_blocks call leaves in the context, and at the code for the last, "
            "incomplete block. The message names the lengths."
        ),
        run=splits,
    ),
    Check(
        name="lengths/zero",
        asks="Do calls with length 0 change nothing?",
        why=(
            "Programs make calls of length 0 when a message is empty or ends on a boundary. A "
            "loop that tests its length at the end then processes a block, or 2^32 bytes."
        ),
        cure=(
            "Test the length at the head of each loop (`while`, not `do`), and generate "
            "keystream only when it is needed."
        ),
        run=zero,
    ),
)
