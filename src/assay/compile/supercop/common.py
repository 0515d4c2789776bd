# SPDX-License-Identifier: MIT
"""Compiles sources that stand outside a package's folder: once for all packages that share them.

A package's jail preprocesses them. Each text is then compiled in a jail of its own that holds
nothing else, and the object is kept under that text and the compile line. So an object is a
function of its name, and no package can put another one under it.
"""

import hashlib
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from msgspec import Struct, field
from msgspec.structs import replace

from assay.compile.files import is_regular, key_of
from assay.compile.kept import Kept
from assay.compile.recipe import Recipe
from assay.compile.supercop.asking import drawing_sources, is_narrow
from assay.compile.supercop.lines import script
from assay.compile.supercop.names import details_of
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import LONG_COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder

FAMILIES = ("gcc", "clang")
OBJECT = "object.o"
LONGEST_TEXT_BYTES = 16 << 20
# Options under which an object depends on more than its text, or the text on where it was made.
_BEYOND_THE_TEXT = re.compile(
    r"-g(?!no-)|-f(?:sanitize|profile|test-coverage|plugin|debug|dump)|--coverage|-save-temps|-pg"
)
_OF_THE_PREPROCESSOR = ("-D", "-U", "-I")


class Common(Struct):
    """What was compiled apart for a build: `objects` by source, from the folder of the build."""

    objects: dict[str, str] = field(default_factory=dict)
    output: str = ""
    seconds: float = 0.0

    def added_to(self, ended: Ended) -> Ended:
        """Return the account of a build with what was compiled apart in it."""
        return replace(
            ended, output=self.output + ended.output, seconds=self.seconds + ended.seconds
        )


def common_sources(recipe: Recipe) -> tuple[str, ...]:
    """Name the C sources of a recipe's package that other packages may share."""
    details = details_of(recipe.package)
    options = recipe.configuration.opt.split()
    if recipe.compiler.family not in FAMILIES or details.language != "c":
        return ()
    if any(_BEYOND_THE_TEXT.match(one) for one in options):
        return ()
    shared = {name for name, _ in details.shared}
    if is_narrow(recipe):
        shared -= drawing_sources(recipe.package)  # each is asked what length it gives
    return tuple(one for one in recipe.package.sources if one in shared and one.endswith(".c"))


def compile_common(
    recipe: Recipe,
    words: Sequence[str],
    more: Mapping[str, list[str]],
    home: Path,
    jail: Jail,
    kept: Kept,
) -> Common:
    """Compile a package's common sources, less those that do not compile alone.

    `words` and `more` are what `compile_lines` takes, and `home` is laid out for it.
    """
    made, sources = Common(), common_sources(recipe)
    if not sources:
        return made
    to = Path(tempfile.mkdtemp(dir=home))  # no name that the jail could have known
    line = [word for word in words if not word.startswith(_OF_THE_PREPROCESSOR)]
    for number, (source, text) in enumerate(_texts(sources, words, more, home, jail)):
        path = to / f"{number}.o"
        ended = _compile([*line, "-x", "cpp-output"], PurePath(source).name, text, path, recipe,
                         jail, kept)  # fmt: skip
        if ended.ok:
            made.objects[source] = str(path.relative_to(home))
        made.output += ended.output if ended.ok else ""
        made.seconds += ended.seconds
    hand_over(to)
    return made


def _texts(
    sources: Sequence[str],
    words: Sequence[str],
    more: Mapping[str, list[str]],
    home: Path,
    jail: Jail,
) -> list[tuple[str, bytes]]:
    """Return the sources that can be preprocessed, each with its text."""
    lines = ["mkdir texts", "cd package"]
    for number, source in enumerate(sources):
        line = [*words, *more.get(source, ()), "-E", source, "-o", f"../texts/{number}"]
        lines.append(f"{shlex.join(line)} || :")
    run_jailed(script(lines), home, jail, LONG_COMPILE_LIMITS)
    found = [(one, home / "texts" / str(number)) for number, one in enumerate(sources)]
    return [(one, path.read_bytes()) for one, path in found if _is_text(path)]


def _is_text(path: Path) -> bool:
    whole = path.parent.is_symlink() or not is_regular(path)
    return not whole and path.stat().st_size <= LONGEST_TEXT_BYTES


def _compile(
    line: list[str],
    name: str,
    text: bytes,
    to: Path,
    recipe: Recipe,
    jail: Jail,
    kept: Kept,
) -> Ended:
    """Compile a text alone, or take what came of it before; put the object in place.

    Compilers write the source's `name` into the object.
    """
    command = [*line, "-c", name, "-o", OBJECT]
    made_by = (recipe.compiler.identity, jail.mode.value)
    key = key_of(hashlib.sha256(text).hexdigest(), *made_by, *command)
    with staged_folder("assay-build-") as alone:
        ended = kept.find(key, alone)
        if ended is None:
            (alone / name).write_bytes(text)
            hand_over(alone)
            ended = run_jailed(command, alone, jail, LONG_COMPILE_LIMITS)
            if not ended.ok or not is_regular(alone / OBJECT):
                return replace(ended, exit_code=ended.exit_code or 1)
            kept.keep(key, alone, (OBJECT,), ended)
        to.write_bytes((alone / OBJECT).read_bytes())
    return ended
