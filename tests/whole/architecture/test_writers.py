# SPDX-License-Identifier: MIT
"""Who writes files: what lies below a results folder is written by writing.py alone."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src" / "assay"

# Modules that write elsewhere, and where. Rooms that handle results are named by single modules.
ALLOWED = {
    "writing.py": "the one way",
    "store/database.py": "sqlite3.connect",
    "store/schema.py": "sqlite3.connect, in memory",
    "store/alone.py": "the lock, relative to a folder of writing.py",
    "machine/*": "the user's cache",
    "toolchain/*": "the user's cache, and folders for trials of compilers",
    "compile/*": "folders that the jail sees, and the user's cache",
    "execute/*": "folders that the jail sees, the user's cache, devices and control groups",
    "check/*": "folders that the jail sees, and the user's cache",
    "package/*": "packages, in the user's own tree",
    "measure/operation/footprint.py": "a temporary folder",
    "measure/disturbance.py": "the user's cache",
    "fleet/holding.py": "the folder of a queue",
    "fleet/shelf.py": "the folder of a worker",
    "fleet/labour.py": "an archive in the folder of a worker",
    "service/publishing.py": "a temporary folder, and files of writing.py",
    "service/places.py": "the service's own folder: uploads, and pages of no results",
    "plan/revisions.py": "a work tree of git in the user's cache",
    "cli/submit.py": "a temporary folder",
    "cli/main.py": "os.devnull, where nobody reads on",
    "cli/check_options.py": "the user's cache",
    "fleet/archived.py": "a temporary folder, and a file of writing.py",
    "fleet/elsewhere.py": "a new file in a temporary folder of its caller",
    "fleet/bundle.py": "the temporary folder of its caller, and a file of writing.py",
    "mutation/hunt.py": "a temporary folder of its caller",
    "fleet/taken.py": "a temporary folder, and files of writing.py",
}
HANDS = {
    *("write_text", "write_bytes", "mkdir", "touch", "symlink_to", "hardlink_to", "rename"),
    *("unlink", "rmdir", "chmod"),
}
READS = {"shutil.which", "shutil.get_terminal_size", "shutil.disk_usage"}
OS = {
    *("open", "mkdir", "makedirs", "rename", "renames", "replace", "link", "symlink", "unlink"),
    *("remove", "rmdir", "removedirs", "chmod", "truncate", "mkfifo", "mknod"),
}
NEW = re.compile("[wax+]")


def modes(call: ast.Call) -> Iterator[str]:
    """Yield the texts among the arguments of a call that may be a mode."""
    given = [*call.args[:2], *(one.value for one in call.keywords if one.arg == "mode")]
    for one in given:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and len(one.value) <= 4:
            yield one.value


def writes(call: ast.Call) -> bool:
    """Return whether a call may make, change or remove a file, or open a data base."""
    name = ast.unparse(call.func)
    last = name.rpartition(".")[2]
    if name == "sqlite3.connect" or (name.startswith("shutil.") and name not in READS):
        return True
    if name.startswith("os.") and last in OS:
        return True
    if name.startswith("tempfile."):
        return any(one.arg == "dir" for one in call.keywords)
    if last in ("open", "fdopen"):
        return any(NEW.search(mode) for mode in modes(call))
    if last == "replace" and isinstance(call.func, ast.Attribute):  # a text's has two arguments
        return len(call.args) == 1 and not call.keywords
    return isinstance(call.func, ast.Attribute) and last in HANDS


def found(text: str) -> list[int]:
    """Return the lines of a source in which something is written."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if writes(call)]


def test_results_are_written_in_one_way() -> None:
    """No module besides those listed opens, makes, copies, renames or removes files by itself."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not any(fnmatch(str(path.relative_to(SOURCE)), one) for one in ALLOWED)
        for line in found(path.read_text())
    ]
    assert wrong == []


def test_every_exception_is_needed() -> None:
    """A module that no longer writes leaves the list."""
    paths = sorted(SOURCE.rglob("*.py"))
    idle = [
        one
        for one in ALLOWED
        if not any(
            fnmatch(str(path.relative_to(SOURCE)), one) and found(path.read_text())
            for path in paths
        )
    ]
    assert idle == []


@pytest.mark.parametrize(
    "line",
    [
        "open(p, 'w')",
        "p.open('xb')",
        "open(p, mode='a')",
        "os.fdopen(d, 'wb')",
        "p.write_text('')",
        "os.open(p, 0)",
        "shutil.copyfile(a, b)",
        "p.replace(q)",
        "os.replace(p, q)",
        "tempfile.mkstemp(dir=p)",
        "sqlite3.connect(p)",
        "p.mkdir(parents=True)",
    ],
)
def test_the_test_sees_what_writes(line: str) -> None:
    """Each of these has been in a module that wrote below a results folder."""
    assert found(line) == [1]


@pytest.mark.parametrize(
    "line",
    ["p.open('rb')", "open(p)", "t.replace('w', 'x')", "shutil.which('cc')", "p.read_text()"],
)
def test_the_test_lets_reading_pass(line: str) -> None:
    """What only reads needs no exception."""
    assert found(line) == []
