# SPDX-License-Identifier: MIT
"""Our own C compiles without a warning, with gcc and clang; none of this is asked of packages."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assay.compile.recipe import adapter_options, adapters_of
from assay.model import Package, Runner
from assay.model.apis import PACKAGED
from assay.package.discover import discover
from assay.package.estream import load_estream
from assay.targets.catalogue import catalogue, look_for, native

ROOT = Path(__file__).parents[3]
HARNESS = ROOT / "src" / "assay" / "harness"
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-O1", "-fsyntax-only")
HEADERS = ("agent/agent.h", "hal/hal.h", "meter/meter.h", "subject/hash.h", "subject/stream.h")
API_HEADERS = (
    *(name for one in PACKAGED.values() for name in one.marks.headers),
    "ecrypt-portable.h",
    "ecrypt-config.h",
)
PARTS = ("agent", "hal", "meter")

PACKAGES = [one for one in discover(ROOT) if isinstance(one, Package)]
PACKAGES.append(load_estream(ROOT / "tests/whole/corpus/ssyn-ae"))  # of its API none is shipped


@pytest.fixture(params=["gcc", "clang"])
def compiler(request: pytest.FixtureRequest) -> str:
    """Give a compiler, or skip."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


def messages(*command: str, text: str | None = None) -> str:
    """Give what the compiler says."""
    done = subprocess.run(
        [*command[:1], *STRICT, *command[1:]], input=text, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.stderr + ("" if done.returncode == 0 else f"exit {done.returncode}")


def windows(compiler: str) -> list[tuple[str, ...]]:
    """Give the words by which a compiler makes code for Windows, if that can be had."""
    names = [one.compiler for one in catalogue() if one.runner is Runner.WINE]
    here = [name for name in names if shutil.which(name)]
    if compiler == "gcc":
        return [(name,) for name in here]
    return [(compiler, f"--target={name.removesuffix('-gcc')}") for name in here]


@pytest.mark.parametrize("part", PARTS)
def test_the_harness_has_no_warning(compiler: str, part: str) -> None:
    """Every source of the agent and what it stands on.

    Ports to boards are compiled by their own compilers (tests/unit/harness/test_boards.py); those
    to Windows for it, if its headers are here.
    """
    sources = sorted((HARNESS / part).glob("*.c"))
    assert sources
    constants = ("-include", str(HARNESS / "boards" / "pty.h"))  # of some board: hal/board.c asks
    for source in sources:
        options = constants if source.name.startswith(("board", "arena")) else ()
        for words in windows(compiler) if source.name.startswith("win32") else [(compiler,)]:
            assert messages(*words, "-std=gnu11", *options, str(source)) == ""


@pytest.mark.parametrize("header", HEADERS)
def test_headers_of_the_harness_stand_alone(compiler: str, header: str) -> None:
    """Each can be included first, and twice."""
    text = f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n'
    assert messages(compiler, "-std=gnu11", f"-I{HARNESS}", "-xc", "-", text=text) == ""


@pytest.mark.parametrize("header", API_HEADERS)
@pytest.mark.parametrize("std", ["-ansi", "-std=c99", "-std=gnu11"])
def test_headers_of_the_api_stand_alone(compiler: str, header: str, std: str) -> None:
    """Under every standard that a package may choose."""
    text = f'#include "{header}"\n#include "{header}"\nint main(void) {{ return 0; }}\n'
    assert messages(compiler, std, f"-I{HARNESS / 'api'}", "-xc", "-", text=text) == ""


def adapters(package: Package) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Give what the adapters of a package's API are told, and their sources."""
    told = (one for one in adapter_options(package, 1) if one.startswith("-D"))
    return tuple(told), tuple(
        HARNESS / part for part in adapters_of(PACKAGED[package.api]).values()
    )


@pytest.mark.parametrize("package", PACKAGES, ids=lambda one: one.place)
def test_our_packages_have_no_warning(compiler: str, package: Package) -> None:
    """Everything shipped, with the standard of its Makefile or API, and its adapters.

    Assembly is for its own architecture; its header and adapter are for all.
    """
    include = (f"-I{package.root}", f"-I{HARNESS / 'api'}")
    told, parts = adapters(package)
    for source in package.sources:
        if package.architecture in (None, native().architecture):
            path = str(package.root / source)
            assert messages(compiler, *package.std, *include, *told, path) == ""
    for part in parts:
        assert messages(compiler, "-std=gnu11", *include, *told, str(part)) == ""


ASSEMBLY = [one for one in PACKAGES if one.architecture is not None]


@pytest.mark.parametrize("package", ASSEMBLY, ids=lambda one: one.place)
def test_our_assembly_has_no_warning(package: Package, tmp_path: Path) -> None:
    """By the assembler of its own architecture."""
    target = next(one for one in catalogue() if package.architecture == one.architecture)
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    command = [target.compiler, *target.options, "-Wall", "-Wa,--fatal-warnings", "-c"]
    for source in package.sources:
        words = [*command, str(package.root / source), "-o", str(tmp_path / "object.o")]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_there_is_something_to_look_at() -> None:
    """The list of packages is that of the repository, and every API is in it."""
    assert len(PACKAGES) >= 10
    assert {one.api for one in PACKAGES} == set(PACKAGED)
    assert {one.architecture for one in ASSEMBLY} >= {"amd64", "avr8", "mips-be", "thumb-le"}
