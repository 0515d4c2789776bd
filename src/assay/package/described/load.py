# SPDX-License-Identifier: MIT
"""Packages of a description: the tree stays as it is, and one header is written elsewhere."""

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from assay.errors import AssayError
from assay.fence import cure_of, ends_all, reason_of
from assay.model import BrokenPackage, Package, PackageKind, PackageRole
from assay.model.packages import OperationDetails
from assay.package.broken import broken_package
from assay.package.described.closure import SeenTree, closure, matched, missing
from assay.package.described.merge import Described, packages_of
from assay.package.described.toml import read_description
from assay.package.judged import judged_by_outputs
from assay.package.known import checksums_reference, known_checksums
from assay.package.supercop.files import SOURCES, hash_of

API = "api.h"
TREE = "tree"
_NOTE = "/* Written by Assay from {path}: {digest} */"


def load_described(path: Path, root: Path | None = None) -> tuple[Package | BrokenPackage, ...]:
    """Load every package of a description; `root` is the tree where the file does not say it."""
    tree = read_description(path)
    place = (root or path.parent / tree.root).absolute()
    place = Path(os.path.normpath(place))
    if not place.is_dir():
        raise tree.wrong(
            f"the tree {place} is not there", "Correct root, the way from this file.", "root"
        )
    seen = SeenTree(place)
    return tuple(_loaded(one, seen) for one in packages_of(tree))


def _loaded(one: Described, seen: SeenTree) -> Package | BrokenPackage:
    root = seen.root
    try:
        return _load(one, seen)
    except AssayError as error:
        reason, cure = str(error), error.cure
    except OSError as error:
        reason, cure = str(error), "Check the permissions of the tree."
    except Exception as error:
        if ends_all(error):
            raise
        reason, cure = reason_of(error), cure_of(error)
    return broken_package(root, one.place, one.place, root, reason, cure)


def _load(one: Described, seen: SeenTree) -> Package:
    root = seen.root
    sources = tuple(n for n in matched(one, seen, "sources") if n.endswith(SOURCES))
    if not sources:
        suffixes = " ".join(SOURCES)
        raise one.tree.wrong("it has no sources", f"Name some ({suffixes}) in sources.", "sources")
    for name in one.lists["include"]:
        if not (root / name).is_dir():
            raise one.tree.wrong(
                f"there is no folder {name!a} in the tree",
                "Name folders below the root.",
                "include",
            )
    header = one.texts.get("header", "")
    if header and not (root / header).is_file():
        raise missing(one, header, "header")
    real = closure(one, seen, (*sources, *([header] if header else [])), one.lists["include"])
    files = {API: _written(one, sources)}
    files |= {f"{TREE}/{name}": Path(place) for name, place in real.items()}
    shared = tuple(files.items())
    details = _details(one, seen, shared, sources)
    primitive = f"{one.operation.name}/{one.name}"
    return Package(
        selector=one.place,
        primitive=one.name,
        implementation=one.implementation,
        place=one.place,
        role=PackageRole.SUBMISSION,
        api="supercop",
        kind=PackageKind.OPERATION,
        root=root,
        header=API,
        sources=tuple(f"{TREE}/{name}" for name in sources),
        files=(),
        std=(),
        variants=1,
        vectors=None,
        quirks=(),
        content_hash=hash_of({name: str(path) for name, path in shared}),
        details=details,
        reference=checksums_reference(primitive) if details.checksum_small else "",
        judged_by=judged_by_outputs(details),
    )


def _details(
    one: Described, seen: SeenTree, shared: tuple[tuple[str, Path], ...], sources: tuple[str, ...]
) -> OperationDetails:
    small, big = known_checksums(f"{one.operation.name}/{one.name}")
    cplusplus = any(name.endswith((".cc", ".cpp")) for name in sources)
    macros = [(f"{TREE}/{name}", each) for name in sources for each in one.lists["defines"]]
    macros += [(f"{TREE}/{name}", each) for name, each in one.tables["defines_of"].items()]
    return OperationDetails(
        operation=one.operation.name,
        tree=seen.root,
        language="c++" if cplusplus else "c",
        layout="nist",
        constants=tuple(one.tables["constants"].items()),
        goals=one.lists["goals"],
        architectures=one.lists["architectures"],
        checksum_small=small,
        checksum_big=big,
        shared=shared,
        folders=tuple(f"{TREE}/{name}".rstrip("/") for name in one.lists["include"]),
        defines=tuple(macros),
        answers=tuple(seen.root / name for name in matched(one, seen, "answers")),
        functions=one.functions,
        size_lengths=one.texts.get("lengths") == "size_t",
    )


def _written(one: Described, sources: tuple[str, ...]) -> Path:
    """Write the header of a package into a folder of this process; the same text only once."""
    text = _header(one, sources)
    path = _folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.h"
    if not path.is_file():
        path.write_text(text)
    return path


@functools.cache
def _folder() -> Path:
    """Make the folder for headers; whoever is killed leaves it to the next sweep."""
    folder = Path(tempfile.mkdtemp(prefix=f"assay-described-{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _header(one: Described, sources: tuple[str, ...]) -> str:
    """Return the header that Assay's adapter includes: upstream's, and the constants."""
    about = [
        sources,
        dict(one.lists),
        dict(one.texts),
        {k: dict(v) for k, v in one.tables.items()},
    ]
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    lines = [_NOTE.format(path=one.tree.path.name, digest=digest), "#undef SUPERCOP"]
    for macro in one.lists["defines"]:
        name, _, value = macro.partition("=")
        lines += [f"#ifndef {name.partition('(')[0]}", f"#define {name} {value or 1}", "#endif"]
    if "header" in one.texts:
        lines.append(f'#include "{TREE}/{one.texts["header"]}"')
    for name, value in one.tables["constants"].items():
        lines += [f"#undef CRYPTO_{name}", f"#define CRYPTO_{name} ({value})"]
    return "\n".join([*lines, ""])
