# SPDX-License-Identifier: MIT
"""The libraries that a tree brings along: XKCP in `k`, s2n-bignum, and liboqs's common code.

Each is built in the jail, on demand, the first two by their own Makefiles, and kept in the
user's cache: once per contents and machine, as SUPERCOP builds one for all that is linked with it.
"""

import functools
import hashlib
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from msgspec import Struct

from assay.compile.files import is_regular, key_of
from assay.compile.installed import said
from assay.errors import MachineError
from assay.execute.command import run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import alone, cache_folder
from assay.model import Compiler
from assay.toolchain.remembered import examine

INCLUDE = "include"
SCRIPTS = Path(__file__).parent / "scripts"
CODE = ("-O3", "-fwrapv", "-fPIC")
LIMIT_BYTES = 64 << 20
LAST_LINES = 3

# The variants of a library for what a compiler's predefined macros promise, the fastest
# first; None is for every machine. Until 2020 XKCP named targets by processors.
_XKCP_VARIANTS = (
    ("__AVX512F__", "AVX512"),
    ("__AVX512F__", "SkylakeX"),
    ("__AVX2__", "AVX2"),
    ("__AVX2__", "Haswell"),
    ("__XOP__", "XOP"),
    ("__XOP__", "Bulldozer"),
    ("__AVX__", "AVX"),
    ("__AVX__", "SandyBridge"),
    ("__SSSE3__", "SSSE3"),
    ("__SSSE3__", "Nehalem"),
    ("__aarch64__", "ARMv8A"),
    ("__ARM_ARCH_7A__", "ARMv7A"),
    *(
        (None, name)
        for name in ("generic64lc", "generic64", "generic32lc", "generic32", "compact")
    ),
)
_S2N_BIGNUM_VARIANTS = (("__x86_64__", "x86"), ("__aarch64__", "arm"))

_LIBOQS_VARIANTS = (("__AVX2__", "avx2"), (None, "portable"))


class Bundled(Struct, frozen=True):
    """A library in a tree: its folder, how its headers begin, what builds it, its script.

    One that is not `compiled` is assembly, and the same with every compiler.
    """

    name: str
    folder: str
    headers: tuple[str, ...]
    tools: tuple[str, ...]
    variants: tuple[tuple[str | None, str], ...]
    script: str
    compiled: bool
    origin: str = "SUPERCOP"

    @property
    def archive(self) -> str:
        """The name of the file to link."""
        return f"lib{self.folder.replace('/', '-')}.a"


class Built(Struct, frozen=True):
    """A library that was built: its folder of headers, and its archive."""

    include: Path
    archive: Path


BUNDLED = (
    Bundled(
        "XKCP",
        "k",
        headers=("libkeccak.a.headers/",),
        tools=("make", "xsltproc"),
        variants=_XKCP_VARIANTS,
        script="xkcp.sh",
        compiled=True,
    ),
    Bundled(
        "s2n-bignum",
        "s2n-bignum",
        headers=("s2n-bignum",),
        tools=("make",),
        variants=_S2N_BIGNUM_VARIANTS,
        script="s2n-bignum.sh",
        compiled=False,
    ),
    Bundled(
        "liboqs's common code",
        "src/common",
        headers=("oqs/",),
        tools=("ar",),
        variants=_LIBOQS_VARIANTS,
        script="liboqs.sh",
        compiled=True,
        origin="liboqs",
    ),
)


@functools.lru_cache(maxsize=64)
def _attempt(
    library: Bundled, tree: Path, compiler: Compiler, jail: Jail, options: tuple[str, ...]
) -> Built | str:
    """Build, or say why not; a failure is remembered as long as the process lives."""
    try:
        return _built(library, tree, compiler, jail, options)
    except MachineError as error:
        return f"{error} {error.cure}".strip()


def built(
    library: Bundled, tree: Path, compiler: Compiler, jail: Jail, options: tuple[str, ...]
) -> Built | str:
    """Return a library of the tree, building it if need be, or why that fails.

    It is built by gcc, whichever compiler asks, or by that one where there is no gcc.
    """
    return _attempt(library, tree, builder_of(compiler), jail, machine_options(options))


@functools.lru_cache(maxsize=1)
def _gcc() -> Compiler | str:
    return examine("gcc")


