# SPDX-License-Identifier: MIT
"""The adapter of a package of the SUPERCOP API: its functions and constants as a table.

Every function gets a caller that takes its arguments as words, so that the agent can
call all of them in one way (harness/subject/operation.h).
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from assay.compile.supercop.names import API_HEADER, details_of, namespace, prototype
from assay.compile.supercop.related import declared as author_text
from assay.compile.supercop.related import related
from assay.model import Package
from assay.model.api import Api, CallTable, Function, Way
from assay.model.operations import OPERATIONS

TABLE = "assay_operation_subject"
ENTRY = "entry.h"
_MEMBERS = {Way.LENGTH: "number", Way.LENGTH_OUT: "length"}
_WORD = re.compile(r"\b[a-z_]\w*\b")
_POINTER_TO_SIZE = re.compile(r"\bsize_t\s*\*")


class _Names(Struct, frozen=True):
    """What a package calls its functions and constants, and the headers that say so.

    `functions` and `constants` stand before the rest of a name. `declared` is the text
    of a header that the author wrote, None where it is generated. `members` are those of the
    table through which functions are called, by suffix, or the names that a description gives;
    empty where they have those of the API. `size_lengths` says that lengths are `size_t`.
    """

    headers: tuple[str, ...]
    functions: str
    constants: str
    declared: str | None = None
    members: Mapping[str, str] = field(default_factory=dict)
    size_lengths: bool = False

    def call(self, function: Function, arguments: Sequence[str]) -> str:
        """Return the call of a function; an expression has its parameters' names replaced."""
        called = self.functions + self.members.get(function.suffix, function.suffix)
        if "(" not in called:
            return f"{called}({', '.join(arguments)})"
        values = {one.name: at for one, at in zip(function.parameters, arguments, strict=True)}
        return _WORD.sub(lambda found: values.get(found[0], found[0]), called)

    def parameters(self, function: Function) -> str | None:
        """Return what stands in the parentheses of a declaration; None if there is none."""
        name = re.escape(self.functions + function.suffix)
        found = re.search(rf"\b{name}\s*\(([^()]*)\)", self.declared or "")
        return found and found[1]

    def is_own_length(self, function: Function) -> bool:
        """Return whether a function writes lengths as `size_t`, not as SUPERCOP and NIST ask."""
        found = _POINTER_TO_SIZE.search(self.parameters(function) or "")
        return self.size_lengths or found is not None


def adapter(package: Package, league: str) -> str:
    """Write the adapter's C."""
    operation = OPERATIONS[details_of(package).operation]
    called, others = _names(package, league), related(package)
    undeclared = tuple(_undeclared(called, operation.functions))
    if others.functions and called.declared is None and not details_of(package).entry:
        called = replace(called, declared=author_text(package))
    if others.declarations:
        called = replace(called, declared="\n".join((called.declared or "", *others.declarations)))
    functions = (*operation.functions, *others.functions)
    table = ", ".join(f'"{each}"' for each in (operation.name, package.primitive,
                                               package.implementation))  # fmt: skip
    return "\n".join(
        [
            "#include <stddef.h>",
            "#include <stdint.h>",
            *(f'#include "{header}"' for header in called.headers),
            '#include "../subject/operation.h"',
            *others.declarations,
            *undeclared,
            *(_caller(one, called) for one in functions),
            "static const struct assay_constant constants[] = {",
            *(_constant(name, called.constants + name) for name in operation.constants),
            "{0, 0}};",
            "static const struct assay_function functions[] = {",
            *map(_entry, functions),
            "{0, 0, 0}};",
            f"const struct {TABLE} {TABLE} = {{{table}, constants, functions}};",
            "",
        ]
    )


def _names(package: Package, league: str) -> _Names:
    details = details_of(package)
    if details.layout == "supercop":
        own = namespace(package, league)
        return _Names((f"{details.operation}.h",), details.operation, f"{own}_")
    if details.functions:
        members = dict(details.functions)
        header = ENTRY if details.entry else API_HEADER
        return _Names((header,), "", "CRYPTO_", members=members, size_lengths=details.size_lengths)
    operation = OPERATIONS[details.operation]
    if details.entry:
        return _Names((ENTRY,), details.operation, "CRYPTO_")
    if details.by_table and operation.table:
        return _by_table(operation, operation.table)
    declared = author_text(package)
    prefix = details.prefix
    return _Names((API_HEADER,), prefix + details.operation, f"{prefix}CRYPTO_", declared)


def _by_table(operation: Api, table: CallTable) -> _Names:
    suffixes = (one.suffix for one in operation.functions)
    members = dict(zip(suffixes, table.members, strict=True))
    return _Names((API_HEADER, table.header), f"{table.name}.", "CRYPTO_", members=members)


def _undeclared(called: _Names, functions: tuple[Function, ...]) -> Iterator[str]:
    """Declare what the author's header does not."""
    for one in functions:
        if called.declared is not None and called.parameters(one) is None:
            yield prototype(one, called.functions + one.suffix)


def _caller(function: Function, called: _Names) -> str:
    """Write the function that takes words."""
    parameters = list(enumerate(function.parameters))
    arguments = [f"({one.type})a[{n}].{_MEMBERS.get(one.way, 'bytes')}" for n, one in parameters]
    before = after = ""
    for n, one in parameters:
        if one.way is Way.LENGTH_OUT and called.is_own_length(function):
            before += f"size_t length{n} = (size_t)*a[{n}].length; "
            arguments[n] = f"&length{n}"
            after += f"*a[{n}].length = length{n}; "
    call = f"{called.call(function, arguments)};"
    call, result = (call, "0") if function.result == "void" else (f"result = {call}", "result")
    body = f"{before}{'long long ' if result == 'result' else ''}{call} {after}return {result};"
    return f"static long long call{function.suffix}(const union assay_word *a) {{ {body} }}"


def _entry(function: Function) -> str:
    letters = "".join(parameter.way.value for parameter in function.parameters)
    return f'{{"{function.suffix}", "{letters}", call{function.suffix}}},'


def _constant(name: str, macro: str) -> str:
    return f'#ifdef {macro}\n{{"{name}", (unsigned long long)({macro})}},\n#endif'
