# SPDX-License-Identifier: MIT
"""`assay check` and `assay run` on a tree of operations, as a user calls them."""

import json
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from assay.check.engine.workshop import Workshop
from assay.check.supercop import outcomes
from assay.cli import verdicts
from assay.cli.main import main
from assay.machine.cpuinfo import cpu_flags
from assay.measure import disturbance as quiet
from assay.measure.disturbance import Quiet
from assay.measure.launcher import Launcher
from assay.model import OperationSubject, Verdict
from assay.store import Store
from assay.toolchain import shortlist
from assay.toolchain.archs import ArchFit

How = ParamSpec("How")
DoneT = TypeVar("DoneT")
API = "#define CRYPTO_BYTES 8\n"
HASH = """
#include "crypto_hash.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned long long i, x = 0xcbf29ce484222325ull + inlen;
    for (i = 0; i < inlen; ++i)
        x = (x ^ in[i]) * 0x100000001b3ull;
    for (i = 0; i < 8; ++i)
        out[i] = (unsigned char)(x >> 8 * i);
    %s
    return 0;
}
"""
XOP = '__asm__ volatile(".byte 0x8f,0xe8,0x78,0xc2,0xc0,0x07" ::: "xmm0");'
QUICK = ("--best", "1", "--launches", "1", "--samples", "1")
COUNTS = {"pass": 0, "fail": 3, "open": 2, "skipped": 2}  # toys have no checksums


@dataclass
class Done:
    """How a command ended, what it printed, and what it did."""

    code: int
    out: str
    err: str
    built: int
    launched: int


Assay = Callable[..., Done]


