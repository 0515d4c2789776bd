# SPDX-License-Identifier: MIT
"""With sanitizers: the checks that call everything, and two threads."""

from collections.abc import Callable

from assay.check import families
from assay.check.check import Check
from assay.check.hash.checks import bits, reentrant, verified
from assay.check.hash.trial import HashTrial
from assay.check.memory import sanitized
from assay.execute.agent import Agent

QUESTIONS: tuple[Check[HashTrial], ...] = (
    *verified.CHECKS,
    *bits.CHECKS,
    *families.LENGTHS,
    *families.CONTEXT,
)
THREADS = tuple(one for one in reentrant.CHECKS if one.name == "reentrant/threads")


def use(trial: HashTrial, connect: Callable[[], Agent]) -> None:
    """Ask what makes the code compute."""
    sanitized.quietly(trial, connect, QUESTIONS)


def use_threads(trial: HashTrial, connect: Callable[[], Agent]) -> None:
    """Have two threads hash with contexts of their own."""
    sanitized.quietly(trial, connect, THREADS)


CHECKS = (*sanitized.checks(use), sanitized.thread_check(use_threads))
