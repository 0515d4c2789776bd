# SPDX-License-Identifier: MIT
"""Stores of many packages, machines and times.

`python -m tests.unit.site.generated DIR 1000 20 5` makes one.

One store is written as a campaign would; the others are copies in which machine, moments and
ticks differ, since a million transactions would take an hour.
"""

import random
import shutil
import sqlite3
import sys
from contextlib import closing
from hashlib import sha256
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
    OperationDetails,
    OperationSubject,
    Package,
    PackageKind,
    PackageRole,
    Sample,
    SizeChoice,
    Verdict,
)
from assay.store import FILE_NAME, Store
from assay.store.records import dump, pack, unpack

COUNTER = Counter("RDTSC instruction", 2, 2.4e9, 1.25, 0.002)
CONFIGURATION = Configuration("gcc", "gcc", "", "-O3 -march=native", "gcc_native_O3", "gcc_O3")
LAUNCHES, BATCHES = 5, 3
OPERATIONS = {
    "crypto_hash": ("cycles/64", "cycles/576", "cycles/1536", "cycles/4096"),
    "crypto_aead": ("encrypt_cycles/64", "encrypt_cycles/1536", "decrypt_cycles/1536"),
    "crypto_kem": ("keypair_cycles/-", "enc_cycles/-", "dec_cycles/-"),
    "crypto_sign": ("keypair_cycles/-", "cycles/59", "open_cycles/59"),
}
CONSTANTS = (("PUBLICKEYBYTES", "1184"), ("SECRETKEYBYTES", "2400"), ("CIPHERTEXTBYTES", "1088"),
             ("BYTES", "32"), ("KEYBYTES", "16"))  # fmt: skip
MACHINE = Machine(
    host="machine-00", cpu="Example CPU at 2.4 GHz", architecture="x86_64", cores=4,
    memory_bytes=8 << 30, kernel="6.1.0", system="Debian 12", mhz=2400.0, governor="performance",
    turbo=False, smt=False, virtualised=None, compilers=("gcc 12.2.0",), assay="0.1.0",
)  # fmt: skip


def package(number: int, per_primitive: int) -> Package:
    """Describe one of many packages."""
    operation = list(OPERATIONS)[number // per_primitive % len(OPERATIONS)]
    primitive = f"{operation.removeprefix('crypto_')}{number // per_primitive:03}"
    implementation = f"impl{number % per_primitive}"
    selector = f"{operation}/{primitive}/{implementation}"
    details = OperationDetails(operation, Path("/src"), "c", "supercop", CONSTANTS)
    return Package(
        selector=selector, primitive=primitive, implementation=implementation, place=selector,
        role=PackageRole.SUBMISSION, api="supercop", kind=PackageKind.OPERATION,
        root=Path("/src") / selector, header="api.h", sources=("code.c",), files=("code.c",),
        std=(), variants=1, vectors=None, quirks=(), details=details,
        content_hash=sha256(selector.encode()).hexdigest(),
    )  # fmt: skip


def store_of(folder: Path, packages: int, per_primitive: int = 10, seed: int = 1) -> None:
    """Write a store of many packages."""
    chance = random.Random(seed)
    with Store.create(folder, lasting=False) as store:
        store.put_machine(MACHINE)
        for number in range(packages):
            _cell(store, package(number, per_primitive), 4 + number % per_primitive, chance)


def _cell(store: Store, one: Package, speed: float, chance: random.Random) -> None:
    assert one.details is not None
    cell = Cell(one.selector, 1, CONFIGURATION.name)
    league = "constbranchindex" if speed % 2 else "timingleaks"
    store.put_package(one)
    store.put_build(
        Build(cell, BuildStage.DONE, f"object {one.selector}", None, "", "gcc -O3 -c code.c",
              "bubblewrap", 0.1, league=league),
        one, CONFIGURATION, "harness")  # fmt: skip
    store.put_subject(cell, OperationSubject(one.details.operation, one.primitive,
        one.implementation, tuple((k, int(v)) for k, v in CONSTANTS), ("",), 0))  # fmt: skip
    store.put_checks(cell, (CheckResult("checksum/small", Verdict.PASS),))
    for number in range(LAUNCHES):
        store.put_launch(_launch(cell, one.details.operation, speed, number, chance))


def _launch(
    cell: Cell, operation: str, speed: float, number: int, chance: random.Random
) -> Launch:
    samples = tuple(_sample(name, speed, chance) for name in OPERATIONS[operation])
    return Launch(
        cell=cell, object_hash=f"object {cell.selector}", seed=number,
        started_at=f"2026-01-01T10:00:{number:02}+00:00", counter=COUNTER,
        latency_canary=(1.0, 1.0), throughput_canary=(0.25, 0.25), timed_seconds=0.1,
        total_seconds=0.2, jail="bubblewrap", samples=samples,
    )  # fmt: skip


def _sample(measure: str, speed: float, chance: random.Random) -> Sample:
    size = measure.rpartition("/")[2]
    cost = speed * (200 + int(size)) if size.isdigit() else speed * 10_000
    ticks = tuple(round(cost * (1 + chance.gauss(0, 0.003))) for _ in range(BATCHES))
    return Sample(measure, SizeChoice(0, 0), 1, 1, 0, ticks)


def copy_of(first: Path, folder: Path, machine: int, month: int) -> None:
    """Write the store of another machine or time."""
    folder.mkdir(parents=True)
    shutil.copy(first / FILE_NAME, folder / FILE_NAME)
    chance = random.Random(1000 * machine + month)
    pace = 1 + machine * 0.13

    def moved(blob: bytes) -> bytes:
        noise = 1 + chance.gauss(0, 0.003)
        return pack([round(one * pace * noise) for one in unpack(blob)])

    host = replace(MACHINE, host=f"machine-{machine:02}", cpu=f"Example CPU {machine}",
                   compilers=(f"gcc {12 + month // 3}.2.0",), kernel=f"6.{month}.0")  # fmt: skip
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        db.create_function("moved", 1, moved)
        db.execute("UPDATE machine SET record = ?", (dump(host),))
        db.execute("UPDATE sample SET ticks = moved(ticks)")
        # In the form of records that were stored, so that whose they are is asked as of those.
        day = f"2026-{month:02}-{1 + machine:02}"
        db.execute("UPDATE launch SET record = replace(record, '2026-01-01T', ? || 'T')", (day,))
        db.execute("COMMIT")


def stores(folder: Path, packages: int, machines: int, times: int) -> list[Path]:
    """Write all stores below a folder; return their folders."""
    first = folder / "first"
    store_of(first, packages)
    found = []
    for machine in range(machines):
        for month in range(1, times + 1):
            found.append(folder / f"m{machine:02}-{month}")
            copy_of(first, found[-1], machine, month)
    shutil.rmtree(first)
    return found


if __name__ == "__main__":
    stores(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
