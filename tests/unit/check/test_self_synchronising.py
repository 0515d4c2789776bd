# SPDX-License-Identifier: MIT
"""The API of self-synchronising ciphers: a mode that a library has, and Moustique."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from cryptography.hazmat.decrepit.ciphers.modes import CFB8
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from assay.check.engine.workshop import Workshop, open_workshop
from assay.check.session import StreamSession
from assay.check.session import describe_stream as describe
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.execute.places import Buffer
from assay.model import Package, SizeChoice
from assay.model.wire import StreamFunction
from assay.package.estream import load_estream
from assay.plan.choice import default_configuration

ROOT = Path(__file__).resolve().parents[3]
TEXT = bytes(range(7, 207))
# Of the designers' 128 outputs in the order of their file of test values, one after another.
MOUSTIQUE = "194714c363ce7a497488d30746d807f4ad90dcf9c6220569e40fd5451053d2cc"
VALUES = tuple(
    map(bytes.fromhex, ("00" * 16, "ff" * 16, "0123456789abcdef" * 2, "fedcba9876543210" * 2))
)


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Build with what a user gets by default."""
    with open_workshop(strongest_jail()) as opened:
        yield opened


ENCRYPT, DECRYPT = 0, 1


@contextmanager
def session_of(workshop: Workshop, package: Package) -> Iterator[StreamSession]:
    """Talk to a package."""
    configuration, compiler = default_configuration()
    build = workshop.build(Recipe(package, 1, configuration, compiler))
    assert build.ok, build.reason
    with workshop.connector(build)() as agent:
        yield StreamSession(agent, describe(agent))


class Talk:
    """A context with a key and an IV."""

    def __init__(self, session: StreamSession, sizes: SizeChoice, key: bytes, iv: bytes) -> None:
        """Load both."""
        session.agent.forget_buffers()
        self._session = session
        self._ctx = session.context()
        self._source, self._to, self._aad, self._mac = (
            session.agent.buffer(name, 1024) for name in ("input", "output", "AAD", "MAC")
        )
        loaded = session.agent.buffer("key", 64), session.agent.buffer("IV", 64)
        for place, value in zip(loaded, (key, iv), strict=True):
            session.agent.write(place, value)
        session.call(StreamFunction.KEYSETUP, self._ctx, loaded[0], *sizes.bits())
        session.call(StreamFunction.IVSETUP, self._ctx, loaded[1])

    def whole(self, action: int, text: bytes, *, in_place: bool = False) -> bytes:
        """Process text with one call of *_bytes."""
        to = self._source if in_place else self._to
        return self._done(text, to, StreamFunction.ENCRYPT_BYTES + action, len(text))

    def blocks(self, action: int, text: bytes, *, in_place: bool = False) -> bytes:
        """Process text with one call of *_blocks."""
        count = len(text) // self._session.subject.block_bytes
        to = self._source if in_place else self._to
        return self._done(text, to, StreamFunction.ENCRYPT_BLOCKS + action, count)

    def authenticate(self, aad: bytes) -> None:
        """Give additional data."""
        self._session.agent.write(self._aad, aad)
        self._session.call(StreamFunction.AUTHENTICATE_BYTES, self._ctx, self._aad, len(aad))

    def mac(self, length: int) -> bytes:
        """End the message; return the MAC."""
        self._session.call(StreamFunction.FINALIZE, self._ctx, self._mac)
        return self._session.agent.fetch(self._mac, length).data

    def _done(self, text: bytes, to: Buffer, number: int, count: int) -> bytes:
        self._session.agent.write(self._source, text)
        self._session.call(StreamFunction(number), self._ctx, self._source, to, count)
        return self._session.agent.fetch(to, len(text)).data


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("cuts", [(), (16,), (16, 32, 16)])
def test_calls_get_the_ciphertext_before_them(
    workshop: Workshop, cuts: tuple[int, ...], in_place: bool
) -> None:
    """AES in CFB mode keeps nothing itself: what the library says comes out in pieces, too."""
    key, iv = bytes(range(16)), bytes(range(100, 116))
    cipher = Cipher(algorithms.AES(key), CFB8(iv))
    encryptor = cipher.encryptor()
    expected = encryptor.update(TEXT) + encryptor.finalize()
    package = load_estream(ROOT / "tests" / "whole" / "corpus" / "ssyn")
    with session_of(workshop, package) as session:
        for action, text, right in ((ENCRYPT, TEXT, expected), (DECRYPT, expected, TEXT)):
            talk = Talk(session, SizeChoice(128, 128, None), key, iv)
            done, at = b"", 0
            for cut in cuts:
                done += talk.blocks(action, text[at : at + cut], in_place=in_place)
                at += cut
            assert done + talk.whole(action, text[at:], in_place=in_place) == right


@pytest.mark.parametrize("mac_bytes", [8, 16])
@pytest.mark.parametrize("cut", [0, 16, 64])
def test_a_mac_comes_with_the_ciphertext(workshop: Workshop, cut: int, mac_bytes: int) -> None:
    """The library's CFB and CBC modes say what the toy with a MAC gives, in pieces, too."""
    key, iv, aad = bytes(range(16)), bytes(range(100, 116)), b"additional data"
    encryptor = Cipher(algorithms.AES(key), CFB8(iv)).encryptor()
    ciphertext = encryptor.update(TEXT) + encryptor.finalize()
    lengths = len(aad).to_bytes(4, "little") + len(TEXT).to_bytes(4, "little")
    parts = (iv, aad, ciphertext, lengths)
    chained = b"".join(part + bytes(-len(part) % 16) for part in parts)
    expected = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor().update(chained)
    package = load_estream(ROOT / "tests" / "whole" / "corpus" / "ssyn-ae")
    with session_of(workshop, package) as session:
        for action, text, right in ((ENCRYPT, TEXT, ciphertext), (DECRYPT, ciphertext, TEXT)):
            talk = Talk(session, SizeChoice(128, 128, 8 * mac_bytes), key, iv)
            talk.authenticate(aad)
            done = talk.blocks(action, text[:cut]) + talk.whole(action, text[cut:])
            assert done == right
            assert talk.mac(mac_bytes) == expected[-16:][:mac_bytes]


def test_moustique_gives_the_designers_test_values(workshop: Workshop) -> None:
    """All 128: four keys by four IVs by four texts, encrypted, and then decrypted."""
    package = load_estream(ROOT / "submissions" / "moustique" / "ref", tree_root=ROOT)
    digest = sha256()
    with session_of(workshop, package) as session:
        for action in (ENCRYPT, DECRYPT):
            for key, iv, text in product(VALUES, repeat=3):
                talk = Talk(session, SizeChoice(96, 104, None), key[:12], iv[:13])
                digest.update(talk.whole(action, text))
    assert digest.hexdigest() == MOUSTIQUE
