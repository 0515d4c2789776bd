# SPDX-License-Identifier: MIT
"""The architectures and their many names, read from architectures.toml."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct


class Family(Struct, frozen=True):
    """What assembly is for; `within` names the wider family whose registers it shares."""

    name: str
    registers: re.Pattern[str]
    architectures: tuple[str, ...]
    within: str = ""


class Architecture(Struct, frozen=True):
    """What an architecture is called by others; empty where they say as Assay does.

    Packages for an ABI that is called as one of `beside` may be for it, too. `early` is a
    processor of it that multiplies small numbers faster than large ones.
    """

    name: str
    machines: tuple[str, ...] = ()
    abi: str = ""
    pqclean: str = ""
    valgrind: str = ""
    beside: tuple[str, ...] = ()
    early: str = ""


@cache
def families() -> tuple[Family, ...]:
    """Return the families in the order in which assembly is told apart."""
    return tuple(
        Family(
            one["name"],
            re.compile(one["registers"]),
            tuple(one["architectures"]),
            one.get("within", ""),
        )
        for one in _described()["family"]
    )


def architectures_of(family: str) -> tuple[str, ...]:
    """Name the architectures of a family; one that is none is an architecture itself."""
    found = (one.architectures for one in families() if one.name == family)
    return next(found, (family,))


def of_machine(machine: str) -> Architecture:
    """Return the architecture that kernels, or Assay, call so."""
    known = (one for one in _architectures() if machine in (one.name, *one.machines))
    return next(known, Architecture(machine))


def traces_divisions(architecture: str) -> bool:
    """Return whether its traces have the operands of divisions, if the processor divides."""
    return architecture in _described()["traced-divisions"]


def instructions(architecture: str, kind: str) -> str | None:
    """Return what objdump calls instructions that are made visible; None if nobody says.

    It is a regular expression; empty if the architecture has none of the kind.
    """
    described = _described()["instructions"]
    mine = next((one for one in described if architecture in one["architectures"]), None)
    return None if mine is None else mine.get(kind)


@cache
def abi_word(machine: str) -> str:
    """Return SUPERCOP's word for the ABI of a machine or an architecture."""
    return of_machine(machine).abi or machine


def abi_of_pqclean(word: str) -> str:
    """Return SUPERCOP's word for what PQClean calls an architecture."""
    return next((one.abi or one.name for one in _architectures() if word == one.pqclean), word)


@cache
def _architectures() -> tuple[Architecture, ...]:
    described = _described()["architecture"].items()
    return tuple(_architecture(name, more) for name, more in described)


def _architecture(name: str, described: dict[str, Any]) -> Architecture:
    values: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in described.items()
    }
    return Architecture(name, **values)


@cache
def _described() -> dict[str, Any]:
    text = resources.files("assay.targets").joinpath("architectures.toml").read_text("utf-8")
    return tomllib.loads(text)
