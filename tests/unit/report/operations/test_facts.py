# SPDX-License-Identifier: MIT
"""What lines of one's own results say besides times, in the words of SUPERCOP 20260330."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.report.operations.filled import MACHINE, PASSED, Fake, sample

from assay.imported.reader import LineReader
from assay.model import CheckResult, OperationSubject, Verdict
from assay.model.operations import OPERATIONS
from assay.report.supercop import LineWriter, in_order
from assay.report.supercop.own import database_records
from assay.store import Store

CPUID = "GenuineIntel-000806f8-bfebfbff"
HEAD = "assay-0.1.0 bench amd64 20261121 crypto_hash sha256/constbranchindex"
ABOUT = "crypto_hash/sha256/ref gcc_-march=native_-O3"
SUBJECT = OperationSubject(
    "crypto_hash", "sha256", "crypto_hash/sha256/ref", (("BYTES", 32),), ("",), 0
)
LEAK = CheckResult(
    "secrets/timing", Verdict.FAIL, "a jump is secret, in hash.c:7", "", "by 0x1: f\nby 0x2: g"
)

# The names in each operation's measure.c of SUPERCOP 20260330, after `sizenames`.
NAMED = {
    "crypto_aead": "keybytes nsecbytes npubbytes abytes",
    "crypto_auth": "outputbytes keybytes",
    "crypto_box": "publickeybytes secretkeybytes beforenmbytes noncebytes zerobytes boxzerobytes",
    "crypto_core": "outputbytes inputbytes keybytes constbytes",
    "crypto_decode": "strbytes itembytes items",
    "crypto_dh": "outputbytes publickeybytes secretkeybytes",
    "crypto_encode": "strbytes itembytes items",
    "crypto_encrypt": "outputbytes publickeybytes secretkeybytes",
    "crypto_hash": "outputbytes",
    "crypto_hashblocks": "statebytes",
    "crypto_kem": "publickeybytes secretkeybytes outputbytes ciphertextbytes",
    "crypto_onetimeauth": "outputbytes keybytes",
    "crypto_rng": "outputbytes keybytes",
    "crypto_scalarmult": "outputbytes scalarbytes",
    "crypto_secretbox": "keybytes noncebytes zerobytes boxzerobytes",
    "crypto_sign": "outputbytes publickeybytes secretkeybytes",
    "crypto_sort": "bytes",
    "crypto_stream": "keybytes noncebytes",
    "crypto_verify": "inputbytes",
    "crypto_xof": "",
}


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    """Give a store to fill, of a machine whose processor and compiler are known."""
    with Store.create(tmp_path / "results") as store:
        found = Fake(store)
        store.put_machine(replace(MACHINE, cpuid=CPUID, compilers=("gcc 12.2.0",)))
        yield found


def lines(store: Store) -> list[str]:
    """Export the store."""
    records = database_records(store)
    return list(LineWriter().lines(in_order(records)))


def measured(fake: Fake, checks: tuple[CheckResult, ...] = PASSED, **changes: object) -> list[str]:
    """Store an implementation that was tried and measured, and export it."""
    cell = fake.cell(fake.package(), checks=checks, **changes)  # type: ignore[arg-type]
    fake.store.put_subject(cell, SUBJECT)
    fake.launch(cell, sample("cycles/8", 100, 104, 96))
    return [line.removeprefix(f"{HEAD} ") for line in lines(fake.store)]


def test_a_heading_has_what_supercop_prints_in_its_order(fake: Fake) -> None:
    """measure-anything.c: implementation, sizes, cpuid, rate, counter, compiler."""
    found = measured(fake)
    at = found.index("implementation crypto_hash/sha256/ref -")
    assert found[at : at + 6] == [
        "implementation crypto_hash/sha256/ref -",
        "outputbytes 32",
        f"cpuid {CPUID}",
        "cpucycles_persecond 2500000000",
        "cpucycles_implementation assay-cycles",
        "compiler gcc_-march=native_-O3 12.2.0",
    ]
    assert found[at + 6].startswith("cycles 8 125 ")
    assert sum(line.startswith("implementation") for line in found) == 1


def test_compiler_messages_are_lines_with_the_file_that_they_are_about(fake: Fake) -> None:
    """At most 25 of a compilation, as SUPERCOP keeps; the rest is three dots."""
    text = "hash.c: In function 'f':\nsrc/hash.c:7:1: warning: unused\n    7 |  int x;\n"
    found = measured(fake, diagnostics=text + "note\n" * 30)
    messages = [line for line in found if line.startswith("fromcompiler")]
    assert messages[1] == f"fromcompiler {ABOUT} hash.c src/hash.c:7:1: warning: unused"
    assert messages[2] == f"fromcompiler {ABOUT} hash.c     7 |  int x;"
    assert messages[-1] == f"fromcompiler {ABOUT} hash.c ..."
    assert len(messages) == 26


def test_names_outside_of_the_namespace_are_lines(fake: Fake, tmp_path: Path) -> None:
    """With the object file and the letter that nm has for the name."""
    folder = tmp_path / "results"
    (folder / "hash.c").write_text(
        "int crypto_hash_sha256_ref_x(void) { return 1; } int helper(void) { return 2; }"
        "int table[3] = {1, 2, 3};"
    )
    subprocess.run(["gcc", "-c", "-o", "hash.o", "hash.c"], cwd=folder, check=True)
    found = measured(fake, objects=(folder / "hash.o",))
    names = [line for line in found if line.startswith("namespace")]
    assert names == [f"namespace {ABOUT} hash.o helper T", f"namespace {ABOUT} hash.o table D"]


def test_secrets_that_were_examined_are_timecop_lines(fake: Fake) -> None:
    """As TIMECOP's, they come from valgrind; what was not examined has none."""
    passed = CheckResult("secrets/timing", Verdict.PASS)
    assert f"timecop_pass {ABOUT} 1 0" in measured(fake, (*PASSED, passed))


