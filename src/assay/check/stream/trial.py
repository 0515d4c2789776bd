# SPDX-License-Identifier: MIT
"""What a check of the kind `stream` gets to work with."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from assay.check.budget import Budget
from assay.check.routine import Routine, Splitter, sparse
from assay.check.session import StreamSession
from assay.check.stream import routines
from assay.check.stream.routines import accepted_sizes
from assay.check.trial import MOST_SILENCES, Absorbed, BaseTrial, Batch
from assay.execute.agent import Agent
from assay.model import SizeChoice, StreamSubject
from assay.model.api import Promise
from assay.model.wire import StreamFunction

__all__ = ["MOST_SILENCES", "Trial"]


ALIGNMENTS = (1, 4, 8, 16)  # the API promises buffers aligned for the largest word
MORE_DATA = (0, 64)  # bytes: some code takes another path from whole blocks on
WORD_BYTES = 4  # data that end within a word are other than whole ones
OF_ASSAY = (Promise.IN_PLACE, Promise.ERASED)


class Trial(BaseTrial[StreamSubject, StreamSession]):
    """A built cipher on trial; see BaseTrial.

    Verified vectors stay complete for the sizes nearest to the usual ones, in a short
    trial, too.
    """

    def converse(self, agent: Agent) -> StreamSession:
        """Open a session with an agent."""
        return StreamSession(agent, self.subject)

    @property
    def sizes(self) -> tuple[SizeChoice, ...]:
        """Return the sizes that are tested."""
        return accepted_sizes(self.subject)

    @property
    def wide_sizes(self) -> tuple[SizeChoice, ...]:
        """Return all sizes; of a short trial the first and the last."""
        ends = self.sizes[0], self.sizes[-1]
        return self.sizes if self.thorough else tuple(dict.fromkeys(ends))

    @property
    def few_sizes(self) -> tuple[SizeChoice, ...]:
        """Return a few of the sizes that are tested."""
        return self.few_of(self.sizes)

    @property
    def unit(self) -> int:
        """Return the bytes of a block."""
        return self.subject.block_bytes

    @property
    def alignments(self) -> tuple[int, ...]:
        """Return what alignments the code may ask for."""
        return ALIGNMENTS

    def name_of(self, number: int) -> str:
        """Name a function."""
        return StreamFunction(number).name.lower()

    def excuse(self, promise: Promise) -> str:
        """Excuse a package whose header comes from another skeleton than Assay's."""
        if promise not in OF_ASSAY or "assay-rules" in self.subject.flags:
            return ""
        return (
            "a rule of Assay's headers; this package's header does not define ECRYPT_ASSAY_RULES"
        )

    def uses(self, lengths: tuple[int, ...], *, wide: bool = False) -> Iterator[Batch]:
        """Yield a batch for each choice of sizes; the last has all lengths."""
        lengths = self.asked(lengths)
        every = self.wide_sizes if wide and not self.stretch else self.few_sizes
        for sizes in self.asked_of(every):
            yield self._used(sizes, lengths)

    def last_use(self, lengths: tuple[int, ...]) -> Batch:
        """Return the last batch of `uses`; the others are not made."""
        return self._used(self.asked_of(self.few_sizes)[-1], self.asked(lengths))

    def _used(self, sizes: SizeChoice, lengths: tuple[int, ...]) -> Batch:
        chosen = lengths if sizes == self.sizes[-1] else sparse(lengths)
        more = self.random.choice(MORE_DATA) if sizes != self.sizes[-1] else MORE_DATA[-1]
        data = routines.AAD_BYTES + more + self.random.randrange(WORD_BYTES)
        message = routines.fresh_message(self.bytes, self.subject, sizes, lengths[-1], data)
        return tuple(routines.in_all_ways(message, chosen))

    bounded: ClassVar[bool] = False  # NLS goes on in the word in which the data end

    def absorbing(self, texts: Sequence[Absorbed]) -> Iterator[tuple[Absorbed, Routine]]:
        """Yield uses of one key and IV with the longest MAC."""
        if not self.subject.authenticates:
            return
        sizes = max(self.sizes, key=lambda one: one.mac_bits or 0)
        any_message = routines.fresh_message(self.bytes, self.subject, sizes, 0)
        way, *_ = routines.ways_of(self.subject)
        for data, text in texts:
            if any_message.aad or not data:
                yield (data, text), replace(any_message, aad=data, text=text).by(way)

    goes_on: ClassVar[bool] = True

    def compare_onward(
        self, other: "Trial", names: tuple[str, str], budgets: tuple[Budget, Budget]
    ) -> None:
        """Compare keystreams, of the same key and IV."""
        from assay.check.keystream import gigabytes  # noqa: PLC0415 - needs this module

        if routines.alike(other.subject, self.subject) and self.unit <= gigabytes.DIGESTED_PIECE:
            message = routines.fresh_message(self.bytes, self.subject, self.sizes[-1], 0, 0)
            gigabytes.compare_streams(
                gigabytes.begun(names[0], self, message, budgets[0]),
                gigabytes.begun(names[1], other, message, budgets[1]),
            )

    def splitters(self, length: int) -> Iterator[Splitter]:
        """Yield a message to encrypt and one to decrypt, for a few sizes."""
        for sizes in self.asked_of(self.few_sizes):
            message = routines.fresh_message(self.bytes, self.subject, sizes, length)
            yield from routines.splitters(message)
