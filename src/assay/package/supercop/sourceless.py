# SPDX-License-Identifier: MIT
"""Why a package has no source, or not all: what its code is written in, or who makes it."""

import os
from pathlib import Path

from assay.errors import PackageError
from assay.package.supercop.files import SOURCES, Files
from assay.package.supercop.links import is_below
from assay.package.supercop.listing import API, listed_entries

_JASMIN = ".jazz"
_XKCP = "SUPERCOP.build"


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
    limit = os.path.realpath(tree)
    for place in (folder, folder.parent):
        if is_below(os.path.realpath(place), limit):
            for one in listed_entries(str(place)):
                if one.kind == "file" and one.name.endswith(_JASMIN):
                    return place / one.name
    return None
