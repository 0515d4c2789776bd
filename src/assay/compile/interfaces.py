# SPDX-License-Identifier: MIT
"""What of the harness each API needs: the parts that are compiled against its header."""

from dataclasses import dataclass
from pathlib import PurePath

from assay.model import Package


@dataclass(frozen=True, slots=True)
class Interface:
    """How an API becomes its kind.

    `adapters` are compiled with the package's header, once per compiler and arch
    options: object file -> source below harness/. `folders` of the harness can be
    seen by that and by the package's own sources.
    """

    kind: str
    adapters: dict[str, str]
    folders: tuple[str, ...]


def _ecrypt(api: str) -> Interface:
    adapters = {"adapter.o": f"adapters/{api}.c", "packet.o": f"packet/{api}.c"}
    return Interface("stream", adapters, ("api", "packet", "adapters", "subject"))


INTERFACES = {
    "ecrypt-sync": _ecrypt("ecrypt-sync"),
    "ecrypt-sync-ae": _ecrypt("ecrypt-sync-ae"),
    "ecrypt-ssyn": _ecrypt("ecrypt-ssyn"),
    "compact-hash": Interface(
        "hash", {"adapter.o": "adapters/compact-hash.c"}, ("adapters", "subject")
    ),
}


def package_options(package: Package, variant: int) -> tuple[str, ...]:
    """Give the options that the package's own sources are compiled with."""
    if package.kind == "stream":
        return (*_ecrypt_defines(package, variant), "-Ipackage", "-Iapi")
    return ("-Ipackage",)


def adapter_options(package: Package, variant: int) -> tuple[str, ...]:
    """Give the options that the adapter is compiled with."""
    if package.kind == "stream":
        return (*_ecrypt_defines(package, variant), "-Ipackage", "-Iapi")
    name = PurePath(package.header).stem
    return (f"-DASSAY_HASH={name}", f'-DASSAY_HEADER="{package.header}"', "-Ipackage")


def _ecrypt_defines(package: Package, variant: int) -> tuple[str, ...]:
    return (f"-DECRYPT_API={package.api}.h", f"-DECRYPT_VARIANT={variant}")
