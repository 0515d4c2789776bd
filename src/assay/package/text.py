# SPDX-License-Identifier: MIT
"""Reading submitted text, and the little that can be told from it without a compiler.

Submissions come in Latin-1 and UTF-8, with any line ends. Text is decoded as
Latin-1, which cannot fail; what is looked for is ASCII. Every pattern takes
time linear in the text, since its author may be hostile.
"""

import os
import re
import stat
from pathlib import Path

from assay.errors import PackageError, VectorFormatError
from assay.targets.architectures import families

LIMIT_BYTES = 8 << 20
"""Larger than any genuine source (the largest seen is 0.2 MB)."""

VECTOR_BYTES = 32 << 20
VECTOR_LINES = 500_000
"""Larger than any genuine file of vectors (the largest seen has 4 MB in 73000 lines)."""

MARK = b"\xef\xbb\xbf".decode("latin-1")  # the byte order mark of UTF-8, as it is read
_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?(?:\*/|\Z)|//[^\n]*)"""
    r"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)(.*)$", re.MULTILINE)
_ANY_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_INCLUDE = re.compile(r"""^[ \t]*[#.%][ \t]*include[ \t]*"([^"\n]*)\"""", re.MULTILINE)
_NO_NAME = re.compile(r"\W", re.ASCII)
NOTHING = "a link to nothing"
_SORTS = ((stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"), (stat.S_ISDIR, "a folder"))
_BODY = re.compile(r"\s*+[{A-Za-z_]")


def identifier(name: str) -> str:
    """Return a folder's name with `_` for what C's names cannot hold: `aes-gcm` is `aes_gcm`."""
    return _NO_NAME.sub("_", name)


def open_regular(path: Path) -> int:
    """Open a file for reading and return its descriptor; only if it is a regular file.

    A FIFO would block and a device would act, hence O_NONBLOCK and the look at
    what was really opened.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise PackageError(
            f"{path} cannot be read: {error.strerror}", "Give read permission on the file."
        ) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PackageError(f"{path} is not a regular file", "Replace it by a plain file.")
    return handle


def sort_of(path: Path) -> str:
    """Name what lies at a path that is no regular file, as `a FIFO` or `a link to nothing`."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return NOTHING
    return next((sort for is_so, sort in _SORTS if is_so(mode)), "a device")


def read_text(path: Path, limit: int = LIMIT_BYTES) -> str:
    r"""Read at most `limit` bytes of text, with line ends made `\n`; more is a PackageError."""
    with os.fdopen(open_regular(path), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise PackageError(
            f"{path} is larger than {limit} bytes", "Split the file, or generate its tables."
        )
    return text_of(data)


def text_of(data: bytes) -> str:
    r"""Decode text of unknown origin, with line ends made `\n`."""
    return data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")


def read_vector_text(path: Path) -> str:
    r"""Read a file of vectors, with line ends made `\n`; VectorFormatError if it is too long."""
    try:
        text = read_text(path, VECTOR_BYTES)
    except PackageError as error:
        cure = "Keep fewer vectors in it." if "larger" in str(error) else error.cure
        raise VectorFormatError(str(error), cure) from None
    lines = text.count("\n")
    if lines > VECTOR_LINES:
        raise VectorFormatError(
            f"{path} has {lines} lines, and at most {VECTOR_LINES} are read",
            "Keep fewer vectors in it.",
        )
    return text


def code_of(text: str) -> str:
    """Join continued lines and replace each comment by a blank."""
    joined = text.replace("\\\n", " ")
    return _TOKEN.sub(lambda m: " " if m["comment"] else m[0], joined)


def has_line_comment(text: str) -> bool:
    """Return whether `//` begins a comment anywhere (not in a string or another comment)."""
    return any((m["comment"] or "").startswith("//") for m in _TOKEN.finditer(text))


def macros(code: str) -> dict[str, str]:
    """Name the macros left defined at the end, with their text; conditionals are not followed."""
    found: dict[str, str] = {}
    for kind, name, rest in _DIRECTIVE.findall(code):
        if kind == "undef":
            found.pop(name, None)
        else:
            found[name] = rest.strip()
    return found


def includes(text: str) -> tuple[str, ...]:
    """Name the files included in quotes, as written."""
    return tuple(name.strip() for name in _INCLUDE.findall(text))


def defines(code: str, name: str) -> bool:
    """Return whether comment-free C or assembly text defines the function or macro `name`.

    A definition has a body after its parentheses, or parameter declarations, or
    the other head of a function with two heads under #if.
    """
    if name not in code:
        return False
    if re.search(rf"^[ \t]*_?{name}:|^[ \t]*#[ \t]*define[ \t]+{name}\b", code, re.MULTILINE):
        return True
    return _has_body(_ANY_DIRECTIVE.sub("", code), name)


def _has_body(code: str, name: str) -> bool:
    """Return whether a body, or what stands before one, follows `name (...)`."""
    opened: list[bool] = []
    for token in re.finditer(rf"(\b{name}\s*+)?\(|\)", code):
        if token[0] != ")":
            opened.append(token[1] is not None)
        elif opened and opened.pop() and _BODY.match(code, token.end()):
            return True
    return False


def has_main(code: str) -> bool:
    """Return whether the text defines main()."""
    return defines(code, "main")


_ANY_X86 = re.compile(r"\b(?:[re](?:[abcd]x|[sd]i|[sb]p)|[xyz]mm[0-9]+)\b")
_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|elif)", re.MULTILINE)
_X86 = ("x86-64", "x86")
_ENOUGH = 3


def architecture_of(text: str) -> str | None:
    """Name the one architecture an assembly text is for; None if it may choose or is unclear.

    Text with conditionals may hold several. Few telling words are no evidence.
    64-bit x86 code also names 32-bit registers, and AArch64 has instructions of ARM.
    """
    return None if _CONDITIONAL.search(text) else _only(text)


def foreign_assembly(text: str) -> str | None:
    """Name the one architecture of assembly that a compiler refused or left out.

    Conditionals do not matter, since what they choose was seen to be nothing here. One
    register of x86 is enough to call it unclear.
    """
    found = _only(text)
    return None if found and not found.endswith(_X86) and _ANY_X86.search(text) else found


def _only(text: str) -> str | None:
    seen = [one for one in families() if len(one.registers.findall(text)) >= _ENOUGH]
    names = [one.name for one in seen]
    names = [one.name for one in seen if one.within not in names]
    return names[0] if len(names) == 1 else None