def test_secrets_that_leak_are_timecop_lines_with_the_evidence(fake: Fake) -> None:
    """A line for each line of valgrind's."""
    found = measured(fake, (*PASSED, replace(LEAK, verdict=Verdict.FAIL)))
    assert [line for line in found if "timecop" in line] == [
        f"timecop_fail {ABOUT} a jump is secret, in hash.c:7",
        f"timecop_fail {ABOUT} by 0x1: f",
        f"timecop_fail {ABOUT} by 0x2: g",
    ]


def test_what_was_not_examined_has_no_timecop_line(fake: Fake) -> None:
    """Nor has what declares no goal: SUPERCOP tries those that do."""
    assert not any("timecop" in line for line in measured(fake))


def test_lines_of_ones_own_are_the_same_when_they_are_read_and_written_again(fake: Fake) -> None:
    """As genuine ones are: reader and writer have one form."""
    text = "hash.c:7:1: warning: unused\n"
    passed = CheckResult("secrets/timing", Verdict.PASS)
    measured(fake, (*PASSED, passed), diagnostics=text)
    other = fake.package("crypto_hash/md5/ref")
    cell = fake.cell(other, code="other")
    fake.launch(cell, sample("cycles/8", 90, 91, 92), code="other")
    written = lines(fake.store)
    reader = LineReader()
    records = [record for run in reader.runs(written) for record in run.records]
    assert reader.tally.bad == 0
    assert list(LineWriter().lines(records)) == written


@pytest.mark.parametrize("operation", NAMED)
def test_sizes_of_a_heading_are_those_that_supercop_names(fake: Fake, operation: str) -> None:
    """Each operation has its own, and their order."""
    constants = tuple((name, 1) for name in OPERATIONS[operation].constants)
    cell = fake.cell(fake.package(f"{operation}/x/ref"))
    fake.store.put_subject(
        cell, OperationSubject(operation, "x", f"{operation}/x/ref", constants, ("",), 0)
    )
    fake.launch(cell, sample("cycles/-", 100, 104, 96))
    keys = [line.split()[6:] for line in lines(fake.store)]
    begin = keys.index(["implementation", f"{operation}/x/ref", "-"])
    sizes = [key for key, *_ in keys[begin + 1 : keys.index(["cpuid", CPUID])]]
    assert sorted(sizes) == sorted(NAMED[operation].split())
