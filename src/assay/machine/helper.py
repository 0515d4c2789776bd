# SPDX-License-Identifier: MIT
"""Further processes of this program, which make calls for it.

Python computes in one thread at a time, so that two processors need two processes. Another one
is a copy of this one, made before it has threads; calls and answers are pickled.
"""

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pickle import UnpicklingError
from typing import Any, NoReturn, Protocol

from assay.machine.threads import readable


class Callee(Protocol):
    """An object of which a helper has a copy, which lives on there from call to call."""

    def begin(self) -> None:
        """Do what will be needed before the first call comes."""


class HelperLost(Exception):
    """The helper has ended: somebody killed it, or there was no memory."""


class SecondProcess:
    """A process that has a copy of an object, and calls its methods: one call at a time."""

    def __init__(self, line: Connection, child: int | None) -> None:
        """Speak over a line. Who began the process waits for its end: if we did, a `child`."""
        self._child = child
        self._pid: int | None = None
        self._line = line
        self._calling = False

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method there; what it raises is raised here.

        HelperLost if nobody answers, KeyboardInterrupt where threads are to end.
        """
        self._calling = True
        try:
            self._line.send((method, arguments))
            if self._pid is None:
                self._pid = self._received()
            raised, answer = self._received()
        except (OSError, EOFError, UnpicklingError) as error:
            self._pid = None  # the number may be another process's soon
            raise HelperLost(str(error)) from None
        self._calling = False
        if raised:
            raise answer
        return answer

    def _received(self) -> Any:
        readable(self._line.fileno(), None)
        return self._line.recv()

    def close(self) -> None:
        """End the process: at once if a call has no answer yet."""
        if self._calling and self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._line.close()
        if self._child is not None:
            os.waitpid(self._child, 0)


@contextmanager
def helping(served: Callee, number: int) -> Iterator[tuple[SecondProcess, ...]]:
    """Lend so many processes that have a copy of an object; none if there is no memory for one.

    The first one begins, and makes the others then: what it has imported they have, too. Calls
    of those that it could not make are lost.
    """
    pairs = [Pipe() for _ in range(number)]
    try:
        pid = os.fork()
    except OSError:
        yield ()
        return
    if pid == 0:
        for mine, _ in pairs:
            mine.close()
        _serve_all(served, [its for _, its in pairs])
    for _, its in pairs:
        its.close()
    helpers = [SecondProcess(one, None if n else pid) for n, (one, _) in enumerate(pairs)]
    try:
        yield tuple(helpers)
    finally:
        for one in reversed(helpers):  # the first one waits for those that it made
            one.close()


def _serve_all(served: Callee, lines: list[Connection]) -> NoReturn:
    """Begin, make a process for every line but the first, and answer there.

    Never return to what the first process was doing.
    """
    others: list[int] = []
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends this one
        served.begin()
        gc.freeze()  # what is there stays, so that it need not be copied
        line, *left = lines
        while left:
            another = left.pop(0)
            pid = os.fork()
            if pid == 0:
                others.clear()
                for one in (line, *left):
                    one.close()
                line, left = another, []
            else:
                another.close()
                others.append(pid)
        _serve(served, line)
    except (EOFError, OSError):
        pass
    finally:
        for pid in others:
            os.waitpid(pid, 0)
        os._exit(0)


def _serve(served: Callee, line: Connection) -> None:
    """Answer calls until EOFError ends that; the number of the process comes first."""
    line.send(os.getpid())
    while True:
        method, arguments = line.recv()
        line.send(_answer(served, method, arguments))


def _answer(served: Callee, method: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return False, getattr(served, method)(*arguments)
    except Exception as error:  # noqa: BLE001 - it is raised where the call came from
        return True, error
