# SPDX-License-Identifier: MIT
"""Everything that reads what others wrote, as functions of bytes, and inputs to begin with.

A reader may raise an AssayError for any input and nothing else. Inputs to begin with
are short and well formed; words are what the formats are made of.
"""

import io
import itertools
import os
import shutil
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

from tests.whole.fuzz import results, seeds

from assay.check.answers.read import read_answers
from assay.check.answers.vector_text import parse, read_vectors
from assay.check.operation import session as operations
from assay.check.session import describe_hash, describe_stream
from assay.execute.agent import Agent
from assay.execute.line import SerialLine, whole_payload
from assay.execute.pipe import PipeClosed
from assay.execute.protocol import HEADER, PROTOCOL_VERSION, Request, encode
from assay.execute.protocol import PayloadReader as Payload
from assay.execute.valgrind import ValgrindOutput
from assay.imported.files import lines, opened
from assay.imported.reader import LineReader
from assay.machine import cpuinfo
from assay.machine.cpuinfo import cpu_mhz
from assay.machine.processors import cpu_list, neighbours, usage
from assay.machine.sources import Sources
from assay.model import Machine
from assay.package.archive import ArchiveLimits
from assay.package.arrival import arrive
from assay.package.builds.makefile import parse_makefile
from assay.package.discover import load_all
from assay.package.estream import load_estream
from assay.package.hashes import load_compact, load_sha3_nist
from assay.package.supercop.listing import Listed
from assay.package.supercop.load import load_listed
from assay.package.supercop.primitive import read_meta
from assay.package.text import code_of, has_main, includes, macros
from assay.store import FILE_NAME
from assay.store.records import load
from assay.targets.catalogue import users_targets
from assay.toolchain.configs import read_configuration
from assay.toolchain.shortlist import parse_shortlist

SMALL = ArchiveLimits(files=40, total_bytes=1 << 16, free_bytes=1 << 16)


@dataclass(frozen=True)
class FuzzedReader:
    """A reader by its name: what it does with bytes, inputs to begin with, and words."""

    name: str
    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...] = ()


@cache
def scratch(name: str) -> Path:
    """Give a folder in memory where there is one; it goes with the process."""
    shared = Path("/dev/shm")  # noqa: S108 - a folder with a fresh name below it
    where = shared if os.access(shared, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix=f"assay-fuzz-{os.getpid()}-{name}-", dir=where))
    import atexit  # noqa: PLC0415

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(name: str, data: bytes) -> Path:
    path = scratch("files") / name
    path.write_bytes(data)
    return path


# ------------------------------------------------------------------ vectors and answers


def _stream_vectors(data: bytes) -> object:
    return [one.sizes for one in parse(data.decode("latin-1"))]


_number = itertools.count()


def _hash_vectors(data: bytes) -> object:
    path = _file("x.vectors", data)
    os.utime(path, ns=(next(_number), next(_number)))  # files are kept until they change
    return [(one.whole, one.rest) for one in read_vectors(path)]


def _answers(data: bytes) -> object:
    return read_answers(_file("answers", data))


# ------------------------------------------------------------------ packages


def _estream(data: bytes) -> object:
    folder = scratch("estream")
    (folder / "ecrypt-sync.h").write_bytes(data)
    (folder / "toy.c").write_bytes(b'#include "ecrypt-sync.h"\nvoid ECRYPT_keysetup(int x) {}\n')
    (folder / "Makefile").write_bytes(b"name = toy\ntype = sync\nstd = -ansi\n")
    return load_estream(folder)


def _estream_source(data: bytes) -> object:
    folder = scratch("source")
    (folder / "ecrypt-sync.h").write_bytes(seeds.head("benchmarks/rc4/ref/ecrypt-sync.h", 20_000))
    (folder / "toy.c").write_bytes(data)
    return load_all(folder, folder, "toy")


def _compact(data: bytes) -> object:
    folder = scratch("compact")
    (folder / "toy.h").write_bytes(data)
    (folder / "toy.c").write_bytes(data)
    return load_compact(folder, tree_root=folder, place="toy/ref")


def _sha3(data: bytes) -> object:
    """Read a package of which the header, the source and the known answers are hostile."""
    folder = scratch("sha3")
    for name in ("SHA3api_ref.h", "toy.c", "other.h", "ShortMsgKAT_224.txt"):
        (folder / name).write_bytes(data)
    return load_sha3_nist(folder, tree_root=folder, place="toy/ref")


