# SPDX-License-Identifier: MIT
"""One record of every kind that a store keeps."""

from pathlib import Path

from msgspec.structs import replace

from assay.model import (
    Build,
    BuildStage,
    Cell,
    CheckResult,
    Configuration,
    Counter,
    Launch,
    Machine,
    Package,
    PackageKind,
    PackageRole,
    Quirk,
    Sample,
    SizeChoice,
    StreamSubject,
    Verdict,
)
from assay.model.supercop import Attempt, Fact, Measurement, ObjectSize, Record, Source, Subject
from assay.store.published import PublishedFile

PACKAGE = Package(
    selector="salsa20/ref",
    primitive="salsa20",
    implementation="ref",
    place="submissions/salsa20/ref",
    role=PackageRole.SUBMISSION,
    api="ecrypt-sync",
    kind=PackageKind.STREAM,
    root=Path("/src/salsa20/ref"),
    header="ecrypt-sync.h",
    sources=("salsa20.c",),
    files=("salsa20.c", "ecrypt-sync.h"),
    std=("-std=c99",),
    variants=2,
    vectors=Path("/src/salsa20/verified.test-vectors"),
    quirks=(Quirk("quirk/no-profile", "seen", "cure"),),
    content_hash="contents-1",
)
O3 = Configuration("gcc", "gcc-12", "", "-O3", "gcc_default_O3", "gcc-12_default_O3")
O2 = Configuration("gcc", "gcc-12", "", "-O2", "gcc_default_O2", "gcc-12_default_O2")
CELL = Cell("salsa20/ref", 1, O3.name)
BUILD = Build(CELL, BuildStage.DONE, "object-1", Path("/a"), "warning", "gcc", "bubblewrap", 0.5)
CHECKS = (
    CheckResult("api/sizes", Verdict.PASS),
    CheckResult("api/aad", Verdict.SKIPPED, "no AAD"),
    CheckResult("context/copied", Verdict.FAIL, "differs", "cure", "00\n01"),
)
SUBJECT = StreamSubject(
    *("ecrypt-sync", "Salsa20", None, (128, 256), (64,), (), 256, 64, 0, 64, 64, 4096),
    flags=frozenset({"ECRYPT_GENERATES_KEYSTREAM"}),
    functions=frozenset({"keysetup", "ivsetup"}),
)
MACHINE = Machine(
    *("bench", "CPU", "x86_64", 2, 1 << 33, "6.1", "Debian", None, None, True, None, "kvm"),
    notes=("a note",),
)
LAUNCH = Launch(
    cell=CELL,
    object_hash="object-1",
    seed=7,
    started_at="2026-11-21T10:00:00+00:00",
    counter=Counter("RDTSC instruction", 2, 2.4e9, None, None),
    latency_canary=(1.0, 1.01),
    throughput_canary=(0.25, 0.26),
    timed_seconds=0.2,
    total_seconds=0.4,
    jail="bubblewrap",
    samples=(
        Sample("stream/long", SizeChoice(128, 64), 1, 22, 4096, (10, 2**63, 0)),
        Sample("setup/iv", SizeChoice(128, 64, 32), 10, 500, 0, (5, 6), deferred_ticks=4),
    ),
)

SOURCE = Source("vm", "amd64", "20261120", "20260330")
SHA = Subject("crypto_hash", "sha256", "timingleaks", "crypto_hash/sha256/ref", "gcc -O3")
MD5 = Subject("crypto_hash", "md5", "", "crypto_hash/md5/ref", "")
FILE = PublishedFile("digest", "/there/data.gz", "2026-11-21T10:00:00+00:00", 7, 1)
SIZED = Measurement(SOURCE, SHA, "cycles", 576, 1.5, 2.0, 2.25, "cycles", (1, -2, 2**62), 1)
SIZELESS = Measurement(SOURCE, SHA, "keypair_cycles", None, 1, 2, 3, "ticks", ())
ATTEMPT = Attempt(SOURCE, SHA, "ok", "aa", "bb", 7.5, (7, 8), "why\nso", 1, 2)
RECORDS: tuple[Record, ...] = (
    Fact(SOURCE, SHA, "compiler", ("gcc_-O3", "", "12.2.0")),
    SIZED,
    ATTEMPT,
    SIZELESS,
    ObjectSize(SOURCE, SHA, 1, 2, 3, "a b.o"),
    replace(SIZED, source=replace(SOURCE, machine="other"), subject=MD5, launches=None),
)
