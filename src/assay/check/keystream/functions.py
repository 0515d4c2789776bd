# SPDX-License-Identifier: MIT
"""What keystream depends on: no function, no length, and errors for a while only."""

from dataclasses import replace

from assay.check.arena import Arena
from assay.check.check import Check, CheckInapplicable, CheckSkipped
from assay.check.evidence import require_equal
from assay.check.routine import (
    RANDOM_SPLITS,
    Pieces,
    Routine,
    at_random,
    here_and_there,
    in_all_ways,
    said,
    sweep,
)
from assay.check.stream.routines import CipherMessage, fresh_message
from assay.check.stream.trial import Trial
from assay.model.apis import PACKAGED, is_self_synchronising

FUNCTIONS = ("keystream_bytes", "keystream_blocks")
LONGEST_SWEPT = 321
SECONDS = 2.4
CLEAN_BYTES = 64
LONGEST_DAMAGE = 40


# ---------------------------------------------------------------- functions and lengths


def keystream(trial: Trial) -> None:
    """Keystream in one piece and in many is encryption of zeros."""
    _skip_if_missing(trial)
    block = trial.subject.block_bytes
    for sizes in trial.asked_of(trial.few_sizes):
        length = trial.stretch or max(LONGEST_SWEPT, 9 * block + 7)
        message = fresh_message(trial.bytes, trial.subject, sizes, length)
        cuts: list[Pieces] = [
            *((one,) for one in sweep(block, thorough=trial.thorough)),
            *in_all_ways(block),
            *at_random(trial.random, block, length, RANDOM_SPLITS),
        ]
        if trial.stretch:
            cuts = [(length,), *here_and_there(trial.random, block, length)]
        says = "{} bytes of keystream, as {}, are not what encryption adds"
        parts = [
            (says.format(size, said(one)), size, message.cut("keystream", FUNCTIONS[0], one, ()))
            for one, size in ((one, sum(one)) for one in cuts)
            if size <= length
        ]
        _begin_alike(trial, replace(message, text=bytes(length)), parts)


def _skip_if_missing(trial: Trial) -> None:
    if not PACKAGED[trial.package.api].has("_keystream_bytes"):
        raise CheckInapplicable(f"the API {trial.package.api} has no keystream functions")
    if "generates-keystream" not in trial.subject.flags:
        raise CheckSkipped("the cipher says that it generates no keystream")
    missing = [name for name in FUNCTIONS if name not in trial.subject.functions]
    if missing:
        raise CheckSkipped(
            "ECRYPT_GENERATES_KEYSTREAM is set, but not defined: "
            f"{', '.join(f'ECRYPT_{name}' for name in missing)} (quirk/keystream-missing)"
        )


def prefixes(trial: Trial) -> None:
    """Keystream does not depend on how much of it is used."""
    if "generates-keystream" not in trial.subject.flags:
        raise CheckInapplicable("the cipher says that it generates no keystream")
    lengths = [one for one in trial.lengths(thorough=trial.thorough) if one < LONGEST_SWEPT]
    for sizes in trial.few_sizes:
        message = fresh_message(trial.bytes, trial.subject, sizes, LONGEST_SWEPT)
        parts = [
            (f"{one} bytes encrypt differently from the same bytes in a longer message", one,
             message.by("encrypt_bytes", one, 0))
            for one in lengths
        ]  # fmt: skip
        _begin_alike(trial, message, parts)


def _begin_alike(
    trial: Trial, message: CipherMessage, parts: list[tuple[str, int, Routine]]
) -> None:
    """Compare outputs of some lengths, under one key, with the beginning of the packet's."""
    with trial.session() as session:
        arena = Arena(session)
        whole = arena.begin(message.by("encrypt_packet", data=0))
        asked = trial.budget(SECONDS).each(session, parts)
        waiting = [(*part, arena.again(part[2], "output")) for part in asked]
        expected = whole.value.outputs["output"]
        for complaint, length, routine, part in waiting:
            require_equal(
                routine,
                complaint,
                "output",
                expected[:length],
                part.value.outputs["output"][:length],
            )


# ---------------------------------------------------------------- errors


