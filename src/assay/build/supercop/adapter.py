# SPDX-License-Identifier: MIT
"""The adapter of a package of the SUPERCOP API: its functions and constants as a table.

Every function gets a caller that takes its arguments as words, so that the agent can
call all of them in one way (harness/subject/operation.h).
"""

from assay.build.supercop.names import details_of, namespace
from assay.model import Package
from assay.model.operations import OPERATIONS, OperationFunction, Way

TABLE = "assay_operation_subject"
_MEMBERS = {Way.LENGTH: "number", Way.LENGTH_OUT: "length"}


def adapter(package: Package, league: str) -> str:
    """Write the adapter's C."""
    details = details_of(package)
    operation = OPERATIONS[details.operation]
    own = namespace(package, league)
    callers = [_caller(one, details.operation) for one in operation.functions]
    entries = [_entry(one) for one in operation.functions]
    constants = [_constant(name, f"{own}_{name}") for name in operation.constants]
    names = ", ".join(f'"{each}"' for each in (operation.name, package.primitive,
                                               package.implementation))  # fmt: skip
    return "\n".join(
        [
            f'#include "{details.operation}.h"',
            '#include "../subject/operation.h"',
            *callers,
            "static const struct assay_constant constants[] = {",
            *constants,
            "{0, 0}};",
            "static const struct assay_function functions[] = {",
            *entries,
            "{0, 0, 0}};",
            f"const struct {TABLE} {TABLE} = {{{names}, constants, functions}};",
            "",
        ]
    )


def _caller(function: OperationFunction, operation: str) -> str:
    arguments = ", ".join(
        f"({parameter.type})a[{number}].{_MEMBERS.get(parameter.way, 'bytes')}"
        for number, parameter in enumerate(function.parameters)
    )
    call = f"{operation}{function.suffix}({arguments})"
    body = f"{call}; return 0;" if function.result == "void" else f"return {call};"
    return f"static long long call{function.suffix}(const union assay_word *a) {{ {body} }}"


def _entry(function: OperationFunction) -> str:
    letters = "".join(parameter.way.value for parameter in function.parameters)
    return f'{{"{function.suffix}", "{letters}", call{function.suffix}}},'


def _constant(name: str, macro: str) -> str:
    return f'#ifdef {macro}\n{{"{name}", (unsigned long long)({macro})}},\n#endif'
