# SPDX-License-Identifier: MIT
"""Honest toy implementations, of the standard library and of `cryptography`."""

import hashlib
from array import array

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from tests.unit.check.supercop.conftest import Functions, Generator, Pointer

TAG_BYTES = 16
REFUSED = -1


def hash_of(name: str) -> Functions:
    """Give the function of a crypto_hash."""

    def crypto_hash(h: Pointer, m: Pointer, length: int) -> int:
        h.write(hashlib.new(name, m.read(length)).digest())
        return 0

    return {"": crypto_hash}


def shake256(h: Pointer, out: int, m: Pointer, length: int) -> None:
    """Be the crypto_xof of the standard."""
    h.write(hashlib.shake_256(m.read(length)).digest(out))


def chacha20(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Encrypt with a nonce of 8 bytes, counting blocks in the other 8."""
    return (
        Cipher(algorithms.ChaCha20(key, bytes(8) + nonce), None).encryptor().update(data)
        if data
        else b""
    )


def stream(c: Pointer, length: int, n: Pointer, k: Pointer) -> int:
    """Be crypto_stream."""
    c.write(chacha20(k.read(32), n.read(8), bytes(length)))
    return 0


def stream_xor(c: Pointer, m: Pointer, length: int, n: Pointer, k: Pointer) -> int:
    """Be crypto_stream_xor."""
    c.write(chacha20(k.read(32), n.read(8), m.read(length)))
    return 0


STREAM: Functions = {"": stream, "_xor": stream_xor}


def scalarmult(q: Pointer, n: Pointer, p: Pointer) -> int:
    """Be crypto_scalarmult on Curve25519; the top bit of a point is not looked at."""
    private = X25519PrivateKey.from_private_bytes(n.read(32))
    q.write(private.exchange(X25519PublicKey.from_public_bytes(p.read(32))))
    return 0


def scalarmult_base(q: Pointer, n: Pointer) -> int:
    """Be crypto_scalarmult_base on Curve25519."""
    q.write(X25519PrivateKey.from_private_bytes(n.read(32)).public_key().public_bytes_raw())
    return 0


SCALARMULT: Functions = {"": scalarmult, "_base": scalarmult_base}


def sign_keypair(pk: Pointer, sk: Pointer, *, random: Generator) -> int:
    """Make a key of Ed25519 from 32 random bytes."""
    seed = random.take(32)
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    pk.write(public)
    sk.write(seed + public)
    return 0


def sign(sm: Pointer, size: list[int], m: Pointer, length: int, sk: Pointer) -> int:
    """Put a signature of Ed25519 in front of a message."""
    message = m.read(length)
    sm.write(Ed25519PrivateKey.from_private_bytes(sk.read(32)).sign(message) + message)
    size[0] = length + 64
    return 0


def sign_open(m: Pointer, size: list[int], sm: Pointer, length: int, pk: Pointer) -> int:
    """Give back a message that was signed."""
    signed = sm.read(length)
    try:
        Ed25519PublicKey.from_public_bytes(pk.read(32)).verify(signed[:64], signed[64:])
    except (InvalidSignature, ValueError):
        return REFUSED
    m.write(signed[64:])
    size[0] = length - 64
    return 0


SIGN: Functions = {"": sign, "_open": sign_open, "_keypair": sign_keypair}


def sort(x: Pointer, count: int) -> None:
    """Be crypto_sort of 32-bit integers."""
    x.write(array("i", sorted(array("i", x.read(4 * count)))).tobytes())


def verify(x: Pointer, y: Pointer) -> int:
    """Be crypto_verify of 32 bytes."""
    return 0 if x.read(32) == y.read(32) else REFUSED


def tag(k: Pointer, p: Pointer, ad: bytes, c: bytes) -> bytes:
    """Authenticate with a hash over everything."""
    return hashlib.sha256(k.read(16) + p.read(16) + bytes([len(ad) & 255]) + ad + c).digest()[:16]


def pad(k: Pointer, p: Pointer, length: int) -> bytes:
    """Give a stream from a hash."""
    return hashlib.shake_128(k.read(16) + p.read(16)).digest(length)


def mixed(one: bytes, other: bytes) -> bytes:
    """Add two strings."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def encrypt(
    c: Pointer,
    size: list[int],
    m: Pointer,
    length: int,
    ad: Pointer,
    adlen: int,
    nsec: Pointer,
    npub: Pointer,
    k: Pointer,
) -> int:
    """Be a toy of crypto_aead_encrypt; the secret number of 4 bytes is encrypted in front."""
    text = nsec.read(4) + m.read(length)
    text = mixed(text, pad(k, npub, len(text)))
    c.write(text + tag(k, npub, ad.read(adlen), text))
    size[0] = len(text) + TAG_BYTES
    return 0


def decrypt(
    m: Pointer,
    size: list[int],
    nsec: Pointer,
    c: Pointer,
    length: int,
    ad: Pointer,
    adlen: int,
    npub: Pointer,
    k: Pointer,
) -> int:
    """Be a toy of crypto_aead_decrypt."""
    text, found = c.read(length - TAG_BYTES), c.read(TAG_BYTES, length - TAG_BYTES)
    if found != tag(k, npub, ad.read(adlen), text):
        return REFUSED
    text = mixed(text, pad(k, npub, len(text)))
    nsec.write(text[:4])
    m.write(text[4:])
    size[0] = len(text) - 4
    return 0


AEAD: Functions = {"_encrypt": encrypt, "_decrypt": decrypt}
AEAD_CONSTANTS = {"KEYBYTES": 16, "NSECBYTES": 4, "NPUBBYTES": 16, "ABYTES": 20, "NOOVERLAP": 0}


def kem_keypair(pk: Pointer, sk: Pointer, *, random: Generator) -> int:
    """Make a toy's keys: the public one is a hash of the secret one."""
    seed = random.take(32)
    sk.write(seed)
    pk.write(hashlib.sha256(seed).digest())
    return 0


def kem_enc(c: Pointer, k: Pointer, pk: Pointer, *, random: Generator) -> int:
    """Send a random number under the public key, which anybody could open."""
    number = random.take(32)
    c.write(mixed(number, pk.read(32)) + hashlib.sha256(number).digest()[:8])
    k.write(hashlib.sha256(b"k" + number).digest())
    return 0


def kem_dec(k: Pointer, c: Pointer, sk: Pointer) -> int:
    """Open it; a damaged one gives another key."""
    number = mixed(c.read(32), hashlib.sha256(sk.read(32)).digest())
    if hashlib.sha256(number).digest()[:8] != c.read(8, 32):
        number = sk.read(32) + c.read(40)
    k.write(hashlib.sha256(b"k" + number).digest())
    return 0


KEM: Functions = {"_keypair": kem_keypair, "_enc": kem_enc, "_dec": kem_dec}
KEM_CONSTANTS = {"PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 32, "BYTES": 32, "CIPHERTEXTBYTES": 40}
