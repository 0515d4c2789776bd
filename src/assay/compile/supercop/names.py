# SPDX-License-Identifier: MIT
"""The names that SUPERCOP gives: of namespaces, leagues and ABIs."""

from platform import machine

from assay.model import GOALS, Configuration, OperationDetails, Package, Target
from assay.package.text import identifier
from assay.targets.architectures import abi_word

CONSTANT_TIME, TIMING_LEAKS = "constbranchindex", "timingleaks"


def details_of(package: Package) -> OperationDetails:
    """Return what only packages of this API have."""
    if package.details is None:
        raise ValueError(f"{package.selector} is no package of the SUPERCOP API")
    return package.details


def primitive_name(package: Package) -> str:
    """Name the primitive as headers do: `crypto_hash_sha256`, `crypto_aead_aes_gcm`."""
    return identifier(f"{details_of(package).operation}_{package.primitive}")


def namespace(package: Package, league: str) -> str:
    """Return the prefix of an implementation's symbols: `crypto_hash_sha256_ref_timingleaks`."""
    return identifier(f"{package.selector}/{league}")


def old_namespace(package: Package) -> str:
    """Return that prefix as it was before there were leagues: `crypto_hash_sha256_ref`."""
    return identifier(package.selector)


def claims_constant_time(package: Package) -> bool:
    """Return whether the package itself declares both goals."""
    return package.goals >= GOALS


def abi_of(configuration: Configuration, target: Target) -> str:
    """Return SUPERCOP's word for the ABI that a configuration compiles for."""
    if not target.is_native:
        return abi_word(target.architecture)
    return native_abi(configuration.arch.split())


def native_abi(options: list[str]) -> str:
    """Return SUPERCOP's word for this machine's ABI under the given options."""
    if "-m32" in options and machine() == "x86_64":
        return "x86"
    return abi_word(machine())


def fits_abi(package: Package, abi: str) -> bool:
    """Return whether the package's file `architectures` allows the ABI."""
    allowed = details_of(package).architectures
    return not allowed or abi in allowed
