# SPDX-License-Identifier: MIT
"""Whether one call may have more than 2^32 bytes: the question, which each kind asks its way."""

from collections.abc import Callable

from assay.check.check import Check, TrialT


def beyond_4_gib(run: Callable[[TrialT], str | None]) -> Check[TrialT]:
    """Return the check; `run` gives a function so many zeros that take no memory."""
    return Check(
        name="lengths/beyond-4-gib",
        asks="May one call be given more than 2^32 bytes where its lengths have 64 bits?",
        why=(
            "Code that keeps a length in 32 bits authenticates and hashes a short beginning of a "
            "long file; tests never get there. The bytes are there, as zeros that take no memory, "
            "and the output is judged. For compact hashes it is a rule of the Shabal paper, "
            "Annex A."
        ),
        cure="Keep lengths, and the numbers computed from them, as wide as the API's type.",
        run=run,
    )
