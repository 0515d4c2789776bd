# SPDX-License-Identifier: MIT
"""An implementation with libjade's names as a package: its header and its assembly."""

import os
import re
from pathlib import Path

from assay.errors import PackageError
from assay.model import Package, PackageKind, PackageRole
from assay.model.packages import OperationDetails
from assay.package.judged import judged_by_outputs
from assay.package.known import checksums_reference, known_checksums
from assay.package.supercop.files import Files, hash_of, read_files
from assay.package.supercop.libjade.listing import header_at, names_at
from assay.package.supercop.libjade.names import JadeNames
from assay.package.supercop.listing import Listed
from assay.package.supercop.sourceless import no_source
from assay.package.tree import digest_with

_GLOBAL = re.compile(r"^\s*\.glob[al]*l\s+(\w+)", re.MULTILINE | re.ASCII)
_ASSEMBLY = ".s"


def load_libjade(one: Listed) -> Package:
    """Read an implementation that was listed; PackageError says why that is impossible."""
    names, header = names_at(one.root), header_at(one.root)
    if names is None or header is None:
        raise PackageError(f"{one.root} has no header of libjade", "List the tree again.")
    files = read_files(one.root, one.tree)
    source = _source(files, names, one.tree)
    own = {name: files.real[name] for name in (source, os.path.relpath(header, one.root))}
    small, big = known_checksums(f"{names.operation.name}/{names.primitive}")
    details = OperationDetails(
        operation=names.operation.name,
        tree=one.tree,
        language="c",
        layout=one.layout,
        constants=(),
        architectures=(names.machine,) if names.machine else (),
        checksum_small=small,
        checksum_big=big,
        entry=_entry(names, os.path.relpath(header, one.root)),
        functions=tuple((each.suffix, names.functions + each.suffix)
                        for each in names.operation.functions),
        size_lengths=True,
    )  # fmt: skip
    primitive = f"{names.operation.name}/{names.primitive}"
    return Package(
        selector=one.place,
        primitive=names.primitive,
        implementation=names.implementation,
        place=one.place,
        role=PackageRole.SUBMISSION,
        api="supercop",
        kind=PackageKind.OPERATION,
        root=one.root,
        header=os.path.relpath(header, one.root),
        sources=(source,),
        files=tuple(sorted(own)),
        std=(),
        variants=1,
        vectors=None,
        quirks=(),
        content_hash=digest_with(hash_of(own), details.built),
        details=details,
        reference=checksums_reference(primitive) if small else "",
        judged_by=judged_by_outputs(details),
    )


def _source(files: Files, names: JadeNames, tree: Path) -> str:
    """Name the assembly with the functions; of several that have them all, the first by name."""
    every = files.top(_ASSEMBLY)
    if not every:
        raise no_source(files.folder, tree)
    wanted = [names.functions + one.suffix for one in names.operation.functions]
    lacking = {name: set(wanted) - {*_GLOBAL.findall(files.text(name))} for name in every}
    best = min(every, key=lambda name: (len(lacking[name]), name))
    if lacking[best]:
        missing = next(one for one in wanted if one in lacking[best])
        raise PackageError(
            f"{best} does not define {missing}",
            "Its header declares it; libjade marks such code as partial, and Assay checks "
            "all functions of an operation together.",
        )
    return best


def _entry(names: JadeNames, header: str) -> str:
    """Write what an adapter includes: the header, and its constants under SUPERCOP's names."""
    lines = [f'#include "{header}"', ""]
    for one in names.operation.constants:
        macro = f"{names.constants}_{one}"
        if macro in names.defined:
            lines.append(f"#define CRYPTO_{one} {macro}")
    return "\n".join([*lines, ""])
