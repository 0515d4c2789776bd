# SPDX-License-Identifier: MIT
"""Well-formed inputs to begin with, and the words that formats are made of."""

import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

from tests.objects import Json

from assay.execute.protocol import encode
from assay.machine.describe import describe
from assay.store.records import dump

ROOT = Path(__file__).parents[3]
PUBLISHED = "20260330 vm amd64 2000000000"


def head(place: str, count: int = 1500) -> bytes:
    """Give the beginning of a file of the repository."""
    return (ROOT / place).read_bytes()[:count]


def stream_vectors() -> list[bytes]:
    """Give a file with one vector, and the end of a file."""
    whole = (ROOT / "benchmarks/rc4/verified.test-vectors").read_bytes()
    start = whole[: whole.index(b"Set 1, vector#  9")]
    return [start + b"\n\nEnd of test vectors\n", whole[-1200:]]


HASH_VECTORS = [
    b"# SHA-256\n256 0 - e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
    b"Len = 8\nMsg = bd\nMD = 68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b\n",
]
RSP = [
    b"# AES\n[L = 32]\n\nLen = 8\nMsg = bd\nMD = 68325720\n\nLen = 0\nMsg = 00\nMD = e3b0\n",
    b"# Kyber\n\ncount = 0\nseed = 061550234D\npk = 0102\nsk = 0304\nct = 05\nss = 06\n\n",
    b"count = 0\nseed = 06\nmlen = 1\nmsg = D8\npk = 01\nsk = 03\nsmlen = 2\nsm = 0506\n",
    b"Count = 1\nKey = 00\nNonce = 01\nPT = 02\nAD = \nCT = 0304\n\n",
    b"01:02:03:04:\n0a:0b::0c:\n",
    b"[outputlen = 128]\nCOUNT = 0\nOutputlen = 128\nMsg = 00\nOutput = 01\n\nSeed = 00\nMD = 1\n",
]


def _grouped(algorithm: str, test: Json, group: Json, **more: str) -> bytes:
    """Write a file of one group with one test."""
    groups = [{**group, "tgId": 1, "tests": [{"tcId": 1, **test}]}]
    return json.dumps({"algorithm": algorithm, **more, "testGroups": groups}).encode()


JSON = [
    _grouped(
        "AES-GCM",
        dict.fromkeys(["key", "iv", "aad", "msg", "ct", "tag"], "00") | {"result": "valid"},
        {"ivSize": 96, "keySize": 128, "tagSize": 128, "type": "AeadTest"},
        schema="aead_test_schema.json",
    ),
    _grouped(
        "X25519",
        {"public": "50", "private": "a0", "shared": "43", "result": "acceptable"},
        {"curve": "curve25519", "type": "XdhComp"},
        schema="xdh_comp_schema.json",
    ),
    _grouped("SHA2-256", {"msg": "BD", "len": 8, "md": "68"}, {"testType": "AFT"}, revision="1.0"),
    _grouped(
        "ML-KEM",
        {"z": "00", "d": "01", "ek": "02", "dk": "03"},
        {"testType": "AFT", "parameterSet": "ML-KEM-512"},
        mode="keyGen",
        revision="FIPS203",
    ),
    _grouped(
        "SHAKE-128",
        {"msg": "BD", "resultsArray": [{"md": "00", "outLen": 16}]},
        {"testType": "MCT"},
        revision="1.0",
    ),
]
_NAMES = """algorithm mode testGroups tests tcId tgId testType len outLen msg md key iv aad ct tag
result valid invalid type parameterSet resultsArray flags schema"""
_PUNCTUATION = (b"null", b"1e999", b"[", b"{", b"true", b"-1", b'""')
JSON_WORDS = (*(f'"{word}"'.encode() for word in _NAMES.split()), *_PUNCTUATION)
_HEADER = """#define #undef #if #endif ECRYPT_MAXVARIANT ECRYPT_NAME ECRYPT_KEYSIZE(i) /* */ // \\
" ' ( ) { ecrypt-sync.h ECRYPT_SYNC toy_context toy_init( CRYPTO_BYTES"""
HEADER_WORDS = (*(word.encode() for word in _HEADER.split()), b"\\\n")
COMPACT = [b"typedef struct {} toy_context;\nvoid toy_init(toy_context *, unsigned);\n"]
SHA3 = [b"typedef struct {} hashState;\nInit(); Update(); Final(); Hash();\n"]
MAKEFILE = [b"name = toy\ntype = sync\nstd = -ansi\n"]
META = [b"name: x\nimplementations:\n  - name: clean\n    version: 1\n"]
CONFIGURATION = [
    b"tag = x_y\ntestobj = _x$(obj)\ncomp = gcc\ncc = gcc\narch = -m64\nopt = -O2\n",
]
TARGETS = [
    (
        b'[[target]]\nname = "b"\ntitle = "x"\nbase = "native"\nrunner = "serial"\n'
        b'line = "/dev/x"\nspeed = 9\n'
    ),
]
CPUINFO = [
    b"processor : 0\ncpu MHz : 2000.0\nflags : avx2\nisa : rv64ima_zba\n\n2000.0",
    b"cpu0 1 2 3 4 5 6 7 8 9 10\nsome avg10=0.00 total=5\nCpu0ClkTck : 1f\n1.0",
]
VALGRIND = [
    (
        b"<error><kind>UninitValue</kind><what>x</what><stack><frame><ip>0x1</ip>"
        b"<fn>f</fn><file>a.c</file><line>3</line></frame></stack></error>"
    ),
]
LINES = [
    (
        f"{PUBLISHED} crypto_hash sha256 timingleaks 1.2 implementation crypto_hash/sha256/ref -\n"
        f"{PUBLISHED} 20260330 crypto_hash sha256 ref gcc_-O2 cycles 576 100 +1 -2\n"
        f"{PUBLISHED} crypto_hash sha256 timingleaks try 12ab ok 1234 1200 1234 0 "
        "crypto_hash/sha256/ref gcc_-O3\n"
    ).encode(),
]


def archives() -> list[bytes]:
    """Give small archives of every sort that is unpacked."""
    made = []
    for mode in ("w", "w:gz", "w:xz", "w:bz2"):
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode=mode) as file:
            for name, link in (("p/x.c", ""), ("p/y.c", "x.c"), ("p/d", ".")):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = (tarfile.SYMTYPE if link else tarfile.REGTYPE), link
                info.size = 0 if link else 4
                file.addfile(info, None if link else io.BytesIO(b"text"))
        made.append(whole.getvalue()[:3584] if mode == "w" else whole.getvalue())
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", method) as zipped:
            zipped.writestr("p/x.c", b"text" * 9)
            zipped.writestr("p/y.c", b"")
        made.append(whole.getvalue())
    return made


def frames() -> list[bytes]:
    """Give payloads and frames of the protocol."""
    payload = b"\x05\x00hello" + bytes(4)
    return [payload, encode(0, 1, payload), b"\x00\x01x" + payload, b"\x02\x21" + payload * 4]


def line() -> list[bytes]:
    """Give what a board answers to the greeting with the number 0xF0000001."""
    good = encode(0, 0xF0000001, struct.pack("<HBBBIII", 3, 16, 1, 1, 0, 4096, 4096) + b"\xff\xff")
    return [good, b"boot...\r\n" + good, good[:-2]]


def machine() -> bytes:
    """Give a machine as the store has it."""
    return dump(describe()).encode()
