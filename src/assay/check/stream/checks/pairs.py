# SPDX-License-Identifier: MIT
"""Whether messages and associated data of every pair of short lengths are authenticated.

Each pair is encrypted, decrypted, and encrypted with the last byte of either changed. Each length
of the message has another of the lengths that a MAC may have.
"""

from dataclasses import dataclass

from assay.check.arena import Arena
from assay.check.check import Check, CheckFailed, CheckInapplicable
from assay.check.routine import Routine
from assay.check.seal.pairs import DEEP, DEEP_SECONDS, SECONDS, SHORT
from assay.check.stream.checks.mac import LEAST_MAC_BYTES, sizes_with_mac
from assay.check.stream.routines import CipherMessage, fresh_message
from assay.check.stream.sizes import mac_bytes
from assay.check.stream.trial import Trial
from assay.execute.agent import PendingAnswer

FEW = 21  # lengths of data with each length of the message
ENCRYPT, DECRYPT = "encrypt_packet", "decrypt_packet"


def run_pairs(trial: Trial) -> str:
    """Encrypt and decrypt all pairs of lengths, as far as there is time."""
    every = [one for one in sizes_with_mac(trial) if mac_bytes(one) >= LEAST_MAC_BYTES]
    if "supports-aad" not in trial.subject.flags or not every:
        raise CheckInapplicable("there are no data, or no MAC of four bytes")
    longest = DEEP if trial.deep else SHORT
    budget = trial.budget(DEEP_SECONDS if trial.deep else SECONDS)
    with trial.session() as session:
        for length in budget.each(session, trial.random.sample(range(longest), longest)):
            sizes = trial.random.choice(every)
            message = fresh_message(trial.bytes, trial.subject, sizes, longest, longest)
            chosen = trial.random.sample(range(longest), longest if trial.deep else FEW)
            _ask(Arena(session), message, length, sorted(chosen))
    return budget.remark("lengths")


def _ask(arena: Arena, message: CipherMessage, length: int, every: list[int]) -> None:
    """Encrypt and decrypt a length of the message with some lengths of data."""
    arena.prepare(message.by(ENCRYPT))
    pairs = [_Pair.begun(arena, message, length, data) for data in every]
    for one, other in zip(pairs, (*pairs[1:], None), strict=True):
        one.judge(other)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A message with data: what it was, its MACs and its decryption.

    `changed` are MACs that must be others, of the message with another last byte, and of such
    data.
    """

    about: str
    message: bytes
    mac: PendingAnswer
    opened: PendingAnswer
    opened_mac: PendingAnswer
    changed: tuple[tuple[str, PendingAnswer], ...]

    @classmethod
    def begun(cls, arena: Arena, message: CipherMessage, length: int, data: int) -> "_Pair":
        """Encrypt, decrypt to where the message was, and encrypt what was changed."""
        way = message.by(ENCRYPT, length, data)
        mac = _mac(arena, way)
        back = arena.turned("input", "output")
        opened_mac = _mac(back, message.by(DECRYPT, length, data))
        opened = back.get("output", length)
        changed = tuple(
            (name, _mac_changed(arena, way, label, size))
            for name, label, size in (("ciphertext", "input", length), ("data", "AAD", data))
            if size
        )
        about = f"{length} bytes with {data} of data ({message.sizes})"
        return cls(about, message.text[:length], mac, opened, opened_mac, changed)

    def judge(self, other: "_Pair | None") -> None:
        """Raise CheckFailed unless the pair goes as it must, and `other` has another MAC."""
        mac = self.mac.data
        if self.opened.data != self.message or self.opened_mac.data != mac:
            raise CheckFailed(
                f"{self.about}: decryption gives another message, or another MAC",
                f"{mac.hex()}\n{self.opened_mac.data.hex()}\n",
            )
        for what, changed in self.changed:
            if changed.data == mac:
                raise CheckFailed(f"{self.about}: the last byte of the {what} does not matter")
        if other is not None and other.mac.data == mac:
            raise CheckFailed(f"{self.about} have the MAC of {other.about}")


def _mac(arena: Arena, way: Routine) -> PendingAnswer:
    arena.go(way.steps[way.setup :])
    return arena.get("MAC", way.variables["MAC"].size)


def _mac_changed(arena: Arena, way: Routine, name: str, size: int) -> PendingAnswer:
    """Return the MAC with the last of so many bytes of an input changed."""
    agent, buffer, last = arena.session.agent, arena.buffer(name), size - 1
    byte = (way.variables[name].value or b"")[last]
    agent.write(buffer, bytes([byte ^ 1]), last)
    mac = _mac(arena, way)
    agent.write(buffer, bytes([byte]), last)
    return mac


CHECK: Check[Trial] = Check(
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
