# SPDX-License-Identifier: MIT
"""Options of `assay check` mean the same in all its forms, and go together."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

from assay.configure.folder import write_configurations
from assay.model import Configuration
from assay.targets.catalogue import catalogue, choose, look_for

ROOT = Path(__file__).parents[3]
VERIFY = "crypto_verify/16/ref"
CONFIGURATION = "gcc_default_O1"
ELSEWHERE = "qemu-aarch64"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a clone with RC4, a constant-time comparison, and one configuration."""
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "benchmarks/rc4/ref", root / "submissions/rc4/ref")
    shutil.copy(ROOT / "benchmarks/rc4/verified.test-vectors", root / "submissions/rc4")
    shutil.copytree(
        ROOT / "submissions/supercop/crypto_verify/16",
        root / "submissions/supercop/crypto_verify/16",
    )
    plain = Configuration("gcc", "gcc", "", "-O1", CONFIGURATION, CONFIGURATION)
    write_configurations(root / "reports-tester", [plain])
    return root


@pytest.fixture
def assay(
    tree: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """Return a function that calls the command line."""
    monkeypatch.setenv("ASSAY_ROOT", str(tree))
    monkeypatch.setenv("HOSTNAME", "tester")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return calling(monkeypatch, capsys)


@pytest.fixture
def elsewhere() -> str:
    """Name another target, or skip the test where it is not installed."""
    (target,) = choose([ELSEWHERE], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    return ELSEWHERE


@pytest.mark.parametrize(
    "options", [(), ("--all-configs",), ("--target", "native"), ("--target", "qemu-mips")]
)
def test_a_package_that_cannot_be_loaded_fails_in_every_form(
    assay: Assay, tree: Path, options: tuple[str, ...]
) -> None:
    """One failed check and exit code 1; on targets it was a wrong usage."""
    (tree / "submissions/rc4/ref/ecrypt-sync.h").unlink()
    done = assay("check", "rc4", *options)
    assert (done.code, done.err) == (1, "")
    assert "  FAIL package/loads: " in done.out
    (record,) = json.loads(assay("check", "rc4", "--json", *options).out)
    assert [one["check"] for one in record["checks"]] == ["package/loads"]


@pytest.mark.parametrize("options", [("--all-configs",), ("--target", "native")])
def test_a_package_none_of_whose_variants_builds_fails_in_every_form(
    assay: Assay, tree: Path, options: tuple[str, ...]
) -> None:
    """In all configurations it was shown as skipped."""
    header = tree / "submissions/rc4/ref/ecrypt-sync.h"
    header.write_text(header.read_text().replace("MAXVARIANT 1", "MAXVARIANT 2"))
    source = tree / "submissions/rc4/ref/rc4.c"
    source.write_text("#error not yet\n" + source.read_text())
    done = assay("check", "rc4", "--json", *options)
    assert [one["verdict"] for one in json.loads(done.out)] == ["fail", "fail"]
    assert done.code == 1


def test_a_configuration_is_the_one_used_where_this_machine_is_named_as_a_target(
    assay: Assay,
) -> None:
    """It was ignored there."""
    done = assay("check", VERIFY, "--target", "native", "--conf", CONFIGURATION, "--json")
    (record,) = json.loads(done.out)
    assert (record["configuration"], record["target"]) == (CONFIGURATION, "native")


def test_nothing_examined_is_no_success(assay: Assay, tree: Path) -> None:
    """The matrix has the reason, and the exit code is that of an open question."""
    source = tree / "submissions/rc4/ref/rc4.c"
    source.write_text('#error "This code requires AVX1024F to work"\n' + source.read_text())
    done = assay("check", "rc4/ref", "--target", "native")
    assert "requires AVX1024F" in done.out
    assert done.code == 3


def test_all_configurations_of_several_targets(assay: Assay, elsewhere: str) -> None:
    """Each cell has a record, and the matrix says how many there are."""
    call = ("check", VERIFY, "--all-configs", "--best", "2", "--target", "native",
            "--only", "supercop", "--only", "buffers")  # fmt: skip
    done = assay(*call, "--target", elsewhere, "--json")
    records = json.loads(done.out)
    assert [one["target"] for one in records] == ["native"] * 2 + [elsewhere] * 2
    assert len({one["configuration"] for one in records}) == 4
    assert done.code == 0
    shown = assay(*call, "--all").out
    assert "native, 2 configurations:" in shown


def test_the_matrix_of_several_packages_has_every_format(assay: Assay) -> None:
    """A row for each package and target in one file; what was not asked is empty, no dash."""
    call = ("check", VERIFY, "rc4/ref", "--target", "native")
    done = assay(*call, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    shown = [(row["package"], row["target"], row["builds"], row["verdict"]) for row in rows]
    assert shown == [
        (VERIFY, "native", "yes", "pass"), ("rc4/ref", "native", "yes", "pass"),
    ]  # fmt: skip
    assert {row["misaligned"] for row in rows} == {""}
    assert done.code == 0
    page = assay(*call, "--format", "html").out
    assert page.count("<table") == 2


def test_verdicts_on_this_machine_are_a_table_in_every_format(assay: Assay) -> None:
    """A row for each check, the same as the records, and the same exit code."""
    done = assay("check", VERIFY, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    (record,) = json.loads(assay("check", VERIFY, "--format", "json").out)
    assert [(one["check"], one["verdict"]) for one in rows] == [
        (one["check"], one["verdict"]) for one in record["checks"]
    ]
    assert {(one["package"], one["target"]) for one in rows} == {(VERIFY, "native")}
    assert done.code == 0
