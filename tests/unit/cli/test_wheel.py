# SPDX-License-Identifier: MIT
"""Assay from a wheel: in an environment of its own and a folder without a clone above it."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from assay.configure.folder import write_configurations
from assay.model import Configuration

ROOT = Path(__file__).parents[3]
pytest.importorskip("hatchling", reason="hatchling builds the wheel without a network")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder)]
    pip(["wheel", *options, str(ROOT)])
    (made,) = folder.glob("assay-*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a bare environment.

    It borrows the dependencies of this one; for `./scripts/test --wheel` pip gets them.
    """
    folder = tmp_path_factory.mktemp("environment")
    if os.environ.get("ASSAY_TEST_WHEEL"):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip(["--python", str(folder / "bin" / "python"), "install", "-q", str(wheel)])
        return folder
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = ["--python", str(folder / "bin" / "python")]
    pip([*python, "install", "-q", "--no-deps", "--no-index", "--ignore-installed", str(wheel)])
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one package, `mine`, and one configuration; work in it."""
    shutil.copytree(ROOT / "benchmarks/rc4/ref", tmp_path / "mine")
    shutil.copy(ROOT / "benchmarks/rc4/verified.test-vectors", tmp_path / "mine")
    plain = Configuration("gcc", "gcc", "", "-O1", "gcc_default_O1", "gcc_default_O1")
    write_configurations(tmp_path / "reports-tester", [plain])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOSTNAME", "tester")
    monkeypatch.delenv("ASSAY_ROOT", raising=False)
    return tmp_path


def pip(arguments: list[str]) -> None:
    """Run pip; what it says is shown if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def assay(environment: Path, *arguments: str) -> tuple[int, str]:
    """Call the command of the environment; give its exit code and what it printed."""
    done = subprocess.run(
        [environment / "bin" / "assay", *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_wheel_has_every_file_of_the_source(wheel: Path) -> None:
    """Harness, headers, templates, catalogue and shortlists are data, and needed."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", "src/assay"]
    done = subprocess.run(listing, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no clone")
    tracked = {name.removeprefix("src/") for name in done.stdout.split("\0") if name}
    present = {name for name in tracked if (ROOT / "src" / name).is_file()}
    assert "assay/harness/hal/posix.c" in present
    assert present <= set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_has_every_shipped_package(wheel: Path) -> None:
    """All that is tracked below submissions/ and benchmarks/, and nothing that is not."""
    folders = ("submissions", "benchmarks")
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", *folders]
    done = subprocess.run(listing, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no clone")
    tracked = {f"assay/shipped/{name}" for name in done.stdout.split("\0") if name}
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if name.startswith("assay/shipped/")} == tracked


def test_a_folder_is_checked_without_a_clone(environment: Path, here: Path) -> None:
    """The installed package is the one that runs, and it needs nothing of the clone."""
    code, said = assay(environment, "check", "mine")
    assert (code, said.splitlines()[0].split(":")[0]) == (0, "pass  mine")
    where = [str(environment / "bin" / "python"), "-c", "import assay; print(assay.__file__)"]
    found = subprocess.run(where, capture_output=True, text=True, check=True).stdout
    assert Path(found).is_relative_to(environment)
    assert not list(here.glob("submissions"))


@pytest.mark.usefixtures("here")
def test_shipped_packages_are_known_by_name_without_a_clone(environment: Path) -> None:
    """Ciphers, hashes and operations come with the wheel, and so do their vectors."""
    code, said = assay(environment, "list")
    assert code == 0
    assert {"salsa20/ref", "shabal/portable", "crypto_hash/sha256/ref"} <= {
        line.split()[0] for line in said.splitlines()
    }
    code, said = assay(environment, "check", "rc4/ref")
    assert (code, said.splitlines()[0].split(":")[0]) == (0, "pass  rc4/ref")
    code, said = assay(environment, "check", "salsa21")
    assert code == 2
    assert "Did you mean salsa20" in said


def test_reports_of_shipped_packages_go_to_the_working_folder(
    environment: Path, here: Path
) -> None:
    """Where Assay is installed nothing is written: the folder may be another user's."""
    command = "run rc4/ref --launches 1 --samples 5 --results results"
    (here / "results").mkdir()
    installed = next(environment.glob("lib/python3*/site-packages/assay"))
    before = sorted(installed.rglob("*[!c]"))
    code, said = assay(environment, *command.split())
    assert (code, "0 failed" in said) == (0, True), said + _errors(here / "results")
    assert (here / "results").is_dir()
    assert [path for path in sorted(installed.rglob("*[!c]")) if path not in before] == []


@pytest.mark.slow
def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    """Nothing that the wheel needs is left out of it, links between packages among it."""
    script = "import hatchling.build as b, sys; getattr(b, sys.argv[1])(sys.argv[2])"
    make = [sys.executable, "-c", script]
    subprocess.run([*make, "build_sdist", str(tmp_path)], cwd=ROOT, check=True)
    (archive,) = tmp_path.glob("assay-*.tar.gz")
    (tmp_path / "unpacked").mkdir()
    subprocess.run(["tar", "xzf", archive, "-C", tmp_path / "unpacked"], check=True)
    (source,) = (tmp_path / "unpacked").iterdir()
    subprocess.run([*make, "build_wheel", str(tmp_path)], cwd=source, check=True)
    (again,) = tmp_path.glob("assay-*.whl")
    assert _contents(again) == _contents(wheel)


def _errors(results: Path) -> str:
    """Return what a campaign wrote of cells that failed, so that a test says why."""
    return "\n".join(file.read_text() for file in sorted(results.rglob("errors_*")))


def _contents(wheel: Path) -> dict[str, int]:
    """Return the checksums of a wheel's files, by name."""
    return {one.filename: one.CRC for one in zipfile.ZipFile(wheel).infolist()}


@pytest.mark.slow
def test_every_command_works_for_folders_without_a_clone(environment: Path, here: Path) -> None:
    """From the list to the report; configurations are those of the folder where one works."""
    tree = here / "t/crypto_verify"
    shutil.copytree(ROOT / "submissions/supercop/crypto_verify/16", tree / "16")
    shutil.copytree(ROOT / "submissions/supercop/crypto_verify/16", tree / "17")
    (here / "results").mkdir()
    calls = {
        "list mine": "mine",
        "list --tree t": "crypto_verify/16/ref",
        "vectors mine -o vectors": "",
        "vectors mine --answers vectors": "vectors agree",
        "check crypto_verify --tree t": "pass  crypto_verify/16/ref",
        "size mine": "mine",
        "targets": "native",
        "run mine --launches 1 --samples 5 --results results": "0 failed",
        "show results": "RC4",
        "collect results --no-update": "index.html",
        "run t --best 1 --launches 1 --all --results operations": "0 failed",
        "show crypto_verify --results operations": "crypto_verify",
        "export operations --supercop": "crypto_verify",
        "collect operations": "index.html",
        "compare crypto_verify/16/ref crypto_verify/16/ref --results operations": "",
        "doctor": "Verdict",
    }
    for command, expected in calls.items():
        code, said = assay(environment, *command.split())
        assert expected in said, (command, said, _errors(here))
        assert "Traceback" not in said, (command, said)
        well = code == 0 or command.startswith(("doctor", "compare"))
        assert well, (command, said, _errors(here))


@pytest.mark.usefixtures("here")
def test_make_says_what_to_do_without_a_clone() -> None:
    """Its Makefile looks for the framework upwards, and there is none."""
    done = subprocess.run(
        ["make", "-C", "mine", "vectors"],
        capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    assert done.returncode != 0
    assert "`assay vectors . -o unverified.test-vectors`" in done.stderr