def builder_of(compiler: Compiler) -> Compiler:
    """Choose who builds libraries for all: gcc where jailed commands see one."""
    found = _gcc()
    if isinstance(found, Compiler) and found.path.is_relative_to("/usr"):
        return found
    return compiler


def machine_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """Pick the options that choose the machine, so that gcc's and clang's are the same."""
    implied = {"-mtune=native"} if "-march=native" in options else set()
    return tuple(one for one in options if one.startswith("-m") and one not in implied)


def _built(
    library: Bundled, tree: Path, compiler: Compiler, jail: Jail, options: tuple[str, ...]
) -> Built:
    source = tree / library.folder
    if not source.is_dir():
        raise MachineError(
            f"it needs {library.name}, which is not in {tree}.",
            f"Copy the folder {library.folder} of {library.origin} into it.",
        )
    absent = [tool for tool in library.tools if shutil.which(tool) is None]
    if absent:
        raise MachineError(
            f"{library.name} cannot be built without {' and '.join(absent)}:",
            f"apt-get install {' '.join(absent)}",
        )
    command = str(compiler.path)
    variants = _variants(library, command, options)
    script = _script(library, command, options, variants)
    made_by = (compiler.identity, script) if library.compiled else variants
    key = key_of(_contents(source), library.name, jail.mode.value, *made_by)
    folder = cache_folder() / "libraries" / key
    made = Built(folder / INCLUDE, folder / library.archive)
    with alone(folder):
        if not made.archive.is_file():
            _build_into(folder, library, source, script, jail)
    return made


def _script(
    library: Bundled, command: str, options: tuple[str, ...], variants: tuple[str, ...]
) -> str:
    """Write the shell script that leaves an archive and headers in the jail's folder."""
    given = {
        "compiler": command,
        "options": " ".join((*options, *CODE)),
        "variants": " ".join(variants),
        "jobs": str(os.cpu_count() or 1),
        "include": INCLUDE,
        "archive": library.archive,
    }
    lines = ["set -e", *(f"{name}={shlex.quote(value)}" for name, value in given.items())]
    return "\n".join((*lines, (SCRIPTS / library.script).read_text("ascii")))


def _variants(library: Bundled, command: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """Name the variants of a library that a compiler may try, in order."""
    words = said([command, *options, "-dM", "-E", "-x", "c", "/dev/null"]).split()
    return tuple(n for macro, n in library.variants if macro is None or macro in words)


def _build_into(folder: Path, library: Bundled, source: Path, script: str, jail: Jail) -> None:
    with staged_folder("assay-build-") as home:
        shutil.copytree(source, home / "source", ignore=_no_links)
        hand_over(home)
        ended = run_jailed(["sh", "-c", script], home, jail, LONG_COMPILE_LIMITS)
        if not ended.ok or not is_regular(home / library.archive):
            last = " | ".join(ended.output.strip().splitlines()[-LAST_LINES:])
            why = "it takes too long" if ended.timed_out else last
            raise MachineError(f"{library.name} of the tree cannot be built: {why}")
        _keep(home, folder, library)


def _keep(home: Path, folder: Path, library: Bundled) -> None:
    """Copy headers and archive beside the cache and rename, so that all or nothing is seen."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        shutil.copytree(home / INCLUDE, scratch / INCLUDE, ignore=_no_links)
        shutil.copyfile(home / library.archive, scratch / library.archive)
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _no_links(folder: str, names: list[str]) -> list[str]:
    """Leave out what is neither file nor folder: links may lead anywhere."""
    paths = {name: Path(folder, name) for name in names}
    plain = {n for n, path in paths.items() if path.is_file() or path.is_dir()}
    return [n for n, path in paths.items() if path.is_symlink() or n not in plain]


@functools.lru_cache(maxsize=16)
def _contents(source: Path) -> str:
    """Digest the files of a folder, links left out."""
    digest, total = hashlib.sha256(), 0
    for path in sorted(source.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        total += path.stat().st_size
        if total > LIMIT_BYTES:
            raise MachineError(f"{source} is larger than {LIMIT_BYTES >> 20} MB")
        data = path.read_bytes()
        name = str(path.relative_to(source)).encode()
        digest.update(name + b"\0" + hashlib.sha256(data).digest())
    return digest.hexdigest()
