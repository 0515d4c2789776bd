# SPDX-License-Identifier: MIT
"""Small changes of C sources, one each: what a check must notice.

The lexer is Pygments', so that comments and strings are left alone; the bodies of macros are
mutated, too, since ciphers have their rotations there.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from random import Random

from msgspec import Struct
from pygments.lexers import CLexer  # type: ignore[import-untyped]
from pygments.token import Comment, Number, Operator  # type: ignore[import-untyped]

OTHERS = {
    "arithmetic": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "++": "--", "--": "++",
                   "+=": "-=", "-=": "+=", "*=": "+="},
    "logic of bits": {"^": "|", "|": "^", "&": "|", "^=": "|=", "|=": "^=", "&=": "|="},
    "shift": {"<<": ">>", ">>": "<<", "<<=": ">>=", ">>=": "<<="},
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "condition": {"&&": "||", "||": "&&"},
    "arrow": {"->": ""},
}  # fmt: skip
KIND_OF = {old: (kind, new) for kind, pairs in OTHERS.items() for old, new in pairs.items()}
LONGEST_FIRST = "|".join(re.escape(one) for one in sorted(KIND_OF, key=len, reverse=True))
OPERATORS = re.compile(LONGEST_FIRST)
NUMBER = re.compile(r"(0[xX])?([0-9a-fA-F]+)([uUlL]*)")
TYPES = ("u8", "u16", "u32", "u64", "int", "char", "long", "void", "_t", "_ctx", "unsigned")
# A macro's first line, or one that goes on with it.
MACRO = re.compile(r"(\s*define\s+\w+(?:\([^)]*\))?|\s+(?=\S))(.*)")


class Mutant(Struct, frozen=True):
    """One change: its kind, and what stands at `start` before and after it."""

    kind: str
    start: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        """Return the text with the change."""
        return text[: self.start] + self.new + text[self.start + len(self.old) :]


def mutants_of(text: str) -> Iterator[Mutant]:
    """Yield every change of a source, in the order of the text."""
    lexer = CLexer(stripnl=False, ensurenl=False)
    yield from _of_tokens(lexer, text, 0)
    yield from _statements(text, _comments(lexer, text))


def chosen(text: str, number: int, seed: int) -> tuple[Mutant, ...]:
    """Choose some of them; kinds are chosen first, so that tables of constants do not prevail."""
    random, kinds = Random(seed), defaultdict[str, list[Mutant]](list)
    for one in mutants_of(text):
        kinds[one.kind].append(one)
    taken: list[Mutant] = []
    while len(taken) < number and any(kinds.values()):
        kind = random.choice(sorted(name for name, left in kinds.items() if left))
        taken.append(kinds[kind].pop(random.randrange(len(kinds[kind]))))
    return tuple(sorted(taken, key=lambda one: (one.start, one.kind)))


def _of_tokens(lexer: CLexer, text: str, offset: int) -> Iterator[Mutant]:
    end = 0  # of the last operator: the lexer takes `<<=` in three tokens
    for at, token, value in lexer.get_tokens_unprocessed(text):
        if token in Comment.Preproc and (found := MACRO.fullmatch(value)):
            yield from _of_tokens(lexer, found[2], offset + at + len(found[1]))
        elif token in Operator and at >= end and (found := OPERATORS.match(text, at)):
            end = found.end()
            kind, new = KIND_OF[found[0]]
            if new and not _is_unary(text, at, found[0]):
                yield Mutant(kind, offset + at, found[0], new)
        elif token in Number:
            yield from _numbers(value.lstrip("-"), offset + at + value.startswith("-"))


def _is_unary(text: str, at: int, operator: str) -> bool:
    """Return whether it stands before one thing rather than between two; `u8* a` counts, too."""
    before = text[:at].rstrip()
    if operator == "*" and (before.endswith(TYPES) or text[at - 1 : at + 2] != " * "):
        return True
    return operator in ("*", "&", "-", "+") and (
        not before or before[-1] in "(,=[{;:?<>&|^+-*/%!~"
    )


def _numbers(value: str, start: int) -> Iterator[Mutant]:
    """Yield a constant that is one larger, and one that is one less."""
    found = NUMBER.fullmatch(value)
    if found is None:
        return
    prefix, base, form = ("0x", 16, "x") if found[1] else ("", 10, "d")
    if found[2].startswith("0") and not found[1]:
        prefix, base, form = "0", 8, "o"
    number = int(found[2], base)
    for other in sorted({number + 1, max(number - 1, 0)} - {number}):
        yield Mutant("constant", start, value, f"{prefix}{other:{form}}{found[3]}")


STATEMENT = re.compile(r"(?<=[;{}\n])[ \t]*([A-Za-z_*][^;{}#\n]*[=(][^;{}#\n]*;)")
DECLARATION = re.compile(
    r"(?:typedef|extern|return|static|const|unsigned|u?int\w*|u\d+|s\d+|char|long|void|size_t"
    r"|ECRYPT_\w+|if|for|while|do|else|switch|case|goto)\b"
)


def _statements(text: str, comments: Collection[int]) -> Iterator[Mutant]:
    """Leave out a whole statement: an assignment or a call on a line of its own."""
    for found in STATEMENT.finditer(text):
        if not DECLARATION.match(found[1]) and found.start(1) not in comments:
            yield Mutant("statement left out", found.start(1), found[1], ";")


def _comments(lexer: CLexer, text: str) -> set[int]:
    """Return all places inside of comments."""
    return {
        place
        for at, token, value in lexer.get_tokens_unprocessed(text)
        if token in Comment and token not in Comment.Preproc
        for place in range(at, at + len(value))
    }
