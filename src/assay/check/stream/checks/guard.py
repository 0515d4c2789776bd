# SPDX-License-Identifier: MIT
"""Whether the functions keep to the buffers that they are given.

Every buffer has exactly its size and ends at an inaccessible page, so that an
access beyond it faults; what stands around it holds a pattern that must stay.
Where the code cannot work with buffers that end anywhere, they end as close to
the page as its alignment allows; what it reads in between is then not seen.

The API lets code assume aligned buffers, so an access to the aligned word that holds
the last byte never leaves the page. Where there is none beyond such a word, and the
bytes behind the end stay as they are, that is a finding and no failure.
"""

from dataclasses import dataclass, replace

from assay.check.check import Check, CheckFailed, CheckFinding
from assay.check.stream.checks.laying import (
    FILLING,
    SECOND,
    Message,
    Places,
    fresh,
    lay,
    load_key,
    sweep,
)
from assay.check.stream.checks.ways import ProcessingWay, begin, shift, ways_of
from assay.check.stream.session import StreamSession, Where
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import ROOM
from assay.execute.agent import AgentFault, Buffer, BufferPlace, PendingAnswer
from assay.execute.protocol import PayloadReader, Request
from assay.model import SizeChoice

ALIGNMENTS = (1, 4, 8, 16)
WORDS = (4, 8)  # bytes of a machine word; whole vectors and blocks are none
AAD_BYTES = 72


def guarded(trial: Trial) -> None:
    """Sweep over sizes and lengths, with the closest guard that the code can work with."""
    for modulus in ALIGNMENTS:
        try:
            _sweep(trial, modulus, room=0)
        except AgentFault as fault:
            if modulus == ALIGNMENTS[-1] or not _faults(trial, modulus, room=ROOM):
                _judge(trial, modulus, fault)
        else:
            return


def _judge(trial: Trial, modulus: int, fault: AgentFault) -> None:
    """Raise CheckFailed for a fault; CheckFinding if no access leaves the last byte's word."""
    for word in (word for word in WORDS if word > modulus):
        if fault.beyond in range(word) and not _faults(trial, word, full=True):
            raise CheckFinding(
                f"{fault}, beyond the end, but within the aligned {word} bytes that hold the "
                "last byte; it changes nothing there",
                cure="The API lets code assume aligned buffers; a caller whose buffers are not "
                "may crash. Take the last bytes one by one.",
            ) from None
    raise CheckFailed(str(fault)) from None


def _faults(trial: Trial, modulus: int, room: int = 0, *, full: bool = False) -> bool:
    """Return whether there are faults with buffers of this alignment and room behind them."""
    try:
        _sweep(trial, modulus, room=room, full=full)
    except AgentFault:
        return True
    return False


def _sweep(trial: Trial, modulus: int, room: int, *, full: bool = False) -> None:
    """Try all sizes and lengths; `full` pages show accesses before the input, too."""
    lengths = sweep(trial.subject.block_bytes, thorough=trial.thorough)
    for sizes in trial.wide_sizes:
        few = sizes in trial.few_sizes
        with trial.session() as session:
            message = fresh(trial, sizes, lengths[-1], AAD_BYTES)
            places = lay(session, message, modulus=modulus, room=room)
            desk = Guarded(session, message, places, modulus)
            desk.try_all(lengths if few else lengths[:: len(lengths) - 1])
            if few:
                desk.try_aad()
                _whole_page(trial, session, sizes, modulus, room, full=full or modulus == 1)


def _whole_page(
    trial: Trial,
    session: StreamSession,
    sizes: SizeChoice,
    modulus: int,
    room: int,
    *,
    full: bool,
) -> None:
    """Let the message fill a page, so that the one before it is out of reach as well.

    Without pages there are canaries only.
    """
    if session.agent.page_bytes <= modulus:
        return
    page = session.agent.page_bytes
    message = fresh(trial, sizes, page if full else page - modulus)
    places = lay(session, message, SECOND, modulus=modulus, room=room)
    desk = Guarded(session, message, places, modulus)
    desk.try_all((len(message.text),))


