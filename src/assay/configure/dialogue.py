# SPDX-License-Identifier: MIT
"""The questions of the configure script, word for word as the HOWTO (4.1) shows them.

Nothing here touches the machine or a file. `ask` shows a prompt and returns the
line that was entered; `tell` shows a line; `progress` brackets work with
` * text ... done`, which the scripts print to stderr.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from msgspec import Struct

from assay.errors import UsageError
from assay.machine.cpuinfo import parse_mhz
from assay.toolchain.listings import parse_rate

Answer = TypeVar("Answer")
Ask = Callable[[str], str]
Tell = Callable[[str], None]
Progress = Callable[[str], AbstractContextManager[None]]


class Dialogue(Struct, frozen=True):
    """Ways to reach the user; `warn` is for what the HOWTO does not show."""

    ask: Ask
    tell: Tell
    progress: Progress
    warn: Tell

    def agrees_to_run(self, commands: Sequence[str]) -> bool:
        """Show what would be executed and ask whether that is safe."""
        self.tell("")
        self.tell("The following executables look like compilers:")
        for command in commands:
            self.tell(f"  - {command}")
        self.tell("")
        self.tell("I will now execute them for further testing.")
        return self._yes("Is this safe? [Y/n] ")

    def explain_candidates(self, path: str) -> None:
        """Describe how to keep programs from being executed."""
        self.tell("")
        self.tell(f"Please edit the file {path}")
        self.tell("and start the script again.")

    def choose_compilers(self, commands: Sequence[str]) -> tuple[int, ...]:
        """Ask for compilers by number, from 1; <return> selects all."""
        self.tell("The following compilers are supported:")
        for number, command in enumerate(commands, 1):
            self.tell(f"  {number}. {command}")
        self.tell("")
        self.tell("Enter a comma-separated list of numbers to select compilers")
        return self._until_valid(
            "or press <return> to select everything: ",
            lambda answer: parse_selection(answer, len(commands)),
        )

    def choose_shortlist(self, lists: Sequence[tuple[str, int]], proposed: str | None) -> str:
        """Ask for one of (name, number of options); <return> takes this machine's."""
        self.tell("")
        self.tell("The following shortlists contain compiler options which are")
        self.tell("likely to produce fast code on particular platforms:")
        for number, (name, options) in enumerate(lists, 1):
            self.tell(f"  {number}. shortlist.{name} ({options} options)")
        self.tell("")
        names = [name for name, _ in lists]
        return self._until_valid(
            "Enter a number to select a list: ", lambda answer: pick(answer, names, proposed)
        )

    def wants_other_options(self) -> bool:
        """Ask whether to go on after the shortlist."""
        self.tell("")
        self.tell("After having tested the options in the shortlist, should")
        return self._yes("the script start testing other options? [Y/n] ")

    def confirm_mhz(self, mhz: float | None) -> float:
        """Ask for the clock frequency; <return> confirms the one that was found."""
        self.tell("")
        if mhz is None:
            self.tell("The clock speed of the processor is not known.")
            return self._until_valid("Enter the clock speed in MHz: ", parse_mhz)
        self.tell(f"The processor seems to run at {mhz:.3f} MHZ.")
        return self._until_valid(
            "Press <return> if this is correct, or enter the clock speed: ",
            lambda answer: parse_mhz(answer) if answer else mhz,
        )

    def slow_rate(self) -> float | None:
        """Ask for the rate from which on ciphers are skipped; None skips none."""
        self.tell("")
        self.tell("Ciphers which are slower than a given rate can be skipped.")
        return self._until_valid(
            "Enter a rate in cycles/byte, or press <return> to skip none: ", parse_rate
        )

    def _yes(self, prompt: str) -> bool:
        """Ask until the answer is yes, no, or <return> for yes."""
        return self._until_valid(prompt, parse_yes)

    def _until_valid(self, prompt: str, parse: Callable[[str], Answer]) -> Answer:
        """Ask again, with the reason, until the answer can be used.

        An error of `ask` itself (the input ended) is no reason to ask again.
        """
        while True:
            answer = self.ask(prompt).strip()
            try:
                return parse(answer)
            except UsageError as error:
                self.warn(f"{error}. {error.cure}")


def parse_yes(answer: str) -> bool:
    """Read an answer to [Y/n]."""
    words = {"": True, "y": True, "yes": True, "n": False, "no": False}
    if answer.lower() not in words:
        raise UsageError(f"{answer[:40]!r} is neither yes nor no", "Enter y or n.")
    return words[answer.lower()]


def parse_selection(answer: str, count: int) -> tuple[int, ...]:
    """Read `1,3` as numbers from 1 to `count`, sorted, once each; empty is all."""
    if not answer:
        return tuple(range(1, count + 1))
    return tuple(sorted({_number(part.strip(), count) for part in answer.split(",")}))


def pick(answer: str, names: Sequence[str], proposed: str | None) -> str:
    """Read a number from 1, a name (`amd64`, `shortlist.amd64`), or empty for `proposed`."""
    if not answer and proposed is not None:
        return proposed
    name = answer.removeprefix("shortlist.")
    return name if name in names else names[_number(answer, len(names)) - 1]


def _number(text: str, count: int) -> int:
    """Read a number from 1 to `count`."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= count:
        raise UsageError(f"{text[:40]!r} is not on the list", f"Enter numbers from 1 to {count}.")
    return number
