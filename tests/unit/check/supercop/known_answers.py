# SPDX-License-Identifier: MIT
"""The known answers that come with Assay, made by code that Assay does not ship.

`python -m tests.unit.check.supercop.known_answers` writes them beside the primitives.
"""

from collections.abc import Callable, Iterator
from hashlib import shake_128
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from tests.unit.check.supercop import ascon, mldsa, mlkem

TREE = Path(__file__).resolve().parents[4] / "submissions" / "supercop"
LENGTHS = ((0, 0), (1, 0), (0, 1), (15, 16), (16, 33), (17, 15), (64, 7), (100, 20))
TEXTS = (0, 1, 7, 8, 16, 33, 100)

Seal = Callable[[bytes, bytes, bytes, bytes], bytes]
Block = dict[str, bytes]


def _bytes(length: int, *what: object) -> bytes:
    """Return bytes that look random, for a purpose."""
    return shake_128(" ".join(map(str, what)).encode()).digest(length)


def _aead(key_bytes: int, nonce_bytes: int, seal: Seal) -> Iterator[Block]:
    for message, data in LENGTHS:
        key, nonce, text, ad = (
            _bytes(length, what, message, data)
            for length, what in (
                (key_bytes, "key"),
                (nonce_bytes, "nonce"),
                (message, "message"),
                (data, "data"),
            )
        )
        sealed = seal(key, nonce, text, ad)
        yield {"Key": key, "Nonce": nonce, "PT": text, "AD": ad, "CT": sealed}


def _digests(function: Callable[[bytes], bytes]) -> Iterator[Block]:
    for length in TEXTS:
        text = _bytes(length, "message")
        yield {"Msg": text, "MD": function(text)}


def _customised() -> Iterator[Block]:
    for length in TEXTS:
        text, label = _bytes(length, "message"), _bytes(length // 3, "label")
        yield {"Msg": text, "Z": label, "MD": ascon.customised(text, label, 64)}


def _xof(start: int, length: int) -> Callable[[bytes], bytes]:
    return lambda text: ascon.squeezed(ascon.absorbed(ascon.begun(start), [text]), length)


def _kem() -> Iterator[Block]:
    for number in range(2):
        d, z, m = (_bytes(32, what, number) for what in "dzm")
        public, private = mlkem.keypair(d, z)
        text, shared = mlkem.encapsulated(public, m)
        other = bytes([text[0] ^ 1]) + text[1:]
        block = {"d": d, "z": z, "msg": m, "pk": public, "sk": private, "ct": text, "ss": shared}
        yield {**block, "ct_n": other, "ss_n": mlkem.decapsulated(private, other)}


def _sign() -> Iterator[Block]:
    for length in (0, 33):
        xi, rnd, message = _bytes(32, "xi", length), _bytes(32, "rnd"), _bytes(length, "message")
        public, private = mldsa.keypair(xi)
        signed = mldsa.signature(private, message, rnd) + message
        yield {"xi": xi, "rng": rnd, "msg": message, "pk": public, "sk": private, "sm": signed}


def _text(source: str, blocks: Iterator[Block]) -> str:
    parts = [f"# {source}"]
    for number, block in enumerate(blocks, 1):
        lines = [f"{name} = {value.hex().upper()}".rstrip() for name, value in block.items()]
        parts.append("\n".join([f"Count = {number}", *lines]))
    return "\n\n".join(parts) + "\n"


_ASCON = "Made by an implementation of SP 800-232 in Python."
_LIBRARY = "Made by OpenSSL."
FILES: dict[str, tuple[str, Callable[[], Iterator[Block]]]] = {
    "crypto_aead/aes128gcmv1/AEAD_KAT.txt": (
        _LIBRARY,
        lambda: _aead(16, 12, lambda k, n, m, a: AESGCM(k).encrypt(n, m, a)),
    ),
    "crypto_aead/chacha20poly1305/AEAD_KAT.txt": (
        _LIBRARY,
        lambda: _aead(32, 12, lambda k, n, m, a: ChaCha20Poly1305(k).encrypt(n, m, a)),
    ),
    "crypto_aead/asconaead128/AEAD_KAT.txt": (
        _ASCON,
        lambda: _aead(16, 16, lambda k, n, m, a: ascon.sealed(m, a, n, k)),
    ),
    "crypto_hash/asconhash256/HASH_KAT.txt": (_ASCON, lambda: _digests(_xof(ascon.HASH, 32))),
    "crypto_xof/asconxof128/XOF_KAT.txt": (_ASCON, lambda: _digests(_xof(ascon.XOF, 64))),
    "crypto_cxof/asconcxof128/CXOF_KAT.txt": (_ASCON, _customised),
    "crypto_kem/mlkem768/kemKAT.rsp": ("Made by an implementation of FIPS 203 in Python.", _kem),
    "crypto_sign/mldsa44/signKAT.rsp": ("Made by an implementation of FIPS 204 in Python.", _sign),
}


def written(name: str) -> str:
    """Return the text of a file."""
    source, blocks = FILES[name]
    return _text(source, blocks())


if __name__ == "__main__":
    for place in FILES:
        TREE.joinpath(place).write_text(written(place), "ascii")
