# SPDX-License-Identifier: MIT
"""Bringing a raw submission into the framework's form.

Submitters send archives with upper-case names, copies of framework files, test
programs and project files. What comes out is a folder with the API header,
`<name>.c`, what it includes, and a Makefile; everything else waits in `unused/`.
"""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from assay.errors import PackageError
from assay.model import Package
from assay.model.apis import STREAM_HEADERS, STREAMS, listed
from assay.package.builds.makefile import NAME, makefile_text, parse_makefile
from assay.package.estream import load_estream
from assay.package.intake import UNUSED, is_framework_name, own_additions, take_in
from assay.package.sources import SUFFIXES, Parts, candidates, exports_keysetup, needed_parts
from assay.package.text import code_of, defines, has_line_comment, includes, read_text
from assay.package.tree import Contents, is_vector_file, read_contents

STANDARDS = ("-ansi", "-std=c99", "-std=gnu99")
"""From strict to lenient; the first that compiles is written down."""

_C99 = re.compile(
    r"\bu64\b|\blong[ \t]+long\b|\binline\b|\bfor[ \t]*\([ \t]*(?:int|u32|unsigned)\b"
)
_GNU = re.compile(r"\basm\b|\btypeof\b")

Ask = Callable[[str], bool]
Tell = Callable[[str], None]
Compiles = Callable[[Path, str], bool]


class Helper(Struct, frozen=True):
    """What cleanup needs from outside.

    `ask` puts a yes/no question, `tell` says what was done, and `compiles` tells
    whether the package in a folder compiles under a `-std` option: by default a
    look at the text, in earnest a compiler in the jail.
    """

    ask: Ask
    tell: Tell
    compiles: Compiles


def cleanup(source: Path, into: Path, helper: Helper, name: str | None = None) -> Package:
    """Make a package in `into` from an archive or a folder, and load it.

    `into` may be the folder itself, which is then changed in place; otherwise it
    must be new or empty, and appears only when all went well. `name` is the name
    of the cipher's source; by default that of the file found.
    """
    if source.resolve() == into.resolve():
        _clean(source, into, helper, name)
        return load_estream(into)
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise PackageError(f"{into} is not empty", "Name a new folder with --into.")
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cleanup-", dir=into.parent) as scratch:
        staged = Path(scratch) / into.name
        _clean(source, staged, helper, name)
        staged.replace(into)
    return load_estream(into)


def _clean(source: Path, into: Path, helper: Helper, name: str | None) -> None:
    """Do the steps, in order, in the folder `into`."""
    done = take_in(source, into)
    if done:
        helper.tell(done)
    lower_names(into, helper)
    _drop_framework(into, helper)
    main = find_cipher(into, name)
    name = _plain_name(name or main.rsplit(".", 1)[0])
    main = _rename(into, main, name, helper)
    parts = needed_parts(read_contents(into, into), main)
    _write_makefile(into, name, parts, helper)
    _set_aside(into, parts, helper)


def lower_names(folder: Path, helper: Helper) -> None:
    """Make file names lower-case, except where an #include asks for the other spelling."""
    contents = read_contents(folder, folder)
    texts = [contents.text(n) for n in contents.files if n.lower().endswith((".c", ".h", ".s"))]
    wanted = {part for text in texts for part in includes(text)}
    for name in contents.top(""):
        lower = "Makefile" if name.lower() == "makefile" else name.lower()
        if name == lower or (name in wanted and name.lower() not in STREAM_HEADERS):
            continue
        if name.endswith(".S") and len(name) > len(".S"):
            lower = lower[:-1] + "S"  # .S is preprocessed, .s is not
        if name == lower:
            continue
        if (folder / lower).exists():
            raise PackageError(
                f"{folder} has both {name} and {lower}", "Remove the one that is not needed."
            )
        (folder / name).replace(folder / lower)
        helper.tell(f"renamed {name} to {lower}")


def _drop_framework(folder: Path, helper: Helper) -> None:
    """Delete unmodified copies of framework files, after asking."""
    contents = read_contents(folder, folder)
    copies = [n for n in contents.top("") if is_framework_name(n)]
    changed = {n: own_additions(n, contents.text(n)) for n in copies}
    for name, additions in changed.items():
        if additions:
            helper.tell(f"kept {name}: it has additions of its own ({', '.join(additions[:3])})")
    plain = [name for name in copies if not changed[name]]
    if plain and helper.ask(f"Should I delete the copies of framework files {', '.join(plain)}?"):
        for name in plain:
            (folder / name).unlink()


