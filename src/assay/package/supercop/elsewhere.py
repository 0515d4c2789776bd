# SPDX-License-Identifier: MIT
"""What a package consists of besides its own folder: `inc/` and `src/` of its tree.

BRUTUS, for CAESAR's submissions, has SUPERCOP's headers of subroutines in the folder `inc` of its
tree, and a source that defines their functions by OpenSSL's. Submissions have `include/api.h`
and `src/*.c`. What packages share in `common/` is in `common`.
"""

from pathlib import Path

from assay.errors import PackageError
from assay.package.supercop.files import SOURCES, Files, folders_above, is_inside, read_files
from assay.package.supercop.listing import API, listed_entries

_JASMIN = ".jazz"
_XKCP = "SUPERCOP.build"
HEADERS = "inc"
_HELPERS = "src"
_LEVELS_OF_HELPERS = 5


def helper_files(files: Files, tree: Path) -> dict[str, str]:
    """Find the headers of subroutines that a package lacks and its tree has, and their sources.

    Names begin with `inc/` and `src/`. Sources are those beside `inc` that include `api.h`, as
    they are compiled with each package; without any the headers alone promise nothing.
    """
    for above in folders_above(files.folder, tree, _LEVELS_OF_HELPERS):
        if not ((above / HEADERS).is_dir() and (above / _HELPERS).is_dir()):
            continue
        headers = read_files(above / HEADERS, tree)
        wanted = [one for one in _subroutines(files) if one in headers.real]
        sources = _sources(read_files(above / _HELPERS, tree)) if wanted else {}
        if sources:
            own = {f"{HEADERS}/{name}": headers.real[name] for name in headers.top(".h")}
            return own | {f"{_HELPERS}/{name}": real for name, real in sources.items()}
    return {}


def _subroutines(files: Files) -> list[str]:
    """Name the headers of other primitives, as SUPERCOP has them, that are not in the package."""
    every = (one for one in files.includes() if one.startswith("crypto_"))
    return sorted(one for one in every if one not in files.real)


def _sources(files: Files) -> dict[str, str]:
    names = (name for name in files.top(".c") if API in files.facts(name).includes)
    return {name: files.real[name] for name in names if not files.is_program(name)}


_HEADER_FOLDERS = ("inc", "include", "includes")
_SOURCE_FOLDERS = ("src", "source", "sources", "lib")
NO_PART = frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "kat", "nistkat"})


def beside_headers(files: Files, tree: Path) -> dict[str, Path]:
    """Find the sources and headers beside a folder of headers, by their names from above it.

    Empty if the folder is none of headers, or there is no folder of sources beside it.
    """
    top = files.folder.parent
    if not is_of_headers(files.folder) or not is_inside(top, tree):
        return {}
    sources = [one for name in _SOURCE_FOLDERS if _is_part(one := top / name, tree)]
    if not sources:
        return {}
    headers = [one for name in _HEADER_FOLDERS if _is_part(one := top / name, tree)]
    others = [one for one in headers if one != files.folder]
    return {
        f"{folder.name}/{name}": Path(real)
        for folder in (*sources, *others)
        for name, real in read_files(folder, tree).real.items()
        if NO_PART.isdisjoint(name.lower().split("/")[:-1])
        and name.endswith((*SOURCES, ".h", ".inc"))
    }


def is_of_headers(folder: Path) -> bool:
    """Return whether a folder may hold api.h apart from the sources."""
    return folder.name.lower() in _HEADER_FOLDERS


def _is_part(folder: Path, tree: Path) -> bool:
    return folder.is_dir() and not (folder / API).is_file() and is_inside(folder, tree)


def no_source(folder: Path, tree: Path) -> PackageError:
    """Report that api.h stands alone; Jasmin beside it or in the folder above is named."""
    found = _jasmin(folder, tree)
    if found is None:
        return PackageError(
            f"{folder} has {API} and no source", f"Add a source ({' '.join(SOURCES)})."
        )
    return PackageError(
        f"{folder} has its code in Jasmin ({found.name}), which has to be compiled first",
        f"Install Jasmin's compiler jasminc (`opam install jasmin`, or "
        f"`nix-env -iA nixpkgs.jasmin-compiler`) and run `make` in {found.parent}, "
        f"or take a release of libjade, which has the .s files.",
    )


def template(folder: Path, files: Files) -> PackageError | None:
    """Report a folder that XKCP's exporter completes; None for any other package."""
    if not (folder.parent / _XKCP).is_file():
        return None
    included = {
        one.rsplit("/", 1)[-1] for name in files.real for one in files.facts(name).includes
    }
    if not any(one.startswith(("Keccak", "Kangaroo", "Xoo")) for one in included - {*files.real}):
        return None
    return PackageError(
        f"{folder} is a template, which XKCP's own build completes",
        "In XKCP's folder run `git submodule update --init` and `make`, which lists what can be "
        "made, then `make crypto_hash/sha3256/kcp/K1600-plain-64bits-ua.pack`, say; unpack "
        "bin/*.tar.gz into one folder and name that.",
    )


def _jasmin(folder: Path, tree: Path) -> Path | None:
    """Find Jasmin in the folder, or in the one above its folder of headers."""
    for place in (folder, folder.parent):
        if is_inside(place, tree):
            for one in listed_entries(str(place)):
                if one.kind == "file" and one.name.endswith(_JASMIN):
                    return place / one.name
    return None
