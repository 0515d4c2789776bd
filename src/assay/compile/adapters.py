# SPDX-License-Identifier: MIT
"""Adapter and packet functions of packages, in the user's cache.

They are compiled against a package's header, where its sources cannot be seen, so
that they are there already after a source was edited. What compiles so depends on the package's
other files alone. Where it does not compile, or a file asks which others there are, nobody can say
what it depends on: then all files count.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.files import content_of, is_regular, key_of, place
from assay.compile.recipe import Recipe
from assay.execute.command import Ended, run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import staged_folder
from assay.machine.cache import written_cache

LOOKS_FOR_FILES = b"__has_"  # __has_include, __has_embed
Stage = Callable[[Recipe, Path], None]


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
        return tuple(kept / name for name in self._names)

    @property
    def _names(self) -> dict[str, str]:
        return self.recipe.interface.adapters

    def _complete(self, folder: Path) -> bool:
        return all((folder / name).is_file() for name in self._names)

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
        for name in self._names:
            place(common / name, kept / name, mode=0o644)
        return True

    def _compile(self, home: Path, to: Path) -> Ended:
        ended = Ended(0, timed_out=False, output="", seconds=0.0)
        for name, source in self._names.items():
            command = [*self.recipe.adapter_command(), source, "-o", name]
            ended = run_jailed(command, home, self.jail, COMPILE_LIMITS)
            if not ended.ok or not is_regular(home / name):
                return replace(ended, exit_code=ended.exit_code or 1)
        to.mkdir(parents=True, exist_ok=True)
        for name in self._names:
            place(home / name, to / name, mode=0o644)
        return ended


def _folder(key: str) -> Path:
    return written_cache() / "adapters" / key
