# SPDX-License-Identifier: MIT
"""The one way in which files are written below a results folder, which may be a stranger's.

No link below the folder is followed: each folder on the way is opened with O_NOFOLLOW, a new
file is made under a new name, and renamed. What stood under the name before is replaced, and
what it linked to stays as it is. The results folder itself is where the user says, link or not.
"""

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO

from assay.errors import UsageError

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = ".assay-folder-"
_CURE = "Remove it, or name another results folder."


def write_below(folder: Path, name: str | PurePath, text: str | bytes) -> Path:
    """Write a file below a results folder, whole or not at all; return its path.

    Folders on the way are made. Characters that are no text (hostile names) are replaced.
    UsageError where `name` leads out of the folder, or a link or a file stands on the way.
    """
    with new_below(folder, name) as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    return folder / name


@contextmanager
def new_below(folder: Path, name: str | PurePath) -> Iterator[IO[bytes]]:
    """Lend a file below a results folder, which takes its place when it is complete."""
    *above, last = _parts(name)
    with folder_below(folder, *above) as place:
        partial = f".assay-{secrets.token_hex(8)}"
        try:
            with os.fdopen(os.open(partial, NEW, 0o644, dir_fd=place), "wb") as file:
                yield file
            os.replace(partial, last, src_dir_fd=place, dst_dir_fd=place)
        except BaseException as error:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial, dir_fd=place)
            if isinstance(error, IsADirectoryError):
                raise UsageError(f"{folder / name} is a folder", _CURE) from None
            raise


@contextmanager
def named_file(path: Path) -> Iterator[IO[bytes]]:
    """Lend the file that a user names, which takes its place when it is complete.

    UsageError for a link, a device, or any other name that is there and is no file, and where
    the folder is missing.
    """
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", "Make it, or name another file.")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path} is a link, or no file", "Name the file itself, or a new one.")
    with new_below(path.parent, path.name) as file:
        yield file


def replace_folder(folder: Path, name: str, files: Mapping[str, str]) -> None:
    """Put a folder of text files in the place of what has its name below a results folder."""
    new, old = (f"{_FOLDER}{secrets.token_hex(8)}" for _ in range(2))
    with folder_below(folder) as place:
        try:
            with folder_below(folder, new):
                for file, text in files.items():
                    write_below(folder, PurePath(new, file), text)
            with contextlib.suppress(FileNotFoundError):
                os.rename(name, old, src_dir_fd=place, dst_dir_fd=place)
            os.rename(new, name, src_dir_fd=place, dst_dir_fd=place)
        finally:
            _remove(new, place)
            _remove(old, place)


def remove_leftovers(folder: Path) -> None:
    """Remove what `replace_folder` left behind when it was killed."""
    with folder_below(folder) as place:
        for one in folder.glob(f"{_FOLDER}{'[0-9a-f]' * 16}"):
            _remove(one.name, place)


def _remove(name: str, place: int) -> None:
    """Remove a folder with all that is in it, or a file or link."""
    with contextlib.suppress(FileNotFoundError):
        try:
            os.unlink(name, dir_fd=place)
        except IsADirectoryError:
            shutil.rmtree(name, dir_fd=place)


def make_folder(folder: Path) -> None:
    """Make a results folder where it is absent; it may be a link to one."""
    folder.mkdir(parents=True, exist_ok=True)


def remove_below(folder: Path, name: str | PurePath) -> None:
    """Remove a file below a results folder, or the link of that name; it may be absent."""
    *above, last = _parts(name)
    with (
        contextlib.suppress(FileNotFoundError),
        folder_below(folder, *above, make=False) as place,
    ):
        os.unlink(last, dir_fd=place)


@contextmanager
def folder_below(folder: Path, *parts: str, make: bool = True) -> Iterator[int]:
    """Lend the descriptor of a folder below a results folder; it is made where it is absent."""
    place = _opened(folder, make=make)
    try:
        for number, part in enumerate(parts):
            try:
                below = _entered(place, part, make=make)
            except NotADirectoryError:
                path = folder.joinpath(*parts[: number + 1])
                raise UsageError(
                    f"{path} is a link or a file, where a folder belongs", _CURE
                ) from None
            os.close(place)
            place = below
        yield place
    finally:
        os.close(place)


def _opened(folder: Path, *, make: bool) -> int:
    """Open a results folder, link or not; it may have to be made."""
    with contextlib.suppress(FileNotFoundError):
        return os.open(folder, FOLDER & ~os.O_NOFOLLOW)
    if make:
        make_folder(folder)
    return os.open(folder, FOLDER & ~os.O_NOFOLLOW)


def _entered(place: int, part: str, *, make: bool) -> int:
    """Open a folder that is one, and no link: NotADirectoryError. It may have to be made."""
    try:
        return os.open(part, FOLDER, dir_fd=place)
    except FileNotFoundError:
        if not make:
            raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotADirectoryError from None
        raise
    with contextlib.suppress(FileExistsError):  # another process was faster
        os.mkdir(part, dir_fd=place)
    return _entered(place, part, make=False)


def _parts(name: str | PurePath) -> tuple[str, ...]:
    """Take a relative path apart; UsageError where it leads elsewhere."""
    text = str(name)
    parts = PurePath(text).parts
    if not parts or text.startswith("/") or ".." in parts or "\0" in text:
        raise UsageError(f"the name {text!r} leads out of the results folder", "Rename it.")
    return parts
