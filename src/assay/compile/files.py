# SPDX-License-Identifier: MIT
"""Files that builds hand on: known by their contents, put in place at once, and marked as ours.

When are two pieces of object code the same? When the files that are linked are the same.
Nothing in a file is left out. A linker decides by names and flags what becomes of a section or
a symbol, and a program can read the rest in its own file; so whatever a rule here forgot, one
package could use to pass for another one. Compilers write the same file again for the same
code: on four stream ciphers under 124 configurations whole files told 262 machine codes apart,
as many as a comparison of loaded sections alone.

Agents that are kept end with a mark of the user's, without which they never run.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from assay.compile.reasons import explain, is_elsewhere, undeclared
from assay.errors import MachineError, PackageError
from assay.execute.command import Ended
from assay.execute.jail import COMPILE_LIMITS, Limits
from assay.execute.staging import hand_over
from assay.machine.cache import MARK_CHARACTERS, is_mark, mark_of, trim
from assay.model import Build, BuildStage, Package
from assay.package.tree import content_hash, digest_with

# The rule by which machine code is told apart. Results under another rule are another thing.
RULE = "whole files, package and adapter"


def object_hash(objects: Iterable[Path]) -> str:
    """Digest the contents of files in their order (SHA-256, hexadecimal)."""
    return key_of(*map(content_of, objects))


def content_of(path: Path) -> str:
    """Digest the content of one file (SHA-256, hexadecimal)."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def key_of(*parts: str) -> str:
    """Digest texts, each after its length, so that no two lists of texts are one input.

    All 64 hexadecimal digits are kept: who may write what is digested could find two
    inputs for a quarter of them.
    """
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogateescape")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def stage_files(package: Package, to: Path) -> None:
    """Copy a package's files; PackageError if they are no longer those that were loaded.

    What is built is known by the hash of what was loaded, in the store and the user's cache.
    """
    files = package.places
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


FOLDERS, DAYS = 64, 30  # of results folders, whose agents are kept


def keep_agent(made: Path, to: Path) -> None:
    """Put an agent that was linked in place; a mark of it and its name is added to its end."""
    content = made.read_bytes()
    with tempfile.NamedTemporaryFile() as marked:
        marked.write(content + mark_of(to.name.encode(), content).encode())
        marked.flush()
        place(Path(marked.name), to, mode=0o755)


def is_kept(agent: Path) -> bool:
    """Return whether an agent is there, as it was linked here and under this name."""
    return _content(agent) is not None


def content_of_agent(agent: Path) -> bytes:
    """Return an agent without its mark; MachineError if it is not what was linked here."""
    content = _content(agent)
    if content is None:
        raise MachineError(
            f"{agent} is not the agent that was built", "Start the same command again."
        )
    return content


def _content(agent: Path) -> bytes | None:
    try:
        if agent.is_symlink() or not agent.is_file():
            return None
        marked = agent.read_bytes()
    except OSError:
        return None
    content, mark = marked[:-MARK_CHARACTERS], marked[-MARK_CHARACTERS:]
    return (
        content if is_mark(mark.decode(errors="replace"), agent.name.encode(), content) else None
    )


def used_folder(folder: Path) -> Path:
    """Return a results folder's folder of agents, and remove others that are long unused."""
    folder.mkdir(parents=True, exist_ok=True)
    trim(folder.parent, {folder.name}, days=DAYS, most=FOLDERS)
    return folder
