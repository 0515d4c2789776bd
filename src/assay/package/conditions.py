# SPDX-License-Identifier: MIT
"""Conditions in C: which lines a compiler may reach, whatever machine it compiles for.

An #include is left out only if its condition is certainly false: it is
`0`, or asks for a macro that nothing in the package defines and that neither a compiler nor
a system's header does. Everything else counts, as it does for SUPERCOP.

Of the text of a source those branches are left out that ask whether a macro is defined which the
text defined before, itself or in an included header of the package.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache

from msgspec import Struct

from assay.package.text import code_of

_LINE = re.compile(
    r"^[ \t]*(?:#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif|include|define)"
    r"|[.%][ \t]*(?:include|incbin))\b[ \t]*(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_HEADER = re.compile(r"""[<"][ \t]*([^>"\n]{1,200})""")
_MACRO = re.compile(
    r"(!?)[ \t]*(?:defined(?:[ \t]+|[ \t]*\([ \t]*)([A-Za-z_]\w*)(?:[ \t]*\))?|([A-Za-z_]\w*))",
    re.ASCII,
)
# Macros of compilers, of systems' headers and of the headers that are generated.
_ELSEWHERE = re.compile(
    r"__\w*|_(?:POSIX|XOPEN|GNU|ISOC|BSD|SVID|DEFAULT|LARGEFILE|FILE_OFFSET|FORTIFY|REENTRANT"
    r"|LP64|ILP32|OPENMP|WIN|M_|MSC|BYTE_ORDER|LITTLE|BIG)\w*|\w*ENDIAN\w*|BYTE_ORDER"
    r"|\w+_(?:MAX|MIN|BIT|WIDTH)|(?i:crypto_\w*)|SUPERCOP|[a-z]\w*|WIN32|BUFSIZ|EOF|NULL",
    re.ASCII,
)
_LONGEST = 400  # of a condition that is looked into
_DEEPEST = 32  # more conditions are as good as open: nobody writes so many by hand


class Branch(Struct, frozen=True, eq=False):
    """A condition that holds around a line, and those of the branches before it.

    The condition of `#else` is `1`.
    """

    condition: str
    before: tuple[str, ...] = ()


class Include(Struct, frozen=True):
    """A header as it is written in an #include, and the branches that it stands in."""

    header: str
    branches: tuple[Branch, ...] = ()


def includes_of(code: str) -> tuple[Include, ...]:
    """Find the #include lines in text without comments, and what an assembler includes."""
    lines = ((_HEADER.match(rest), branches) for rest, branches in _found(code, "include"))
    return tuple(Include(header[1].strip(), branches) for header, branches in lines if header)


def definitions_with(code: str, name: str) -> tuple[Include, ...]:
    """Find the #define lines that mention a name, which stands for the header."""
    lines = (branches for rest, branches in _found(code, "define") if name in rest)
    return tuple(Include(name, branches) for branches in lines)


def heads_of(code: str, name: str) -> tuple[Include, ...]:
    """Find the lines that name a function and its parameters; the name stands for the header."""
    head = re.compile(rf"^(?=[^#\n]*\b{name}[ \t]*\()", re.MULTILINE)
    found = includes_of(head.sub(f'#include "{name}"\n', code))
    return tuple(one for one in found if one.header == name)


def reachable(
    includes: Iterable[Include], defined: Collection[str], undefined: Collection[str] = ()
) -> frozenset[str]:
    """Name the headers that a compiler may reach if the package defines these macros.

    `undefined` are macros that nobody defines, though they look as if somebody else did.
    """
    worth = cache(lambda condition: _worth(condition, defined, undefined))

    @cache
    def possible(branch: Branch) -> bool:
        return worth(branch.condition) is not False and not any(map(worth, branch.before))

    return frozenset(one.header for one in includes if all(map(possible, one.branches)))