def recovers(trial: Trial) -> None:
    """ECRYPT_SYNCLENGTH bytes after a change or a gap, decryption gives plaintext again."""
    if not is_self_synchronising(trial.subject.api):
        raise CheckInapplicable("the cipher is not self-synchronising")
    block = trial.subject.block_bytes
    for sizes in trial.few_sizes:
        length = 3 * block + LONGEST_DAMAGE + CLEAN_BYTES
        message = fresh_message(trial.bytes, trial.subject, sizes, length)
        with trial.session() as session:
            link = _Link(trial, Arena(session), message)
            ciphertext = link.processed("encrypt_bytes", message.text)
            for damage in (1, block, LONGEST_DAMAGE):
                start = trial.random.randrange(2 * block)
                link.alter(ciphertext, start, damage)
                link.lose(ciphertext, start, damage)


class _Link:
    """A message on its way, which something happens to."""

    def __init__(self, trial: Trial, arena: Arena, message: CipherMessage) -> None:
        self._trial, self._arena, self._message = trial, arena, message

    def processed(self, way: str, text: bytes) -> bytes:
        """Process text in one piece with a context that something else was done with."""
        routine = replace(self._message, text=text).by(way, data=0)
        arena = self._arena
        arena.forget()
        arena.ready(routine)
        arena.put("ctx", self._trial.bytes(routine.variables["ctx"].size))
        arena.go(routine.steps)
        return arena.get("output", len(text)).data

    def alter(self, ciphertext: bytes, start: int, damage: int) -> None:
        """Change bytes: the first to the last bit of each, at random."""
        wrong = bytearray(ciphertext)
        for at in range(start, start + damage):
            wrong[at] ^= self._trial.random.randrange(1, 256)
        plaintext = self.processed("decrypt_bytes", bytes(wrong))
        text, clean = self._message.text, start + damage + self._message.subject.block_bytes
        self._require(f"{damage} bytes of ciphertext were changed, and ECRYPT_SYNCLENGTH bytes "
                      "later decryption does not give plaintext",
                      text[clean:], plaintext[clean:])  # fmt: skip
        self._require(f"bytes of ciphertext were changed from number {start} on, and plaintext "
                      "differs before", text[:start], plaintext[:start])  # fmt: skip

    def lose(self, ciphertext: bytes, start: int, damage: int) -> None:
        """Leave bytes out, so that all that follow come too early."""
        left = ciphertext[:start] + ciphertext[start + damage :]
        plaintext, clean = (
            self.processed("decrypt_bytes", left),
            start + self._message.subject.block_bytes,
        )
        self._require(f"{damage} bytes of ciphertext were lost, and ECRYPT_SYNCLENGTH bytes later "
                      "decryption does not give plaintext",
                      self._message.text[clean + damage :], plaintext[clean:])  # fmt: skip

    def _require(self, complaint: str, expected: bytes, actual: bytes) -> None:
        routine = self._message.by("encrypt_bytes", data=0)
        require_equal(routine, complaint, "plaintext", expected, actual)


KEYSTREAM = Check(
    name="keystream/functions",
    asks="Do keystream_bytes and keystream_blocks give the encryption of zeros?",
    why=(
        "No vector covers these functions. Some well-known submissions announce them and "
        "lack them; Assay reports that as a quirk and skips this check."
    ),
    cure=(
        "Use one generator for keystream and encryption. Store the keystream in the output "
        "rather than adding it, because the output may hold anything."
    ),
    run=keystream,
)
CHECKS = (
    Check(
        name="lengths/prefix",
        asks="Does a short message encrypt like the beginning of a long one?",
        why="Receivers decrypt what has arrived, however much the sender encrypted at once.",
        cure="Let the keystream depend on the position alone, not on the length of the message.",
        run=prefixes,
    ),
    Check(
        name="sync/recovers",
        asks=(
            "Does decryption recover within ECRYPT_SYNCLENGTH bytes of changed or lost ciphertext?"
        ),
        why=(
            "Recovery is the purpose of a self-synchronising cipher. No vector shows it, "
            "because all vectors are decrypted undamaged."
        ),
        cure=(
            "Let the keystream depend only on the key and on the last ECRYPT_SYNCLENGTH bytes "
            "of ciphertext: no counter, no plaintext, nothing of the IV beyond them. Count the "
            "bits that pass through all stages, and round up to bytes."
        ),
        run=recovers,
    ),
)