def written(tree: Path, name: str, files: dict[str, str]) -> None:
    """Write an implementation of the toy hash."""
    folder = tree / "crypto_hash" / "toy" / name
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text)


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a tree with two good implementations, three bad ones, and two for other machines."""
    tree = tmp_path_factory.mktemp("toys")
    good = {"api.h": API, "hash.c": HASH % ""}
    written(tree, "plain", good)
    written(tree, "safe", good | {"goal-constbranch": "", "goal-constindex": ""})
    written(tree, "foreign", good | {"architectures": "armeabi\n"})
    written(tree, "xop", {"api.h": API, "hash.c": HASH % XOP})
    written(tree, "faulty", {"api.h": API, "hash.c": HASH % "out[50] = 1;"})
    written(tree, "refused", {"api.h": API, "hash.c": HASH % "no such thing"})
    written(tree, "empty", {"api.h": API})
    return tree


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Give a temporary folder that jailed users can see."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def assay(
    tmp_path: Path,
    cache: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line, and counts what it does."""
    did = {"build": 0, "launch": 0}

    def counted(name: str, function: Callable[How, DoneT]) -> Callable[How, DoneT]:
        def call(*arguments: How.args, **named: How.kwargs) -> DoneT:
            did[name] += 1
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(Workshop, "build", counted("build", Workshop.build))
    monkeypatch.setattr(Launcher, "_launched", counted("launch", Launcher._launched))
    # What else runs on this machine is not what is tested.
    monkeypatch.setattr(quiet, "within", lambda *_: "")
    monkeypatch.setattr(Quiet, "judged", lambda _, launched: launched)
    # A lock of our own: whoever measures waits for all who hold the machine's.
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    (tmp_path / "root").mkdir()
    monkeypatch.setenv("ASSAY_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("HOSTNAME", "tester")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Done:
        did.update(build=0, launch=0)
        monkeypatch.setattr("sys.argv", ["assay", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Done(code, printed.out, printed.err, did["build"], did["launch"])

    return call


def needs_x86_without_xop() -> None:
    """Skip where the instruction is known, or means something else."""
    if platform.machine() != "x86_64" or "xop" in (cpu_flags() or ()):
        pytest.skip("needs an x86 machine without XOP")


def test_a_sweep_counts_verdicts_and_reasons_and_is_done_once(assay: Assay, toys: Path) -> None:
    """The second call reads everything from the cache, and says the same."""
    needs_x86_without_xop()
    call = ("check", "crypto_hash", "--tree", str(toys), "--sample", "7", "--json")
    first = assay(*call)
    told = json.loads(first.out)
    assert (first.code, told["operations"]) == (1, {"crypto_hash": COUNTS})
    reasons = {one["packages"][0].rpartition("/")[2]: one for one in told["reasons"]}
    assert reasons["foreign"]["reason"] == "it is for armeabi, and this is amd64"
    assert "xop" in reasons["xop"]["reason"]
    assert reasons["refused"]["check"] == "build/compiles"
    assert reasons["faulty"]["check"].startswith(("buffers/", "supercop/"))
    assert reasons["empty"]["check"] == "package/loads"
    assert [one["verdict"] for one in told["reasons"]] == ["fail"] * 3 + ["open"] + ["skipped"] * 2
    assert (told["packages"], told["loaded"]) == (7, 6)
    assert told["faults"] == {"layout": 1, "code": 2, "machine": 2, "unknown": 2}
    assert reasons["empty"]["fault"] == "layout"
    again = assay(*call)
    assert (again.code, again.out, again.built) == (1, first.out, 0)


def test_the_summary_of_a_sweep_has_a_row_per_operation_and_reason(
    assay: Assay, toys: Path
) -> None:
    """In words, with where all verdicts are."""
    needs_x86_without_xop()
    done = assay("check", "crypto_hash", "--tree", str(toys), "--sample", "7")
    rows = [line.split() for line in done.out.splitlines()]
    assert ["crypto_hash", "7", "0", "3", "2", "2"] in rows
    assert ["in", "all", "7", "0", "3", "2", "2"] in rows
    assert "build/compiles" in done.out
    assert "1 of 7 packages could not be loaded." in done.out
    assert "Not passed, its code: 2" in done.out
    assert "Every verdict is in " in done.out


@pytest.mark.slow
def test_a_sweep_says_whose_tests_it_ended_early_and_how_to_run_them(
    assay: Assay, toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here all code counts as slow; `--unhurried` is another question, with its own verdicts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # which has no verdicts yet
    monkeypatch.setattr(outcomes, "REPEATED_SECONDS", -1.0)
    monkeypatch.setattr(outcomes, "ENDS_SECONDS", {False: -1.0, True: -1.0})
    call = ("check", "crypto_hash", "--tree", str(toys), "--sample", "7")
    ended = "SUPERCOP's tests were not run to the end, as the code is slow; `--unhurried` runs"
    done = assay(*call)
    assert ended in " ".join(done.out.split())
    told = json.loads(assay(*call, "--json").out)
    assert told["tests_not_finished"]
    whole = assay(*call, "--unhurried")
    assert ended not in " ".join(whole.out.split())


@pytest.mark.slow
def test_one_of_many_packages_is_waited_for_less_long_unless_it_is_said_how_long(
    assay: Assay, toys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here each is waited for so shortly that its time is used up; that verdict is not kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # which has no verdicts yet
    monkeypatch.setattr("assay.cli.check.HURRIED_SECONDS", 1e-6)
    call = ("check", "crypto_hash", "--tree", str(toys), "--sample", "7", "--json")
    assert "time" in json.loads(assay(*call).out)["faults"]
    for more in (("--patience", "600"), ("--unhurried",)):
        assert "time" not in json.loads(assay(*call, *more).out)["faults"]


def test_an_instruction_that_the_processor_lacks_is_a_skip_that_names_it(
    assay: Assay, toys: Path
) -> None:
    """It is nobody's fault, and nothing was examined, so the exit code is 3."""
    needs_x86_without_xop()
    done = assay("check", "crypto_hash/toy/xop", "--tree", str(toys), "--json")
    ((check,),) = [record["checks"] for record in json.loads(done.out)]
    assert (done.code, check["check"], check["verdict"]) == (3, "build/fits", "skipped")
    assert check["reason"] == "this processor does not have xop, which the code uses"


def test_code_that_ends_itself_fails(assay: Assay, tmp_path: Path) -> None:
    """A trap is an illegal instruction, too, and no processor has it."""
    written(tmp_path, "trap", {"api.h": API, "hash.c": HASH % "__builtin_trap();"})
    done = assay("check", "crypto_hash/toy/trap", "--tree", str(tmp_path), "--json")
    failed = [
        check["check"]
        for record in json.loads(done.out)
        for check in record["checks"]
        if check["verdict"] == "fail"
    ]
    assert done.code == 1
    assert "supercop/returns" in failed


def test_another_architecture_is_a_skip(assay: Assay, toys: Path) -> None:
    """Nothing is compiled that could not run."""
    done = assay("check", "crypto_hash/toy/foreign", "--tree", str(toys))
    assert done.code == 3
    assert "armeabi" in done.out


def test_a_contest_stores_the_winners_and_is_held_once(assay: Assay, toys: Path) -> None:
    """Every code that passed has a score; both leagues are known; a second call does nothing."""
    call = ("run", "crypto_hash/toy", "--tree", str(toys), "--results", "results", *QUICK)
    first = assay(*call)
    assert first.code == 1
    assert "6 cells in results, 2 failed, 2 open" in first.out
    with Store.open(Path("results")) as store:
        launches = [store.launches(cell.build.cell) for cell in store.cells()]
        passed = {
            cell.build.cell.selector.rpartition("/")[2]: cell.build.league
            for cell in store.cells()
            if cell.checks and {one.verdict for one in cell.checks} >= {Verdict.PASS}
            and all(one.verdict is not Verdict.FAIL for one in cell.checks)
        }  # fmt: skip
        subjects = [store.subject(cell.build.cell) for cell in store.cells()]
    assert passed["plain"] == "timingleaks"
    assert passed["safe"] == "constbranchindex"
    measures = {sample.measure for some in launches for one in some for sample in one.samples}
    lengths = (8, 64, 576, 1536, 4096, 16384, 24576, 32768)
    assert measures == {"score/-", *(f"cycles/{length}" for length in lengths)}
    assert sum(isinstance(one, OperationSubject) for one in subjects) >= 2
    again = assay(*call)
    assert (again.out, again.built, again.launched) == (first.out, 0, 0)


def test_an_unknown_configuration_of_a_contest_is_refused(assay: Assay, toys: Path) -> None:
    """With the names that there are."""
    done = assay("run", "crypto_hash/toy", "--tree", str(toys), "--conf", "gcc_wrong")
    assert done.code == 2
    assert "'gcc_wrong'" in done.err
    assert "gcc_native_O3" in done.err


def test_a_contest_is_refused_where_nothing_is_counted(assay: Assay, toys: Path) -> None:
    """Operations are timed on this machine, and counted in emulators that can."""
    done = assay("run", "crypto_hash/toy", "--tree", str(toys), "--target", "windows-amd64")
    assert done.code == 2
    assert "assay check --target" in done.err


def test_what_of_the_processor_is_not_used_stands_where_the_configuration_does(
    assay: Assay, toys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads `default` learns why it is not `native`."""
    refused = ArchFit("", "", "-march=native cannot be used: no space left on device")
    monkeypatch.setattr(shortlist, "richest", lambda _: refused)
    monkeypatch.setattr(verdicts, "richest", lambda _: refused)
    last = assay("check", "crypto_hash/toy/refused", "--tree", str(toys)).out.splitlines()[-1]
    assert last.endswith("_default_O3: -march=native cannot be used: no space left on device.")