def find_cipher(folder: Path, name: str | None = None) -> str:
    """Find the one source that defines the key setup."""
    contents = read_contents(folder, folder)
    found = [n for n in contents.top(*SUFFIXES) if exports_keysetup(contents, n)]
    found = [n for n in found if n in candidates(contents)] or found
    named = [n for n in found if name and n.rsplit(".", 1)[0] == name.lower()]
    if len(named or found) == 1:
        return (named or found)[0]
    if not found:
        raise PackageError(
            f"no source in {folder.name} defines ECRYPT_keysetup or ECRYPT_AE_keysetup",
            "Write the functions of the API first; see docs on submitting.",
        )
    raise PackageError(
        f"{folder.name} has several implementations: {', '.join(found)}",
        f"Say which one: --name {found[0].rsplit('.', 1)[0]}.",
    )


def _plain_name(name: str) -> str:
    """Accept a name that a Makefile can hold."""
    if NAME.fullmatch(name):
        return name
    raise PackageError(f"{name!a} is no name for a cipher", "Use --name with letters and digits.")


def _rename(folder: Path, main: str, name: str, helper: Helper) -> str:
    """Return the cipher's source the package's name."""
    wanted = f"{name}.{main.rsplit('.', 1)[1]}"
    if wanted != main:
        if (folder / wanted).exists():
            raise PackageError(f"{folder} already has a {wanted}", "Choose another --name.")
        (folder / main).replace(folder / wanted)
        helper.tell(f"renamed {main} to {wanted}")
    return wanted


def _write_makefile(folder: Path, name: str, parts: Parts, helper: Helper) -> None:
    """Write the Makefile unless the package has one of the framework's kind."""
    path = folder / "Makefile"
    if path.is_file():
        settings = parse_makefile(read_text(path))
        if settings.name == name and settings.type and settings.std:
            return
        (folder / UNUSED).mkdir(exist_ok=True)
        path.replace(folder / UNUSED / "Makefile")
    contents = read_contents(folder, folder)
    api_type = _type_of(contents, parts.linked)
    sources = parts.linked if len(parts.linked) > 1 else ()
    for std in STANDARDS:
        path.write_text(makefile_text(name, api_type, std, sources), "ascii")
        if helper.compiles(folder, std):
            break
    else:
        helper.tell(f"compiles under none of {', '.join(STANDARDS)}; {STANDARDS[-1]} is written")
    helper.tell(f"wrote the Makefile for {len(parts.reached)} files")


def _type_of(contents: Contents, linked: tuple[str, ...]) -> str:
    """Return the API by the header present, or by the functions if both are."""
    headers = {name.removeprefix("ecrypt-").removesuffix(".h"): name for name in STREAM_HEADERS}
    present = [kind for kind, name in headers.items() if name in contents.files]
    if not present:
        raise PackageError(
            f"{contents.folder} has no {listed(STREAMS.values())}",
            "Add the API header that the code was written for.",
        )
    authenticated = any(defines(contents.code(n), "ECRYPT_AE_keysetup") for n in linked)
    with_mac = (kind for kind in present if kind.endswith("-ae"))
    return next(with_mac, present[0]) if authenticated else present[0]


def _set_aside(folder: Path, parts: Parts, helper: Helper) -> None:
    """Move what the cipher does not need to unused/, after asking."""
    keep = {*parts.reached, "Makefile"}
    spare = [n for n in read_contents(folder, folder).files if n not in keep]
    spare = [n for n in spare if not is_vector_file(n)]
    if not spare or not helper.ask(f"Should I move to {UNUSED}/: {', '.join(spare)}?"):
        return
    for name in spare:
        target = folder / UNUSED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (folder / name).replace(target)


def compiles_by_text(folder: Path, std: str) -> bool:
    """Guess from the text whether a package needs more than `std` offers."""
    contents = read_contents(folder, folder)
    names = [n for n in contents.files if n.endswith((".c", ".h"))]
    code = "\n".join(code_of(contents.text(n)) for n in names)
    if _GNU.search(code):
        return std == "-std=gnu99"
    newer = _C99.search(code) or any(has_line_comment(contents.text(n)) for n in names)
    return std != "-ansi" or not newer
