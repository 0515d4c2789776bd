# SPDX-License-Identifier: MIT
"""What of the harness each API needs: the parts that are compiled against its header."""

from dataclasses import dataclass
from pathlib import PurePath

from assay.model import Package, PackageKind
from assay.model.api import STEM, Api
from assay.model.apis import PACKAGED


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


def _interface(api: Api) -> Interface:
    adapters = {f"{part.removesuffix('s')}.o": f"{part}/{api.name}.c" for part in api.parts}
    return Interface(api.kind, adapters, api.sees)


INTERFACES = {name: _interface(api) for name, api in PACKAGED.items()}


def package_options(package: Package, variant: int) -> tuple[str, ...]:
    """Return the options that the package's own sources are compiled with."""
    if package.kind == PackageKind.STREAM:
        return (*_ecrypt_defines(package, variant), "-Ipackage", "-Iapi")
    return ("-Ipackage",)


def adapter_options(package: Package, variant: int) -> tuple[str, ...]:
    """Return the options that the adapter is compiled with."""
    if package.kind == PackageKind.STREAM:
        return (*_ecrypt_defines(package, variant), "-Ipackage", "-Iapi")
    return (*_hash_defines(package), "-Ipackage")


def _hash_defines(package: Package) -> tuple[str, ...]:
    """Name the header, and what its functions begin with where that is the header's name."""
    header, stem = f'-DASSAY_HEADER="{package.header}"', PurePath(package.header).stem
    if STEM not in PACKAGED[package.api].prefix:
        return (header,)
    return (f"-DASSAY_HASH={stem}", header)


def _ecrypt_defines(package: Package, variant: int) -> tuple[str, ...]:
    return (f"-DECRYPT_API={package.api}.h", f"-DECRYPT_VARIANT={variant}")
