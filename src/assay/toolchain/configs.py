# SPDX-License-Identifier: MIT
"""Configurations: made from compilers and options, kept as `configs/*.mk`."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.errors import UsageError
from assay.model import Configuration
from assay.toolchain.options import name_of, tag_of
from assay.toolchain.probe import Supported
from assay.toolchain.search import cross_prefix

CONFIGS = "configs"
_LINE = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?P<value>.*?)\s*")
_KEYS = frozenset({"tag", "comp", "cc", "arch", "opt"})
_CURE = "Run `assay configure`."


def configurations(compilers: Iterable[Supported]) -> tuple[Configuration, ...]:
    """Combine every compiler with each of its architectures and optimisations.

    Names are unique: where two would be equal on account of the compact
    spelling, the later gets a number.
    """
    taken: set[str] = set()
    made = []
    for plain in _combinations(compilers):
        name = _unique(plain.name, taken)
        taken.add(name)
        made.append(plain if name == plain.name else _renamed(plain, name))
    return tuple(made)


def render_configuration(configuration: Configuration) -> str:
    """Write the six lines of a config file."""
    lines = (
        f"tag = {configuration.tag}",
        f"testobj = _{configuration.tag.rpartition('_')[0]}$(obj)",
        f"comp = {configuration.family}",
        f"cc = {configuration.command}",
        f"arch = {configuration.arch}",
        f"opt = {configuration.opt}",
    )
    return "".join(f"{line}\n" for line in lines)


def read_configuration(path: Path) -> Configuration:
    """Read a config file; its stem is the configuration's name."""
    matches = (_LINE.fullmatch(line) for line in path.read_text(errors="replace").splitlines())
    fields = {match["key"]: match["value"] for match in matches if match}
    if not fields.keys() >= _KEYS or not fields["cc"] or not fields["tag"]:
        wanted = ", ".join(sorted(_KEYS))
        raise UsageError(f"{path} lacks one of the lines {wanted}", _CURE)
    return Configuration(
        family=fields["comp"],
        command=fields["cc"],
        arch=fields["arch"],
        opt=fields["opt"],
        tag=fields["tag"],
        name=path.stem,
    )


def has_configurations(reports: Path) -> bool:
    """Return whether a reports folder has any."""
    return any((reports / CONFIGS).glob("*.mk"))


def load_configurations(reports: Path) -> tuple[Configuration, ...]:
    """Read all configurations of a reports folder, in the order of their names."""
    folder = reports / CONFIGS
    files = sorted(folder.glob("*.mk"))
    if not files:
        raise UsageError(f"there is no configuration in {folder}", "Run `assay configure` first.")
    return tuple(read_configuration(path) for path in files)


def _combinations(compilers: Iterable[Supported]) -> Iterator[Configuration]:
    """Multiply out, with names that may still clash.

    Tags of a cross compiler carry its prefix, so that no shortlist made for
    this machine takes it for a native one.
    """
    for compiler in compilers:
        family = "-".join(filter(None, (cross_prefix(compiler.command), compiler.family)))
        for arch in compiler.archs:
            for opt in compiler.opts:
                yield Configuration(
                    compiler.family,
                    compiler.command,
                    arch,
                    opt,
                    tag_of(family, arch, opt),
                    name_of(compiler.command, arch, opt),
                )


def _unique(name: str, taken: set[str]) -> str:
    """Add a number to a name that is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _renamed(plain: Configuration, name: str) -> Configuration:
    """Return a configuration another name, and a tag with the same number."""
    suffix = name.removeprefix(plain.name)
    return Configuration(
        plain.family, plain.command, plain.arch, plain.opt, plain.tag + suffix, name
    )