def _found(code: str, wanted: str) -> Iterator[tuple[str, tuple[Branch, ...]]]:
    """Yield what stands behind a word in directives, and the branches around it."""
    stack: list[Branch] = []
    for line in _LINE.finditer(code):
        word, rest = line["word"] or "include", line["rest"].strip()
        if word in ("include", "define"):
            if word == wanted:
                yield rest, tuple(stack[:_DEEPEST])
        elif word.startswith("if"):
            stack.append(Branch({"ifdef": "defined ", "ifndef": "!defined "}.get(word, "") + rest))
        elif stack:
            last = stack.pop()
            if word != "endif":
                before = (*last.before[:_DEEPEST], last.condition)
                stack.append(Branch("1" if word == "else" else rest, before))


def _worth(condition: str, defined: Collection[str], undefined: Collection[str]) -> bool | None:
    """Return the certain value of a condition; None if it is open."""
    if len(condition) > _LONGEST or re.search(r"[()]", _MACRO.sub("", condition)):
        return None
    known = [_all(part, defined, undefined) for part in condition.split("||")]
    return True if True in known else None if None in known else False


def _all(condition: str, defined: Collection[str], undefined: Collection[str]) -> bool | None:
    known = [_atom(part.strip(), defined, undefined) for part in condition.split("&&")]
    return False if False in known else None if None in known else True


def _atom(text: str, defined: Collection[str], undefined: Collection[str]) -> bool | None:
    """Return the value of `0`, `1`, an undefined macro, or `defined` of one."""
    if text in {"0", "1"}:
        return text == "1"
    match = _MACRO.fullmatch(text)
    name = match and (match[2] or match[3])
    if match is None or not name or name in defined:
        return None
    open_to_others = _ELSEWHERE.fullmatch(name) and name not in undefined
    return None if open_to_others else match[1] == "!"


_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)[ \t]*(.*)")
_ASKED = re.compile(r"(!?)[ \t]*defined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?[ \t]*")
_MOST_FILES = 200


def active_text(name: str, read: Callable[[str], str | None]) -> str:
    """Return the text of a file with its headers, without branches known not to be compiled.

    `read` returns the text of a file of the package; None where there is none.
    """
    return "\n".join(_Reader(read).lines(name))


class _Reader:
    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read, self._left = read, _MOST_FILES
        self._known: set[str] = set()

    def lines(self, name: str) -> Iterator[str]:
        text = self._read(name) if self._left else None
        if text is None:
            return
        self._left -= 1
        stack: list[bool | None] = []  # of each condition: holds, does not, or who knows
        for line in code_of(text).replace("\\\n", " ").splitlines():
            found = _DIRECTIVE.match(line)
            if found:
                yield from self._directive(found[1], found[2].strip(), stack)
            elif False not in stack:
                yield line

    def _directive(self, word: str, rest: str, stack: list[bool | None]) -> Iterator[str]:
        if word in ("if", "ifdef", "ifndef"):
            stack.append(self._holds(word, rest))
        elif word == "elif" and stack:
            stack[-1] = None
        elif word == "else" and stack:
            stack[-1] = None if stack[-1] is None else not stack[-1]
        elif word == "endif" and stack:
            stack.pop()
        elif False not in stack:
            yield from self._kept(word, rest)

    def _kept(self, word: str, rest: str) -> Iterator[str]:
        name = re.match(r"\w+", rest)
        if word == "define" and name:
            self._known.add(name[0])
        elif word == "undef" and name:
            self._known.discard(name[0])
        elif word == "include" and rest.startswith('"'):
            yield from self.lines(rest[1:].partition('"')[0])

    def _holds(self, word: str, rest: str) -> bool | None:
        """Return whether a condition holds; None if the text does not decide it."""
        asked = _ASKED.fullmatch(rest) if word == "if" else re.match(r"()(\w+)", rest)
        if not asked or asked[2] not in self._known:
            return None
        return not (asked[1] or word == "ifndef")