def _api(data: bytes) -> object:
    folder = scratch("api") / "crypto_hash/toy/ref"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api.h").write_bytes(data)
    (folder / "hash.c").write_bytes(b'#include "crypto_hash.h"\nint crypto_hash() {}\n')
    return load_listed(Listed(scratch("api"), "crypto_hash/toy/ref"))


def _text(data: bytes) -> object:
    text = data.decode("latin-1")
    code = code_of(text)
    return macros(code), includes(text), has_main(code)


def _makefile(data: bytes) -> object:
    return parse_makefile(data.decode("latin-1"))


def _meta(data: bytes) -> object:
    return read_meta(_file("META.yml", data), "clean")


# ------------------------------------------------------------------ archives


def _archive(data: bytes) -> object:
    folder = scratch("archive")
    into = folder / "into"
    shutil.rmtree(into, ignore_errors=True)
    path = folder / "a"
    path.write_bytes(data)
    try:
        return arrive(path, into, SMALL)
    finally:
        left = {one.name for one in folder.iterdir()}
        assert left <= {"a", "into"}, left
        for place, folders, files in os.walk(into):
            for name in (*folders, *files):
                real = os.path.realpath(os.path.join(place, name))  # noqa: PTH118
                assert f"{real}/".startswith(f"{into.resolve()}/")


# ------------------------------------------------------------------ agents and lines


class _Says:
    """A pipe whose other end answers every request with the next piece of some bytes.

    Half of what is fuzzed is behind a correct frame, so that more than frames is reached.
    """

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self._due = b""
        self._raw = bool(data[:1] and data[0] & 1)

    def write(self, data: bytes) -> None:
        """Take a request, and prepare its answer."""
        _, code, _, sequence, _ = HEADER.unpack(data[: HEADER.size])
        if self._raw:
            self._due += self._data.read(64)
            return
        length = int.from_bytes(self._data.read(1), "little")
        payload = self._data.read(length)
        if code == Request.HELLO and length & 1:
            payload = struct.pack("<HBBBIII", PROTOCOL_VERSION, 64, 1, 1, 4096, 65536, 65536)
            payload += payload[:2] + payload
        self._due += encode(0, sequence, payload)

    def read(self, length: int, deadline: float) -> bytes:
        """Give the prepared bytes."""
        del deadline
        if len(self._due) < length:
            raise PipeClosed
        taken, self._due = self._due[:length], self._due[length:]
        return taken

    def close(self) -> str:
        """End."""
        return ""


def _agent(data: bytes) -> None:
    for describe in (describe_stream, describe_hash, operations.describe):
        with Agent(_Says(data)) as agent:
            describe(agent)
            buffer = agent.buffer("x", 16)
            agent.read(buffer)
            agent.damage(buffer)


def _frames(data: bytes) -> None:
    if len(data) >= HEADER.size:
        whole_payload(data)
    reader = Payload(data)
    while not reader.done:
        reader.text()
        reader.number(4)


