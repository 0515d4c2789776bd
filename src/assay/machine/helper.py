# SPDX-License-Identifier: MIT
"""A second process of this program, which makes calls for it.

Python computes in one thread at a time, so that two processors need two processes. The second
one is a copy of the first, made before that has threads; calls and answers are pickled.
"""

import os
import pickle
import signal
import socket
from contextlib import suppress
from typing import Any, Protocol


class Callee(Protocol):
    """An object of which a helper has a copy, which lives on there from call to call."""

    def begin(self) -> None:
        """Do what will be needed before the first call comes."""


class HelperLost(Exception):
    """The helper has ended: somebody killed it, or there was no memory."""


class SecondProcess:
    """A process that has a copy of an object, and calls its methods: one call at a time."""

    def __init__(self, served: Callee) -> None:
        """Begin the process; OSError if there can be none."""
        mine, its = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            mine.close()
            _serve(served, its)
        its.close()
        self._socket = mine
        self._line = mine.makefile("rwb")
        self._calling = False

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method there; what it raises is raised here. HelperLost if nobody answers."""
        self._calling = True
        try:
            pickle.dump((method, arguments), self._line)
            self._line.flush()
            raised, answer = pickle.load(self._line)  # noqa: S301 - from our own copy
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise HelperLost(str(error)) from None
        self._calling = False
        if raised:
            raise answer
        return answer

    def close(self) -> None:
        """End the process: at once if a call has no answer yet."""
        if self._calling:
            os.kill(self._pid, signal.SIGKILL)
        with suppress(OSError):  # a call that could not be sent
            self._line.close()
        self._socket.close()
        os.waitpid(self._pid, 0)


def _serve(served: Callee, line: socket.socket) -> None:
    """Answer calls until there are no more; never return to what the first process was doing."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends this one
        served.begin()
        with line.makefile("rwb") as stream:
            while True:
                method, arguments = pickle.load(stream)  # noqa: S301 - from our own original
                pickle.dump(_answer(served, method, arguments), stream)
                stream.flush()
    except (EOFError, OSError):
        pass
    finally:
        os._exit(0)


def _answer(served: Callee, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return False, getattr(served, method)(*arguments)
    except Exception as error:  # noqa: BLE001 - it is raised where the call came from
        return True, error
