# SPDX-License-Identifier: MIT
"""Libraries that packages of the SUPERCOP API are linked with.

Their #include lines say which: those of `SYSTEM` are the system's; XKCP and s2n-bignum come
with the tree (`assay.compile.bundled`). Linked are all of a library that is mentioned anywhere,
so links belong after `-Wl,--as-needed`.
"""

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from assay.compile.bundled import BUNDLED, Bundled, built
from assay.compile.files import content_of
from assay.compile.installed import library_file, said
from assay.compile.supercop.layout import is_elsewhere
from assay.compile.supercop.names import details_of
from assay.execute.jail import Jail
from assay.execute.staging import hand_over
from assay.model import Compiler, LibraryFile, Package
from assay.package.supercop.files import SEARCHED, facts_of, reached
from assay.package.supercop.parts import SUPERCOPS

PROBE_SECONDS = 60
SEARCHED_TOO = (*SEARCHED, ".inc", ".hpp")


Opened = Callable[[frozenset[str]], frozenset[str]]


class Libraries(Struct, frozen=True):
    """Folders of headers, link options, and what is missing (empty if nothing is).

    Folders and archives stand in the user's cache, where no jail sees them: see `staged`.
    """

    include: tuple[Path, ...] = ()
    link: tuple[str, ...] = ()
    missing: str = ""


class _System(Struct, frozen=True):
    """A library of the system: how its headers begin, its options, and Debian's package."""

    name: str
    headers: tuple[str, ...]
    link: tuple[str, ...]
    debian: str


# Those that need others stand before them.
SYSTEM = (
    _System("Crypto++", ("cryptopp/",), ("-lcryptopp",), "libcrypto++-dev"),
    _System("NTL", ("NTL/",), ("-lntl",), "libntl-dev"),
    _System("GMP for C++", ("gmpxx.h",), ("-lgmpxx",), "libgmp-dev"),
    _System("GMP", ("gmp.h", "gmpxx.h", "NTL/"), ("-lgmp",), "libgmp-dev"),
    _System("OpenSSL", ("openssl/",), ("-lcrypto",), "libssl-dev"),
    _System("libgcrypt", ("gcrypt.h",), ("-lgcrypt",), "libgcrypt20-dev"),
    _System("Nettle", ("nettle/",), ("-lnettle",), "nettle-dev"),
    _System("libsodium", ("sodium.h", "sodium/"), ("-lsodium",), "libsodium-dev"),
    _System("mbedTLS", ("mbedtls/",), ("-lmbedcrypto",), "libmbedtls-dev"),
    _System("wolfSSL", ("wolfssl/",), ("-lwolfssl",), "libwolfssl-dev"),
    _System("BearSSL", ("bearssl.h",), ("-lbearssl",), "libbearssl-dev"),
    _System("LibTomCrypt", ("tomcrypt.h",), ("-ltomcrypt",), "libtomcrypt-dev"),
)


def libraries_for(
    package: Package,
    compiler: Compiler,
    jail: Jail,
    options: tuple[str, ...] = (),
    machine: str = "",
    opened: Opened | None = None,
) -> Libraries:
    """Find what a package's includes ask for, or say what is missing and the cure.

    `options` are those of the configuration that choose the machine (`-march=native`,
    `-m32`): the tree's own libraries are compiled with them, the system's must fit them.
    `machine` is that of a cross compiler, for which this system's packages are none.
    `opened` says which of some headers the compiler opens, where text does not decide it: a
    library is missing only if one of its headers is among them.
    """
    included = _includes(package)
    found = _found(package, included, compiler, jail, options, machine)
    if found.missing and opened is not None:
        return _found(package, opened(included), compiler, jail, options, machine)
    return found


def _found(
    package: Package,
    included: frozenset[str],
    compiler: Compiler,
    jail: Jail,
    options: tuple[str, ...],
    machine: str,
) -> Libraries:
    def wants(one: _System | Bundled) -> bool:
        return any(header.startswith(one.headers) for header in included)

    details = details_of(package)
    parts = [_system_library(one, compiler, options, machine) for one in SYSTEM if wants(one)]
    parts += [
        _bundled_library(one, details.tree, compiler, jail, options)
        for one in BUNDLED
        if wants(one) and (not details.functions or (details.tree / one.folder).is_dir())
    ]
    return joined((*parts, *map(_own_library, details.libraries)))


