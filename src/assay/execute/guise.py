# SPDX-License-Identifier: MIT
"""What a process looks like to the code in it."""

from enum import StrEnum


class Guise(StrEnum):
    """How an agent is started, as the last of its arguments tells it (`harness/agent/agent.c`).

    A SEALED one forgets its name and arguments, and cannot change itself, start threads or
    handle signals. An OPEN one can. A USERS program can, too, and has the name, the arguments,
    the environment, the folder and the host of a program that a user starts.
    """

    OPEN = "0"
    SEALED = "1"
    USERS = "2"