class _Port:
    """A serial port that says what it is told to."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self.write_timeout = 0.0
        self.in_waiting = 7

    def read(self, count: int) -> bytes:
        """Receive."""
        return self._data.read(count)

    def write(self, data: bytes) -> int:
        """Send."""
        return len(data)


def _line(data: bytes) -> object:
    line = SerialLine("nowhere", 0)
    line._port = _Port(data)  # type: ignore[assignment]
    line._greetings = 1
    clock = map(float, itertools.count())
    with mock.patch("assay.execute.line.time.monotonic", side_effect=clock):
        return line._welcomed(0xF0000001, len(data) // 8 + 3.0), line.silence()


def _valgrind(data: bytes) -> object:
    path = _file("report.xml", data)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return ValgrindOutput(descriptor).read()
    finally:
        os.close(descriptor)


# ------------------------------------------------------------------ the machine


def _cpuinfo(data: bytes) -> object:
    folder = scratch("proc")
    (folder / "cpuinfo").write_bytes(data)
    (folder / "stat").write_bytes(data)
    (folder / "loadavg").write_bytes(data)
    (folder / "pressure").mkdir(exist_ok=True)
    (folder / "pressure/cpu").write_bytes(data)
    cpu = folder / "devices/system/cpu"
    for name in ("cpu0/topology", "cpu0/cpufreq", "smt"):
        (cpu / name).mkdir(parents=True, exist_ok=True)
    for name in ("cpu0/topology/thread_siblings_list", "cpu0/cpufreq/cpuinfo_max_freq"):
        (cpu / name).write_bytes(data)
    sources = Sources(proc=folder, sys=folder)
    cpuinfo.cpu_flags(sources)
    cpu_mhz(sources)
    cpu_list(data.decode("latin-1"))
    usage(0, sources)
    neighbours(0, sources)
    return cpuinfo.parse_mhz(data.decode("latin-1").rpartition("\n")[2])


def _configuration(data: bytes) -> object:
    return read_configuration(_file("gcc_default_O2", data))


def _shortlist(data: bytes) -> object:
    return parse_shortlist(data.decode("latin-1"))


def _targets(data: bytes) -> object:
    return users_targets(_file("targets.toml", data))


# ------------------------------------------------------------------ results


def _published(data: bytes) -> object:
    with opened(_file("data", data)) as stream:
        return list(LineReader().runs(lines(stream)))


def _store(data: bytes) -> None:
    folder = scratch("store")
    results.damage(folder / FILE_NAME, results.good(scratch("good")), data)
    results.read_everything(folder)


def _record(data: bytes) -> object:
    return load(Machine, data.decode("latin-1"))


C_TEXT = "benchmarks/rc4/ref/rc4.c"
HEADER_TEXT = "benchmarks/rc4/ref/ecrypt-sync.h"


def _one(
    name: str, read: Callable[[bytes], object], given: list[bytes], *words: bytes
) -> FuzzedReader:
    """Describe a reader whose inputs to begin with are at hand."""
    return FuzzedReader(name, read, lambda: given, words)


READERS = (
    FuzzedReader(
        "stream-vectors", _stream_vectors, seeds.stream_vectors, (b"Set 1, vector#  0:", b" = ")
    ),
    _one("hash-vectors", _hash_vectors, seeds.HASH_VECTORS, b"Len = ", b"MD = "),
    _one("answers-rsp", _answers, seeds.RSP, b"COUNT = ", b"Len = ", b"Seed = ", b"["),
    _one("answers-json", _answers, seeds.JSON, *seeds.JSON_WORDS),
    _one("estream-header", _estream, [seeds.head(HEADER_TEXT, 9000)], *seeds.HEADER_WORDS),
    _one("estream-source", _estream_source, [seeds.head(C_TEXT)], *seeds.HEADER_WORDS),
    _one("compact-header", _compact, seeds.COMPACT, *seeds.HEADER_WORDS),
    _one("sha3-header", _sha3, seeds.SHA3, *seeds.HEADER_WORDS),
    _one("api-header", _api, [b"#define CRYPTO_BYTES 32\n"], *seeds.HEADER_WORDS),
    _one("c-text", _text, [seeds.head(C_TEXT)], *seeds.HEADER_WORDS),
    _one("makefile", _makefile, seeds.MAKEFILE, b"name = ", b"std = ", b"$(shell x)"),
    _one("pqclean-meta", _meta, seeds.META, b"- name: ", b"architecture: "),
    FuzzedReader("archive", _archive, seeds.archives, (b"PK\x03\x04", b"ustar", b"../")),
    FuzzedReader("agent", _agent, seeds.frames, (b"AS\x00\x00", b"\xff\xff")),
    FuzzedReader("frames", _frames, seeds.frames, (b"AS\x00\x00", b"\xff\xff")),
    FuzzedReader("serial-line", _line, seeds.line, (b"AS\x00\x00\x01\x00\x00\xf0",)),
    _one("valgrind-report", _valgrind, seeds.VALGRIND, b"<error>", b"</error>", b"&x;"),
    _one("cpuinfo", _cpuinfo, seeds.CPUINFO, b"nan", b"1e999", b"cpu0 ", b"-", b",", b"total="),
    _one("configuration", _configuration, seeds.CONFIGURATION, b"cc = ", b"tag = "),
    _one("shortlist", _shortlist, [b"     20 gcc_default_O2\n      9 x\n"], b"20", b"x_y"),
    _one("targets", _targets, seeds.TARGETS, b"[[target]]", b"base = ", b"port = ", b"speed = "),
    _one("database-lines", _published, seeds.LINES, b" ok ", b" try ", b" + "),
    FuzzedReader("store", _store, results.seeds, (b"null", b"[", b"{", b'""', b"\n", b"1e999")),
    FuzzedReader("record", _record, lambda: [seeds.machine()], (b"null", b"[", b"{", b"1e999")),
)
BY_NAME = {one.name: one for one in READERS}