@dataclass(slots=True)
class Guarded:
    """A message in guarded buffers, and the ways that use it up to the very end."""

    session: StreamSession
    message: Message
    places: Places
    modulus: int

    def _last(self, where: Where, size: int, length: int) -> BufferPlace:
        """Name the place from which `length` bytes end nearest to the end of `size` bytes."""
        return shift(where, (size - length) // self.modulus * self.modulus)

    def try_all(self, lengths: tuple[int, ...]) -> None:
        """Load the key, then process messages of all lengths in all ways."""
        load_key(self.session, self.places, self.message.sizes)
        self._look_around("keysetup")
        for way in ways_of(self.session.subject):
            self._try_way(way, lengths)

    def _try_way(self, way: ProcessingWay, lengths: tuple[int, ...]) -> None:
        """Process the last bytes of the input; nothing but the output's last may change."""
        whole = len(self.message.text)
        to = shift(self.places.to, 0).buffer
        waiting: list[tuple[int, int, PendingAnswer]] = []
        for length in lengths:
            source = self._last(self.places.source, whole, length)
            there = replace(
                self.places, source=source, to=self._last(self.places.to, whole, length)
            )
            self.session.agent.fill(to, FILLING)
            way.run(self.session, there, length, len(self.message.aad))
            waiting.append((source.offset, length, self.session.agent.fetch(to)))
        for start, length, answer in waiting:
            _only_within(f"{way.name} of {length} bytes", start, length, answer.data)
        self._look_around(way.name)

    def try_aad(self) -> None:
        """Authenticate associated data of all lengths."""
        if "supports-aad" not in self.session.subject.flags:
            return
        whole = len(self.message.aad)
        for length in range(whole + 1):
            there = replace(self.places, aad=self._last(self.places.aad, whole, length))
            begin(self.session, there, length)
            self.session.finalize(there.ctx, there.mac)
        self._look_around("authenticate_bytes")

    def _look_around(self, function: str) -> None:
        """Raise CheckFailed if anything around a buffer has changed."""
        places = self.places
        around = (places.ctx, places.key, places.iv, places.aad, places.source, places.to)
        buffers = [shift(where, 0).buffer for where in (*around, places.mac)]
        for buffer, answer in [(one, _canaries(self.session, one)) for one in buffers]:
            reader = PayloadReader(answer.data)
            changed, first = reader.number(4), reader.number(4, signed=True)
            if changed:
                raise CheckFailed(
                    f"{function} writes outside of {buffer.label} ({buffer.size_bytes} bytes): "
                    f"{changed} bytes, the first at offset {first}"
                )


def _canaries(session: StreamSession, buffer: Buffer) -> PendingAnswer:
    """Queue the question of `Agent.damage`."""
    answer = PendingAnswer(session.agent)
    code, payload = Request.CANARIES, bytes([buffer.number])
    session.agent.later(code, payload, lambda: "looking at canaries", answer)
    return answer


def _only_within(what: str, start: int, length: int, output: bytes) -> None:
    """Raise CheckFailed if a byte outside of the message's part of the output has changed."""
    around = [*range(start), *range(start + length, len(output))]
    changed = [at for at in around if output[at] != FILLING]
    if changed:
        raise CheckFailed(
            f"{what} writes outside of output: {len(changed)} bytes, "
            f"the first at offset {changed[0] - start}"
        )


CHECKS = (
    Check(
        name="buffers/guard",
        asks="Does every function stay within its buffers?",
        why=(
            "Reading beyond a buffer crashes if the next page is not mapped. Writing beyond it "
            "corrupts other data and lets attackers take over programs."
        ),
        cure=(
            "Look at the named function and offset. Common causes: a last block loaded or "
            "stored whole although only a part belongs to the message, an array one element too "
            "short, a size in bits used as one in bytes."
        ),
        run=guarded,
    ),
)
