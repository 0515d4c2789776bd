# SPDX-License-Identifier: MIT
"""Assembly from before SUPERCOP had leagues: its functions have names without a suffix.

`crypto_hash_cubehash512_amd64_32` is what later versions call
`crypto_hash_cubehash512_amd64_32_timingleaks`. C gets its names from generated headers,
and assembly that names them itself is known by its directives.
"""

import re

from assay.compile.supercop.names import details_of, old_namespace
from assay.model import Package
from assay.model.operations import OPERATIONS
from assay.package.text import code_of, read_text

ASSEMBLY = (".s", ".S")
_GLOBAL = re.compile(r"\.glob(?:a)?l[ \t]+(\w+)")


def old_symbols(package: Package, own: str) -> dict[str, dict[str, str]]:
    """State which of the API's functions each source in assembly has under an old name.

    Nothing is renamed where any source has the new name `own`.
    """
    sources = (name for name in package.sources if name.endswith(ASSEMBLY))
    found = {name: _globals(package, name) for name in sources}
    operation, old = OPERATIONS[details_of(package).operation], old_namespace(package)
    suffixes = [one.suffix for one in (*operation.functions, *operation.optional)]
    everywhere = {symbol for symbols in found.values() for symbol in symbols}
    wanted = {old + one: own + one for one in suffixes if own + one not in everywhere}
    renamed = {
        name: {symbol: wanted[symbol] for symbol in sorted(symbols & wanted.keys())}
        for name, symbols in found.items()
    }
    return {name: symbols for name, symbols in renamed.items() if symbols}


def _globals(package: Package, name: str) -> set[str]:
    return set(_GLOBAL.findall(code_of(read_text(package.root / name))))