def _own_library(path: Path) -> Libraries:
    """Link a file that the description names: an archive, or a shared library of the system.

    In the jail a program finds shared libraries where the system has them alone.
    """
    if ".so" not in path.suffixes:
        return Libraries((), (str(path),))
    if not path.is_relative_to("/usr"):
        return Libraries(
            missing=f"{path} is a shared library that is not installed below /usr: "
            "name the static one (.a)"
        )
    return Libraries((), (f"-L{path.parent}", f"-l:{path.name}"))


def joined(many: Iterable[Libraries]) -> Libraries:
    """Put together what several need; of what is missing, the first is named."""
    parts = tuple(many)
    return Libraries(
        tuple(dict.fromkeys(path for one in parts for path in one.include)),
        tuple(dict.fromkeys(word for one in parts for word in one.link)),
        next((one.missing for one in parts if one.missing), ""),
    )


def staged(libraries: Libraries, home: Path) -> Libraries:
    """Copy the tree's libraries into `home`, the one folder that a jailed compiler sees."""
    if not libraries.include and not any(Path(word).is_absolute() for word in libraries.link):
        return libraries
    to = home / "libraries"
    to.mkdir()
    include = tuple(
        Path(shutil.copytree(path, to / f"include-{number}"))
        for number, path in enumerate(libraries.include)
    )
    link = tuple(
        str(shutil.copy(word, to)) if Path(word).is_absolute() else word for word in libraries.link
    )
    hand_over(to)
    return Libraries(include, link, libraries.missing)


def contents_of(libraries: Libraries) -> tuple[str, ...]:
    """Name what is linked of libraries: archives by content, the system's by their options."""
    return tuple(
        content_of(Path(word)) if Path(word).is_absolute() else word for word in libraries.link
    )


def files_of(
    libraries: Libraries, package: Package, compiler: Compiler, options: tuple[str, ...]
) -> tuple[LibraryFile, ...]:
    """Return the system's and the user's own libraries that are linked, with their versions."""
    own = details_of(package).libraries
    named = [word[2:] for word in libraries.link if re.fullmatch(r"-l[^:].*", word)]
    found = (_place(name, compiler.path, options) for name in named)
    return tuple(map(library_file, (*filter(None, found), *own)))


@functools.lru_cache(maxsize=256)
def _place(name: str, compiler: Path, options: tuple[str, ...]) -> Path | None:
    """Ask a compiler which file `-lNAME` stands for; None if it does not say."""
    for end in (".so", ".a"):
        found = Path(said([str(compiler), *options, f"-print-file-name=lib{name}{end}"]))
        if found.is_absolute() and found.is_file():
            return found
    return None


def _includes(package: Package) -> frozenset[str]:
    """Name all headers that the package's files may include, as written, and that it lacks."""
    every = {name: facts_of(os.path.realpath(path)) for name, path in package.places.items()}
    searched = (facts for name, facts in every.items() if name.endswith(SEARCHED_TOO))
    elsewhere = is_elsewhere(details_of(package))
    found = reached(searched, every.values(), SUPERCOPS if elsewhere else ())
    parts = (name.split("/") for name in every)
    own = {"/".join(one[at:]) for one in parts for at in range(len(one))}
    return frozenset(found) - own  # in a folder of headers, too


def _bundled_library(
    library: Bundled, tree: Path, compiler: Compiler, jail: Jail, options: tuple[str, ...]
) -> Libraries:
    made = built(library, tree, compiler, jail, options)
    if isinstance(made, str):
        return Libraries(missing=made)
    return Libraries((made.include,), (str(made.archive),))


def _system_library(
    library: _System, compiler: Compiler, options: tuple[str, ...], machine: str
) -> Libraries:
    if _links(compiler.path, options, library.link):
        return Libraries((), library.link)
    if machine:
        return Libraries(missing=f"it needs {library.name}, and there is none for {machine} here")
    debian = f"{library.debian}:i386" if "-m32" in options else library.debian
    words = " ".join((compiler.command, *options, *library.link))
    return Libraries(
        missing=f"it needs {library.name}, and `{words}` does not find it: "
        f"apt-get install {debian}"
    )


@functools.lru_cache(maxsize=256)
def _links(compiler: Path, options: tuple[str, ...], link: tuple[str, ...]) -> bool:
    """Return whether an empty program can be linked with a library."""
    with tempfile.TemporaryDirectory(prefix="assay-probe-") as name:
        source = Path(name, "probe.c")
        source.write_text("int main(void) { return 0; }\n")
        line = [str(compiler), *options, str(source), *link, "-o", str(source.with_suffix(""))]
        try:
            done = subprocess.run(line, capture_output=True, timeout=PROBE_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0
