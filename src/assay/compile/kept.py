# SPDX-License-Identifier: MIT
"""Object files of earlier builds, in the user's cache: what was compiled once is copied.

A build is known by the package's files, the compile line, the compiler and the harness, whose
headers it sees; not by the system's headers, as nothing else here is. Only what compiled
is kept. Entries appear whole or not at all, and the oldest go when there are too many.

Adapter and packet functions are kept, too. They are compiled against a package's header, where its
sources cannot be seen, so that they are there already after a source was edited. What compiles so
depends on the package's other files alone. Where it does not compile, or a file asks which others
there are, nobody can say what it depends on: then all files count.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.files import content_of, is_regular, key_of, place
from assay.compile.harness import harness_hash
from assay.compile.recipe import Recipe
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import staged_folder
from assay.machine.cache import cache_folder, trim, written_cache

LIMIT_BYTES = 512 * 1024 * 1024
LOOK_EVERY = 256  # entries written between two looks at the size
SAID = "said.json"
LOOKS_FOR_FILES = b"__has_"  # __has_include, __has_embed
Stage = Callable[[Recipe, Path], None]


class Kept(Struct):
    """The cache of objects, below `folder`; without one it keeps and finds nothing."""

    folder: Path | None = None
    jail: str = ""
    limit_bytes: int = LIMIT_BYTES
    written: int = 0

    @classmethod
    def ours(cls, jail: str) -> "Kept":
        """Return the user's cache of what was compiled in such a jail."""
        return cls(cache_folder() / "objects", jail)

    def find(self, key: str, home: Path) -> Ended | None:
        """Copy a build's objects into `home`; say how compiling ended, None if it is unknown."""
        if self.folder is None:
            return None
        entry = self.folder / key
        try:
            said = json.loads((entry / SAID).read_text())
            for number, name in enumerate(said["names"]):
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(entry / str(number), home / name, follow_symlinks=False)
                (home / name).chmod(0o644)
            ended = Ended(
                0, timed_out=False, output=str(said["output"]), seconds=float(said["seconds"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            os.utime(entry)
        return ended

    def keep(self, key: str, home: Path, names: Sequence[str], ended: Ended) -> None:
        """Put the named objects into the cache; a full disk is no failure of the build."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial = Path(tempfile.mkdtemp(dir=self.folder, prefix=".partial-"))
        except OSError:
            return
        try:
            for number, name in enumerate(names):
                shutil.copyfile(home / name, partial / str(number), follow_symlinks=False)
            said = {"names": list(names), "output": ended.output, "seconds": ended.seconds}
            (partial / SAID).write_text(json.dumps(said))
            partial.rename(self.folder / key)
        except OSError:  # another thread was faster, or the disk is full
            shutil.rmtree(partial, ignore_errors=True)
        self.written += 1
        if self.written % LOOK_EVERY == 1:
            self.trim()

    def trim(self) -> None:
        """Remove the entries that were not used for longest, until the rest fits."""
        if self.folder is not None:
            trim(self.folder, most_bytes=self.limit_bytes)


def entry_of(recipe: Recipe, jail: str) -> str:
    """Name everything that the objects depend on."""
    return key_of(
        recipe.package.code_identity,
        str(recipe.variant),
        recipe.compiler.identity,
        harness_hash(),
        jail,
        *recipe.compile_command(),
    )


def without_sources(recipe: Recipe, package: Path, *command: str) -> str:
    """Name what a command depends on if it does without the sources; empty if nobody can say.

    `package` is a copy of the package in which nothing ran yet.
    """
    parts: list[str] = []
    for name in sorted(set(recipe.package.files) - set(recipe.package.sources)):
        if LOOKS_FOR_FILES in (package / name).read_bytes():
            return ""
        parts += [name, content_of(package / name)]
    return key_of("sources hidden", recipe.adapter_needs, *command, "files", *parts)


@contextmanager
def hidden(recipe: Recipe, stage: Stage) -> Iterator[Path]:
    """Lend a folder in which a package is staged without its sources."""
    with staged_folder("assay-build-") as home:
        stage(recipe, home)
        for name in recipe.package.sources:
            (home / "package" / name).unlink()
        yield home


class Adapters(Struct, frozen=True):
    """What is compiled against the header of a package that is staged by `stage`.

    `alike` names what it depends on if that is not the sources; it is empty where that is open.
    """

    recipe: Recipe
    jail: Jail
    stage: Stage
    alike: str

    @classmethod
    def of(cls, recipe: Recipe, home: Path, jail: Jail, stage: Stage) -> "Adapters":
        """Look at a package in `home`, before anything ran there."""
        command = recipe.adapter_command()
        return cls(recipe, jail, stage, without_sources(recipe, home / "package", *command))

    def objects(self, home: Path) -> tuple[Path, ...] | Ended:
        """Return the object files, compiled in `home` if need be, or how compiling them failed."""
        kept = _folder(self.recipe.adapter_key)
        if not self._complete(kept) and not self._as_before(kept):
            ended = self._compile(home, kept)
            if not ended.ok:
                return ended
        return tuple(kept / name for name in self.recipe.adapters)

    def _complete(self, folder: Path) -> bool:
        return all((folder / name).is_file() for name in self.recipe.adapters)

    def _as_before(self, kept: Path) -> bool:
        """Take what does not depend on the sources; return whether there is such a thing."""
        if not self.alike:
            return False
        common = _folder(self.alike)
        if not self._complete(common):
            with hidden(self.recipe, self.stage) as home:
                if not self._compile(home, common).ok:
                    return False
        kept.mkdir(parents=True, exist_ok=True)
        for name in self.recipe.adapters:
            place(common / name, kept / name, mode=0o644)
        return True

    def _compile(self, home: Path, to: Path) -> Ended:
        ended = Ended(0, timed_out=False, output="", seconds=0.0)
        for name, source in self.recipe.adapters.items():
            command = [*self.recipe.adapter_command(), source, "-o", name]
            ended = run_jailed(command, home, self.jail, COMPILE_LIMITS)
            if not ended.ok or not is_regular(home / name):
                return replace(ended, exit_code=ended.exit_code or 1)
        to.mkdir(parents=True, exist_ok=True)
        for name in self.recipe.adapters:
            place(home / name, to / name, mode=0o644)
        return ended


def _folder(key: str) -> Path:
    return written_cache() / "adapters" / key
