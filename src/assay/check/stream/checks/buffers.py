# SPDX-License-Identifier: MIT
"""Whether the functions treat the caller's buffers as the API promises."""

from collections.abc import Iterator
from dataclasses import replace

from assay.check.check import Check
from assay.check.stream.checks.laying import (
    EqualPairs,
    Message,
    Places,
    fresh,
    lay,
    load_key,
    must_equal,
    process,
    put,
    unstated,
)
from assay.check.stream.checks.ways import ProcessingWay, shift, ways_of
from assay.check.stream.session import StreamSession
from assay.check.stream.trial import Trial
from assay.execute.agent import PendingAnswer

ALIGNMENT = 16  # of the framework's own buffers, MAXT
LONG_BLOCKS = 9  # enough for implementations that take eight blocks at a time


def few_lengths(trial: Trial) -> tuple[int, ...]:
    """Choose lengths around one block, and one that spans many."""
    block = trial.subject.block_bytes
    return tuple(sorted({1, block - 1, block, block + 1, 3 * block + 5, LONG_BLOCKS * block + 7}))


# ---------------------------------------------------------------- in place


def in_place(trial: Trial) -> None:
    """Let every function work with one buffer as input and output."""
    lengths = few_lengths(trial)
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, lengths[-1])
        pairs = EqualPairs(message)
        with trial.session() as session:
            places = lay(session, message)
            load_key(session, places, sizes)
            for length in lengths:
                for way in filter(lambda way: way.reads, ways_of(trial.subject)):
                    _compare_in_place(session, way, places, pairs, length)
            pairs.judge()


def _compare_in_place(
    session: StreamSession, way: ProcessingWay, places: Places, pairs: EqualPairs, length: int
) -> None:
    put(session, places.source, pairs.message.text)
    apart = process(session, way, places, pairs.message, length)
    put(session, places.source, pairs.message.text)
    together = replace(places, to=places.source)
    within = process(session, way, together, pairs.message, length)
    complaint = f"{way.name} of {length} bytes in place differs from out of place"
    pairs.expect(complaint, apart, within)


# ---------------------------------------------------------------- inputs kept


def inputs_kept(trial: Trial) -> None:
    """Look at input, key, IV and AAD after every function."""
    lengths = few_lengths(trial)
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, lengths[-1])
        with trial.session() as session:
            places = lay(session, message)
            waiting = [
                kept
                for way in ways_of(trial.subject)
                for length in lengths
                for kept in _after(session, way, places, message, length)
            ]
            for complaint, expected, actual in waiting:
                must_equal(complaint, message, expected, actual.data)


def _after(
    session: StreamSession, way: ProcessingWay, places: Places, message: Message, length: int
) -> Iterator[tuple[str, bytes, PendingAnswer]]:
    load_key(session, places, message.sizes)
    process(session, way, places, message, length)
    inputs = [(places.key, message.key), (places.iv, message.iv), (places.aad, message.aad)]
    for where, value in [*inputs, (places.source, message.text)]:
        buffer = shift(where, 0).buffer
        complaint = f"keysetup or {way.name} of {length} bytes changes its input {buffer.label}"
        yield complaint, value, session.agent.fetch(buffer, len(value))


CHECKS = (
    Check(
        name="buffers/in-place",
        asks="May the output overwrite the input?",
        why=(
            "Most programs encrypt in place. Code that writes output before it has read the "
            "input for it, or that feeds its own output to the MAC as input, fails only there."
        ),
        cure=(
            "Read all input of a step, for the MAC as well, before writing the step's output. "
            "Do not declare the two pointers `restrict`."
        ),
        run=in_place,
        excuse=unstated,
    ),
    Check(
        name="buffers/inputs-kept",
        asks="Do message, key, IV and associated data stay unchanged?",
        why="They belong to the caller, who uses them again; the API passes them as `const`.",
        cure=(
            "Copy data before changing it, into the context or a local array. Look for casts "
            "that remove `const`."
        ),
        run=inputs_kept,
    ),
)
