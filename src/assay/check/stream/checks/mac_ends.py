# SPDX-License-Identifier: MIT
"""Whether the MAC depends on the last byte of messages and data of every short length."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.stream.checks.laying import Places, fresh, get, lay, load_key, put
from assay.check.stream.checks.mac import sizes_with_mac
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession, Where
from assay.check.stream.trial import Trial
from assay.check.stream.vectors.produce import mac_bytes
from assay.check.stream.ways import packet, shift
from assay.execute.agent import PendingAnswer
from assay.model import SizeChoice

DENSE = 140  # all lengths below are tried
EDGES = (160, 192, 256, 320, 512, 1024, 2048, 4096)  # and those around
OTHER = 13  # bytes of what is not varied
LEAST_MAC_BYTES = 4
SECONDS = 0.5


def run_ends(trial: Trial) -> str:
    """Vary the length of the data, then that of the ciphertext."""
    sizes = max(sizes_with_mac(trial), key=mac_bytes)
    if mac_bytes(sizes) < LEAST_MAC_BYTES:
        raise CheckInapplicable("so short a MAC is often the same by chance")
    budget = trial.budget(SECONDS)
    longest = EDGES[-1] + 2
    every = sorted({*range(DENSE), *(edge + more for edge in EDGES for more in (-1, 0, 1))})
    with trial.session() as session:
        places = lay(session, fresh(trial, sizes, longest, longest))
        load_key(session, places, sizes)
        desk = _Desk(session, places, sizes)
        ways = [desk.of_text, *([desk.of_data] if "supports-aad" in trial.subject.flags else [])]
        for way in ways:
            chosen = trial.random.sample(every, len(every))
            waiting = [look for length in budget.each(session, chosen) for look in way(length)]
            for look in waiting:
                look.judge()
    return budget.remark("lengths")


@dataclass(frozen=True, slots=True)
class _Look:
    """Two MACs that must be the same, or must not, and what is wrong otherwise."""

    complaint: str
    first: PendingAnswer
    second: PendingAnswer
    same: bool = False

    def judge(self) -> None:
        """Raise CheckFailed if it is otherwise."""
        if (self.first.data == self.second.data) != self.same:
            raise CheckFailed(
                self.complaint, f"{self.first.data.hex()}\n{self.second.data.hex()}\n"
            )


@dataclass(frozen=True, slots=True)
class _Desk:
    """A loaded key, and a long message with long data."""

    session: StreamSession
    places: Places
    sizes: SizeChoice

    def of_data(self, length: int) -> Iterator[_Look]:
        """Authenticate data of a length, of one byte more, and with another last byte."""
        yield from self._ends("associated data", length, self.places.aad, self._with_data)

    def of_text(self, length: int) -> Iterator[_Look]:
        """Encrypt, decrypt, and then decrypt what has another end."""
        sent = self._mac(ENCRYPT, length, OTHER)
        back = replace(self.places, source=self.places.to, to=self.places.source)
        turned = replace(self, places=back)
        complaint = f"the MAC of {length} bytes is another one when they are decrypted"
        yield _Look(complaint, sent, turned._mac(DECRYPT, length, OTHER), same=True)  # noqa: SLF001
        yield from self._ends("ciphertext", length, self.places.source, self._decrypted)

    def _ends(
        self, what: str, length: int, where: Where, mac_of: Callable[[int], PendingAnswer]
    ) -> Iterator[_Look]:
        last = None
        for byte in (0, 1) if length else ():
            put(self.session, shift(where, length - 1), bytes([byte]))
            before, last = last, mac_of(length)
            if before is not None:
                complaint = f"the last of {length} bytes of {what} does not matter to the MAC"
                yield _Look(complaint, before, last)
        put(self.session, shift(where, length), bytes(1))
        last = last or mac_of(length)
        complaint = f"a zero byte behind {length} bytes of {what} does not matter to the MAC"
        yield _Look(complaint, last, mac_of(length + 1))

    def _with_data(self, length: int) -> PendingAnswer:
        return self._mac(ENCRYPT, OTHER, length)

    def _decrypted(self, length: int) -> PendingAnswer:
        return self._mac(DECRYPT, length, OTHER)

    def _mac(self, action: int, length: int, data_length: int) -> PendingAnswer:
        packet(action, self.session, self.places, length, data_length)
        return get(self.session, self.places.mac, mac_bytes(self.sizes))


CHECKS = (
    Check(
        name="mac/ends",
        asks="Does the MAC depend on the last byte of messages and data of every short length?",
        why=(
            "Padding depends on the length. A MAC that leaves out the end of data of 16 or 256 "
            "bytes, or in which a zero byte more makes no difference, lets messages be changed "
            "that tests with other lengths never have."
        ),
        cure=(
            "Look at the last, incomplete block, and at how the length is authenticated, for "
            "the length that the message names."
        ),
        run=run_ends,
    ),
)
