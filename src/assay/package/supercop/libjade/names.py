# SPDX-License-Identifier: MIT
"""What libjade calls functions and constants: `jade_kem_kyber_kyber768_amd64_avx2_keypair`."""

import re
from dataclasses import dataclass

from assay.model.api import Api
from assay.model.operations import OPERATIONS

_DECLARED = re.compile(r"\b(jade_([a-z]{1,20})_\w{1,200})\s*\(", re.ASCII)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w{1,200})[ \t]+(\S[^\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class JadeNames:
    """The names in a header: what stands before those of functions, and of constants.

    `defined` are the macros with their texts.
    """

    operation: Api
    functions: str
    constants: str
    defined: dict[str, str]

    @property
    def machine(self) -> str:
        """Return what the code is for: `amd64`."""
        return self.defined.get(f"{self.constants}_ARCH", "").strip('"')

    @property
    def primitive(self) -> str:
        """Return `kyber768` of `kyber_kyber768_amd64_avx2`, `sha3256` of `sha3_256_amd64_ref`."""
        words = self._words[: len(self._words) - len(self._own)]
        if words and words[-1].startswith(words[0]):
            return words[-1]
        return "".join(words)

    @property
    def implementation(self) -> str:
        """Return `amd64/avx2`."""
        return "/".join(self._own)

    @property
    def _words(self) -> list[str]:
        return self.functions.split("_")[2:]

    @property
    def _own(self) -> list[str]:
        """Return what names the implementation, by the header or else the last two words."""
        told = [self.defined.get(f"{self.constants}_{one}", "") for one in ("ARCH", "IMPL")]
        own = [word for one in told for word in re.split(r"\W+|_", one) if word]
        return own if own and self._words[-len(own) :] == own else self._words[-2:]


def jade_names(code: str) -> JadeNames | None:
    """Return the names that a header without comments declares; None if they are not libjade's."""
    found = [(match[1], match[2]) for match in _DECLARED.finditer(code)]
    declared = {name for name, _ in found}
    for name, word in found:
        operation = OPERATIONS.get(f"crypto_{word}")
        if operation is None:
            continue
        suffixes = [one.suffix for one in operation.functions]
        own = name.removesuffix(suffixes[0])
        if name.endswith(suffixes[0]) and all(own + one in declared for one in suffixes):
            return _with_constants(operation, own, dict(_DEFINED.findall(code)))
    return None


def _with_constants(operation: Api, own: str, defined: dict[str, str]) -> JadeNames:
    """Add what stands before constants: the same name, or one with the operation in capitals."""
    word = operation.name.removeprefix("crypto_")
    capitals = f"JADE_{word.upper()}_{own.removeprefix(f'jade_{word}_')}"
    named = any(name.startswith(f"{capitals}_") for name in defined)
    return JadeNames(operation, own, capitals if named else own, defined)
