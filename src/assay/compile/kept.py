# SPDX-License-Identifier: MIT
"""Object files of earlier builds, in the user's cache: what was compiled once is copied.

A build is known by the package's files, the compile line, the compiler and the harness, whose
headers it sees; not by the system's headers, as nothing else here is. Only what compiled
is kept. Entries appear whole or not at all, and the oldest go when there are too many.
"""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from assay.compile.files import key_of
from assay.compile.harness import harness_hash
from assay.compile.recipe import Recipe
from assay.execute.command import Ended
from assay.machine.cache import cache_folder, trim

LIMIT_BYTES = 512 * 1024 * 1024
LOOK_EVERY = 256  # entries written between two looks at the size
SAID = "said.json"


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
        with contextlib.suppress(OSError):
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
