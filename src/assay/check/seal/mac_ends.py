# SPDX-License-Identifier: MIT
"""Whether messages and data are authenticated to their ends, whatever length each has.

Lengths are those of messages, those of data, and all pairs of short ones. A message is encrypted
and decrypted, and encrypted with the last byte of either changed.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.lengths.far import far
from assay.check.seal import lengths
from assay.check.seal.mac import AAD_BYTES, sizes_with_mac
from assay.check.session import BaseSession
from assay.check.stream.routines import CipherMessage, fresh_message, mac_bytes
from assay.check.stream.trial import Trial
from assay.execute.agent import PendingAnswer
from assay.model import SizeChoice

DENSE = 140  # all lengths below are tried
EDGES = (160, 192, 256, 320, 512, 1024, 2048, 4096)  # and those around
LEAST_MAC_BYTES = 4
SECONDS = 0.5
FEW = 21  # lengths of data with each length of the message
ENCRYPT, DECRYPT = "encrypt_packet", "decrypt_packet"
NAMES = {"input": "message", "AAD": "data"}

MacPair = tuple[str, PendingAnswer | bytes, PendingAnswer, bool]
"""What is wrong unless two MACs, or messages, are the same; or unless they are not."""


def ends(trial: Trial) -> str:
    """Vary the length of the message, then that of the data."""
    sizes = max(_sizes(trial), key=mac_bytes)
    budget = trial.budget(SECONDS)
    edges = [edge + more for edge in EDGES for more in (-1, 0, 1)]
    every = sorted({*range(DENSE), *edges, *far(trial)})
    with trial.session() as session:
        loaded = LoadedMessage.begun(trial, session, sizes, every[-1] + 1)
        data = min(AAD_BYTES, len(loaded.message.aad))
        for behind in NAMES if data else ("input",):
            asked = budget.each(session, trial.some(every))
            pairs = ((one, data) if behind == "input" else (AAD_BYTES, one) for one in asked)
            loaded.judge(pairs, behind)
    return budget.remark("lengths")


def run_pairs(trial: Trial) -> str:
    """Encrypt and decrypt all pairs of lengths, as far as there is time."""
    if "supports-aad" not in trial.subject.flags:
        raise CheckInapplicable("there are no data")
    every, longest = _sizes(trial), lengths.DEEP if trial.deep else lengths.SHORT
    budget = trial.budget(lengths.DEEP_SECONDS if trial.deep else lengths.SECONDS)
    with trial.session() as session:
        for length in budget.each(session, trial.some(range(longest))):
            loaded = LoadedMessage.begun(trial, session, trial.random.choice(every), longest)
            chosen = trial.some(range(longest), None if trial.deep else FEW)
            loaded.judge((length, data) for data in sorted(chosen))
    return budget.remark("lengths")


def _sizes(trial: Trial) -> tuple[SizeChoice, ...]:
    """Return the sizes tested with a MAC that is not the same by chance."""
    every = tuple(one for one in sizes_with_mac(trial) if mac_bytes(one) >= LEAST_MAC_BYTES)
    if not every:
        raise CheckInapplicable("so short a MAC is often the same by chance")
    return every


class LoadedMessage(Struct, frozen=True):
    """A loaded key, and a long message with long data."""

    arena: Arena
    message: CipherMessage

    @classmethod
    def begun(
        cls, trial: Trial, session: BaseSession, sizes: SizeChoice, longest: int
    ) -> "LoadedMessage":
        """Draw a key, a message and data, and load them."""
        message = fresh_message(trial.bytes, trial.subject, sizes, longest, longest)
        arena = Arena(session)
        arena.prepare(message.by(ENCRYPT))
        return cls(arena, message)

    def judge(self, pairs: Iterable[tuple[int, int]], behind: str = "") -> None:
        """Ask all lengths of message and data, then raise CheckFailed for the first wrong one."""
        for wrong, expected, other, same in list(self._each(pairs, behind)):
            one = expected if isinstance(expected, bytes) else expected.data
            if (one == other.data) != same:
                raise CheckFailed(wrong, f"{one.hex()}\n{other.data.hex()}\n")

    def _each(self, pairs: Iterable[tuple[int, int]], behind: str) -> Iterator[MacPair]:
        """Encrypt, decrypt, and change the ends; add a byte `behind` one of the inputs."""
        back, before = self.arena.turned("input", "output"), None
        for length, data in pairs:
            about = f"{length} bytes with {data} of data ({self.message.sizes})"
            wrong = f"{about}: decryption gives another message, or another MAC"
            mac = self._mac(self.arena, ENCRYPT, length, data)
            opened_mac = self._mac(back, DECRYPT, length, data)
            yield wrong, self.message.text[:length], back.get("output", length), True
            yield wrong, mac, opened_mac, True
            for name, size in (("input", length), ("AAD", data)):
                if size:
                    with self._with_byte(name, size - 1):
                        changed = self._mac(self.arena, ENCRYPT, length, data)
                    says = f"{about}: the last byte of the {NAMES[name]} does not matter"
                    yield says, mac, changed, False
            if behind:
                yield self._longer(about, behind, length, data)
            if before is not None:
                yield f"{before[0]} have the MAC of {about}", before[1], mac, False
            before = about, mac

    def _longer(self, about: str, name: str, length: int, data: int) -> MacPair:
        """Add a zero byte: of what is decrypted, which ciphers do not turn into another one."""
        in_text = name == "input"
        verb, more = (DECRYPT, (length + 1, data)) if in_text else (ENCRYPT, (length, data + 1))
        with self._with_byte(name, length if in_text else data, to=0):
            one, other = (self._mac(self.arena, verb, *each) for each in ((length, data), more))
        return f"{about}: a zero byte behind the {NAMES[name]} does not matter", one, other, False

    def _mac(self, arena: Arena, verb: str, length: int, data: int) -> PendingAnswer:
        """Process a message under the key that is loaded; ask for the MAC."""
        return arena.again(self.message.by(verb, length, data), "MAC").outputs["MAC"]

    @contextmanager
    def _with_byte(self, name: str, at: int, to: int | None = None) -> Iterator[None]:
        """Let a byte of an input be another one meanwhile: with one bit changed unless given."""
        agent, buffer = self.arena.session.agent, self.arena.buffer(name)
        byte = (self.message.text if name == "input" else self.message.aad)[at]
        agent.write(buffer, bytes([byte ^ 1 if to is None else to]), at)
        yield
        agent.write(buffer, bytes([byte]), at)


ENDS: Check[Trial] = Check(
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
    run=ends,
)
PAIRS: Check[Trial] = Check(
    "mac/pairs",
    "Are messages and data decrypted and authenticated, whatever pair of lengths they have?",
    (
        "What is done with the last, incomplete block of data may depend on whether there is a "
        "message, and on how it ends. Code that leaves out the end of 13 bytes of data with a "
        "message of 7 passes tests that vary one length at a time. Each length below 64 of the "
        "message is asked with another length of the MAC, and with a third of the lengths of the "
        "data; `--deep` asks all pairs below 300."
    ),
    "Look at what is done with the last blocks of data and message for the lengths named.",
    run_pairs,
)
