# SPDX-License-Identifier: MIT
"""Files that builds hand on: put in place at once, copied where no link can mislead."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from assay.compile.reasons import explain, is_elsewhere, undeclared
from assay.errors import PackageError
from assay.execute.command import Ended
from assay.execute.jail import COMPILE_LIMITS, Limits
from assay.execute.staging import hand_over
from assay.model import Build, BuildStage, Package
from assay.package.tree import content_hash, digest_with


def stage_files(package: Package, to: Path) -> None:
    """Copy a package's files; PackageError if they are no longer those that were loaded.

    What is built is known by the hash of what was loaded, in the store and the user's cache.
    """
    files = {name: package.root / name for name in package.files}
    files |= dict(package.details.shared) if package.details else {}
    for name, path in files.items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to / name)
    built = package.details.built if package.details else ""
    if digest_with(content_hash(to, files), built) != package.content_hash:
        raise PackageError(
            f"{package.root} was changed since Assay has read it",
            "Start the same command again; nothing was stored of the changed files.",
        )


def place(made: Path, to: Path, *, mode: int) -> None:
    """Put a file in place at once: others read it meanwhile, and we may be killed."""
    descriptor, name = tempfile.mkstemp(dir=to.parent)
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file, made.open("rb") as source:
            shutil.copyfileobj(source, file)
        partial.chmod(mode)
        partial.replace(to)
    finally:
        partial.unlink(missing_ok=True)


def copied(paths: tuple[Path, ...], home: Path) -> tuple[Path, ...]:
    """Copy into a new folder below `home`: what ran there may have made any known name a link."""
    to = Path(tempfile.mkdtemp(dir=home))
    copies = tuple(Path(shutil.copy(path, to)) for path in paths)
    hand_over(to)
    return copies


def failed(build: Build, ended: Ended, what: str, limits: Limits = COMPILE_LIMITS) -> Build:
    """Explain why a step failed; a time-out is no compiler error."""
    diagnostics = build.diagnostics if build.diagnostics == ended.output else ended.output
    if ended.timed_out:
        reason = f"{what} did not end within {limits.wall_seconds:.0f} seconds"
        cure = "Reduce what has to be expanded at compile time (templates, macros, tables)."
    elif ended.overfull:
        reason, cure = f"{what} {ended.overfull}", "Write less while compiling."
    else:
        reason, cure = explain(diagnostics, what)
        if is_elsewhere(diagnostics):
            build = replace(build, stage=BuildStage.SKIPPED)
    return replace(build, diagnostics=diagnostics, reason=reason, cure=cure)


def failed_header(build: Build, ended: Ended, header: str, api: str) -> Build:
    """Explain why Assay's side does not compile against a header: what it lacks, in one line."""
    build = failed(build, ended, "compilation against the API's header")
    missing = undeclared(ended.output)
    if not missing:
        return build
    return replace(
        build,
        diagnostics="",
        reason=f"{header} does not declare {', '.join(missing)}",
        cure=f"`assay new NAME --api {api}` writes a header that has everything; take it from "
        "there.",
    )


def is_regular(path: Path) -> bool:
    """Return whether there is a real file; a link made by what ran in the jail is none."""
    return path.is_file() and not path.is_symlink()
