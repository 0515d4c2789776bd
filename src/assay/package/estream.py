# SPDX-License-Identifier: MIT
"""The loader of the eSTREAM APIs: `ecrypt-sync`, `ecrypt-ssyn`, and both with `-ae`.

The build stage puts the package's folder first on its own include path, so
that headers bundled with a package win for the package; the framework's side
of an agent is compiled with Assay's headers only and never sees them.
"""

import re
from pathlib import Path

from assay.errors import PackageError
from assay.model import Package
from assay.model.apis import STREAM_GUARDS, STREAM_HEADERS, STREAMS, listed
from assay.package.builds.makefile import MakefileSettings, parse_makefile
from assay.package.known import verified_vectors
from assay.package.quirks import QuirkEvidence, find_quirks
from assay.package.records import CodePackage, name_package
from assay.package.sources import choose_sources, exports_keysetup
from assay.package.text import code_of, defines, macros
from assay.package.tree import Contents, read_contents

LIMIT_VARIANTS = 10
_PREFIX = "ecrypt-"  # the Makefile's `type` is the rest of an API's name
_TYPES = tuple(name.removeprefix(_PREFIX).removesuffix(".h") for name in STREAM_HEADERS)
_MAXVARIANT = re.compile(r"^#[ \t]*define[ \t]+ECRYPT_MAXVARIANT\b(.*)$", re.MULTILINE)


def load_estream(
    folder: Path, *, tree_root: Path | None = None, place: str | None = None
) -> Package:
    """Read a package of the eSTREAM API from its folder.

    Links may lead anywhere below `tree_root` (the folder itself by default), and
    the vector file is looked for up to there. `place` names a package outside of
    submissions/ and benchmarks/; by default it is the path below `tree_root`,
    or the folder's own name. Raises PackageError with a cure.
    """
    folder = folder.absolute()
    limit = (tree_root or folder).resolve()
    contents = read_contents(folder, limit)
    settings = _settings(contents)
    api = STREAMS[_PREFIX + _api_type(contents, settings)]
    header = str(contents.spelled(api.marks.headers[0]))
    _check_guard(contents, header, api.marks.guard)
    sources = choose_sources(contents, settings)
    evidence = QuirkEvidence(contents, settings, api, header, sources, _variants(contents, header))
    own = verified_vectors(folder, limit)
    found = CodePackage(
        api=api,
        name=name_package(place or _place(folder, limit)),
        contents=contents,
        header=header,
        sources=sources,
        files=tuple(contents.files),
        own=own[0] if own else None,
        cipher=contents.files[header],
        std=settings.std or (),
        variants=evidence.variants or 1,
        architecture=evidence.architecture,
    )
    vectors = own or tuple(filter(None, (found.known,)))
    return found.build(find_quirks(evidence, vectors))


def _place(folder: Path, limit: Path) -> str:
    """Return the folder's path below the limit, or its own name."""
    real = folder.resolve()
    if real != limit and real.is_relative_to(limit):
        return real.relative_to(limit).as_posix()
    return folder.name or "package"


def _settings(contents: Contents) -> MakefileSettings:
    """Read the Makefile, if the package has one."""
    makefile = contents.spelled("Makefile")
    return parse_makefile(contents.text(makefile)) if makefile else MakefileSettings()


def _api_type(contents: Contents, settings: MakefileSettings) -> str:
    """Decide between sync, sync-ae, ssyn and ssyn-ae."""
    present = [t for t in _TYPES if contents.spelled(f"{_PREFIX}{t}.h")]
    wanted = settings.type or (present[0] if len(present) == 1 else None)
    if not present:
        raise PackageError(
            f"{contents.folder} has no {listed(STREAMS.values())}",
            "Copy the header of the API into the folder and fill in its [edit] parts.",
        )
    if wanted is None:
        wanted = _type_by_functions(contents, settings, present)
    if wanted not in present:
        raise PackageError(
            f"{contents.folder}: the Makefile says `type = {wanted}`, but the folder has "
            + " and ".join(f"{_PREFIX}{t}.h" for t in present),
            f"Write `type = {present[0]}`, or add ecrypt-{wanted}.h.",
        )
    return wanted


def _type_by_functions(contents: Contents, settings: MakefileSettings, present: list[str]) -> str:
    """With several headers and no type line, let the functions defined decide."""
    sources = [n for n in choose_sources(contents, settings) if exports_keysetup(contents, n)]
    code = "\n".join(contents.code(n) for n in sources)
    setups = {t: "ECRYPT_AE_keysetup" if t.endswith("-ae") else "ECRYPT_keysetup" for t in present}
    fitting = [t for t, function in setups.items() if defines(code, function)]
    if len(fitting) == 1:
        return fitting[0]
    raise PackageError(
        f"{contents.folder} has " + " and ".join(f"{_PREFIX}{t}.h" for t in present),
        f"Write {' or '.join(f'`type = {t}`' for t in present)} into the Makefile.",
    )


def _check_guard(contents: Contents, header: str, own: str) -> None:
    """Refuse a header whose guard is that of another API.

    That of Salsa20 by its designer has the guard of ciphers with a MAC, and declares none.
    """
    code = contents.code(header)
    defined = macros(code)
    wrong = sorted(({*STREAM_GUARDS} - {own}) & defined.keys())
    authenticates = re.search(r"\bECRYPT_AE_keysetup\b", code) is not None
    slip = all(one.endswith("_AE") is not own.endswith("_AE") for one in wrong)
    if wrong and own not in defined and not (slip and authenticates is own.endswith("_AE")):
        raise PackageError(
            f"{contents.folder}/{header} defines {wrong[0]}, the guard of another API",
            f"Rename the header, or its guard to {own}.",
        )


def _variants(contents: Contents, header: str) -> int | None:
    """Read ECRYPT_MAXVARIANT as the original does, from the text; None if it is absent.

    Comments are dropped first, and of several definitions the largest counts.
    """
    values = _MAXVARIANT.findall(code_of(contents.text(header)))
    numbers = [value.strip(" \t()") for value in values]
    for number in numbers:
        if not re.fullmatch(r"[0-9]{1,3}", number) or not 1 <= int(number) <= LIMIT_VARIANTS:
            raise PackageError(
                f"{contents.folder}/{header} sets ECRYPT_MAXVARIANT to {number!a}",
                f"Write a plain number from 1 to {LIMIT_VARIANTS}.",
            )
    return max(map(int, numbers), default=None)
