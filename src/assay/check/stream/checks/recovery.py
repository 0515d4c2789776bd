# SPDX-License-Identifier: MIT
"""Whether a self-synchronising cipher recovers from damaged and from lost ciphertext."""

from dataclasses import replace

from assay.check.check import Check, CheckInapplicable
from assay.check.stream.checks.laying import Message, fresh, get, lay, load_key, must_equal, put
from assay.check.stream.session import DECRYPT, ENCRYPT, StreamSession
from assay.check.stream.trial import Trial
from assay.check.stream.ways import at_once
from assay.model.apis import is_self_synchronising

CLEAN_BYTES = 64
LONGEST_DAMAGE = 40


def recovers(trial: Trial) -> None:
    """ECRYPT_SYNCLENGTH bytes after a change or a gap, decryption gives plaintext again."""
    if not is_self_synchronising(trial.subject.api):
        raise CheckInapplicable("the cipher is not self-synchronising")
    block = trial.subject.block_bytes
    for sizes in trial.few_sizes:
        message = fresh(trial, sizes, 3 * block + LONGEST_DAMAGE + CLEAN_BYTES)
        with trial.session() as session:
            ciphertext = _process(trial, session, ENCRYPT, message)
            for damage in (1, block, LONGEST_DAMAGE):
                start = trial.random.randrange(2 * block)
                _altered(trial, session, message, ciphertext, start, damage)
                _lost(trial, session, message, ciphertext, start, damage)


def _process(trial: Trial, session: StreamSession, action: int, message: Message) -> bytes:
    """Return a message in one piece to a context that something else was done with."""
    places = lay(session, message)
    put(session, places.ctx, trial.bytes(session.subject.context_bytes))
    load_key(session, places, message.sizes)
    at_once(action, session, places, len(message.text), 0)
    return get(session, places.to, len(message.text)).data


def _altered(
    trial: Trial,
    session: StreamSession,
    message: Message,
    ciphertext: bytes,
    start: int,
    damage: int,
) -> None:
    """Change bytes on their way: the first to the last bit of each, at random."""
    wrong = bytearray(ciphertext)
    for at in range(start, start + damage):
        wrong[at] ^= trial.random.randrange(1, 256)
    plaintext = _process(trial, session, DECRYPT, replace(message, text=bytes(wrong)))
    clean = start + damage + session.subject.block_bytes
    complaint = f"{damage} bytes of ciphertext were changed, and ECRYPT_SYNCLENGTH bytes later "
    complaint += "decryption does not give plaintext"
    must_equal(complaint, message, message.text[clean:], plaintext[clean:])
    before = (
        f"bytes of ciphertext were changed from number {start} on, and plaintext differs before"
    )
    must_equal(before, message, message.text[:start], plaintext[:start])


def _lost(
    trial: Trial,
    session: StreamSession,
    message: Message,
    ciphertext: bytes,
    start: int,
    damage: int,
) -> None:
    """Leave bytes out, so that all that follow come too early."""
    left = ciphertext[:start] + ciphertext[start + damage :]
    plaintext = _process(trial, session, DECRYPT, replace(message, text=left))
    clean = start + session.subject.block_bytes
    complaint = f"{damage} bytes of ciphertext were lost, and ECRYPT_SYNCLENGTH bytes later "
    complaint += "decryption does not give plaintext"
    must_equal(complaint, message, message.text[clean + damage :], plaintext[clean:])


CHECKS = (
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
