# SPDX-License-Identifier: MIT
"""Whether results depend on the arguments alone."""

from collections.abc import Iterator

from assay.check.check import Check
from assay.check.stream.checks.laying import (
    Message,
    Places,
    Processed,
    fresh,
    lay,
    load_key,
    must_equal,
    process,
    put,
)
from assay.check.stream.checks.ways import ways_of
from assay.check.stream.session import StreamSession
from assay.check.stream.trial import Trial

Result = list[tuple[str, bytes]]


def deterministic(trial: Trial) -> None:
    """Ask the same of several processes, each with memory and stack of its own."""
    block = trial.subject.block_bytes
    messages = [fresh(trial, sizes, 9 * block + 7) for sizes in trial.few_sizes]
    with trial.session() as session:
        first = _results(trial, session, messages)
    for _ in range(2 if trial.thorough else 1):
        with trial.fresh_session() as session:
            again = _results(trial, session, messages)
        for message, results, others in zip(messages, first, again, strict=True):
            for (name, expected), (_same, actual) in zip(results, others, strict=True):
                complaint = f"two processes get different results from {name}"
                must_equal(complaint, message, expected, actual)


def _results(trial: Trial, session: StreamSession, messages: list[Message]) -> list[Result]:
    """Process the messages in all ways; one list of named values for each."""
    results = []
    for message in messages:
        places = lay(session, message)
        asked = list(_ask(trial, session, places, message))
        results.append([(name, value) for name, done in asked for value in _values(done)])
    return results


def _ask(
    trial: Trial, session: StreamSession, places: Places, message: Message
) -> Iterator[tuple[str, Processed]]:
    """Process a message; stack, context and output hold something else each time before."""
    for way in ways_of(trial.subject):
        length = len(message.text)
        for key, text in (
            (trial.bytes(len(message.key)), trial.bytes(length)),
            (message.key, message.text),
        ):
            put(session, places.ctx, trial.bytes(session.subject.context_bytes))
            put(session, places.to, trial.bytes(length))
            put(session, places.key, key)
            put(session, places.source, text)
            load_key(session, places, message.sizes)
            done = process(session, way, places, message)
        yield way.name, done


def _values(done: Processed) -> Iterator[bytes]:
    yield done.output.data
    if done.mac:
        yield done.mac.data


CHECKS = (
    Check(
        name="calls/deterministic",
        asks="Do the same calls give the same results in every process?",
        why=(
            "Code that depends on uninitialised memory, on addresses or on time works on the "
            "author's machine and fails to decrypt on another."
        ),
        cure=(
            "Let ECRYPT_keysetup and ECRYPT_ivsetup set everything that is read later. "
            "`valgrind` and `-fsanitize=memory` show the place."
        ),
        run=deterministic,
    ),
)
