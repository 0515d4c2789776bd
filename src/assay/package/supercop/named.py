# SPDX-License-Identifier: MIT
"""Which sources of a submission its own Makefile compiles; it is read and never run.

Submissions to NIST carry sources for other parameter sets and for measuring in the same
folders, and their Makefiles name the files of each program.
"""

import re
from collections import defaultdict

from assay.model.api import Api
from assay.package.supercop.api import function_names
from assay.package.supercop.files import Files
from assay.package.text import defines

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_COMMENT = re.compile(r"#[^\n]*|^\t[-@ ]*(?:rm|\$[({]RM[)}])[ \t][^\n]*", re.MULTILINE)
_SEARCHES = re.compile(
    r"\$[({](?:wildcard|shell|foreach|addsuffix|eval|call)\b|\*\.[a-zA-Z]|^[-s]?include\b",
    re.MULTILINE,
)
_FILE = re.compile(r"([\w+-][\w.+-]*)\.(?:c|cc|cpp|s|S|o)(?![\w.])")


def unnamed(files: Files, sources: tuple[str, ...], operation: Api) -> tuple[str, ...]:
    """Name the sources that the Makefile leaves out, though it names others of their folder.

    None, if it searches for files, or does not name those with the functions of the operation:
    then it compiles more than it names.
    """
    stems = _stems(files)
    named = {name for name in sources if _stem(name) in stems}
    if not all(name in named for name in sources if _has_function(files, name, operation)):
        return ()
    folders = defaultdict(list)
    for name in sources:
        folders[name.rpartition("/")[0]].append(name)
    mixed = (every for every in folders.values() if not named.isdisjoint(every))
    left = (name for every in mixed for name in every if name not in named)
    return tuple(sorted(name for name in left if not _fills_table(files, name, operation)))


def _fills_table(files: Files, name: str, operation: Api) -> bool:
    """Return whether a source is there for NIST's benchmark, which authors did not know."""
    return operation.table is not None and operation.table.header in files.facts(name).includes


def _stems(files: Files) -> frozenset[str]:
    """Return the names of sources and objects in the Makefile, without suffixes."""
    name = next((one for one in _MAKEFILES if one in files.real), None)
    if name is None:
        return frozenset()
    text = _COMMENT.sub("", files.text(name).replace("\\\n", " "))
    return frozenset() if _SEARCHES.search(text) else frozenset(_FILE.findall(text))


def _stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0]


def _has_function(files: Files, name: str, operation: Api) -> bool:
    code = files.code(name)
    return any(defines(code, one) for one in function_names(operation))
