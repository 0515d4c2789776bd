# SPDX-License-Identifier: MIT
"""Which compiler and options to use: a configuration by name, or a sensible default."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from platform import machine

from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.errors import MachineError, UsageError
from assay.model import Compiler, Configuration, Package
from assay.toolchain.configs import load_configurations
from assay.toolchain.process import in_parallel
from assay.toolchain.remembered import examine
from assay.toolchain.search import cross_prefix
from assay.toolchain.shortlist import SHORTLIST_ONLY, load_shortlist, ordered

DEFAULT_COMMANDS = ("gcc", "clang", "cc", "tcc")
DEFAULT_OPTIONS = "-O2 -fomit-frame-pointer"
DEFAULT_NAME = "default"
NAMED = 6  # configurations that a message lists
X86_32 = ("32-bit x86", "i386")  # as registers tell it, and as a compact hash is called


def default_configuration() -> tuple[Configuration, Compiler]:
    """Take the first compiler that works, with the original framework's default options."""
    for command in DEFAULT_COMMANDS:
        compiler = examine(command)
        if isinstance(compiler, Compiler):
            name = f"{command}_{DEFAULT_NAME}"
            family = compiler.family
            return Configuration(family, command, "", DEFAULT_OPTIONS, name, name), compiler
    raise MachineError("there is no C compiler on the path", "apt-get install gcc")


def fitted(configuration: Configuration, package: Package) -> Configuration:
    """Fit the default configuration to a package of 32-bit assembly; leave a chosen one."""
    needs = package.architecture in X86_32 and machine() == "x86_64"
    if needs and configuration.name.endswith(f"_{DEFAULT_NAME}") and not configuration.arch:
        return replace(configuration, arch="-m32")
    return configuration


def like(recipe: Recipe, package: Package) -> Recipe:
    """Return the recipe of another package that is like one: configuration, target, variant."""
    configuration = recipe.configuration
    if recipe.target.is_native:
        configuration = fitted(configuration, package)
    variant = min(recipe.variant, package.variants)
    return replace(recipe, package=package, configuration=configuration, variant=variant)


def named_configuration(reports: Path, name: str) -> tuple[Configuration, Compiler]:
    """Take a configuration that `configure` wrote, by its file's name or its tag."""
    configuration = _meant(load_configurations(reports), name, reports)
    return configuration, compiler_of(configuration)


def _meant(known: Sequence[Configuration], name: str, reports: Path) -> Configuration:
    """Return the configuration whose file has the name, or the only one that has it for a tag.

    Compilers of one family share tags, whatever their versions.
    """
    plain = name.removesuffix(".mk")
    found = [one for one in known if one.name == plain] or [
        one for one in known if one.tag == name
    ]
    if len(found) == 1:
        return found[0]
    if found:
        names = [one.name for one in found]
        more = len(names) - NAMED
        listed = ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
        raise UsageError(
            f"{len(names)} configurations have the tag {name}", f"Name one of them: {listed}."
        )
    raise UsageError(
        f"there is no configuration {name!r} in {reports / 'configs'}",
        f"There are {len(known)}, such as {known[0].name}." if known else "",
    )


def listed_configurations(
    reports: Path, names: tuple[str, ...], *, shortlist_only: bool
) -> tuple[Configuration, ...]:
    """Order the configurations by the shortlist; leave out the others where the user said so.

    What cross compilers make does not run here, so their configurations are left out.
    """
    everything = load_configurations(reports)
    known = tuple(one for one in everything if not cross_prefix(one.command))
    if names:
        return tuple(dict.fromkeys(_meant(known, name, reports) for name in names))
    if not known:
        raise UsageError(
            f"all configurations in {reports / 'configs'} are of cross compilers",
            "Run `assay configure` again and select a compiler of this machine.",
        )
    ranked = ordered(known, load_shortlist(reports))
    only = shortlist_only or (reports / SHORTLIST_ONLY).exists()
    listed = tuple(one.configuration for one in ranked if one.score or not only)
    return listed or tuple(one.configuration for one in ranked)


def compiler_of(configuration: Configuration) -> Compiler:
    """Find the compiler that a configuration names; MachineError if it has gone."""
    compiler = examine(configuration.command)
    if isinstance(compiler, Compiler):
        return compiler
    raise MachineError(
        f"the compiler {configuration.command} cannot be used: {compiler}",
        "Install it again, or delete the `compilers` file and run `assay configure`.",
    )


def compilers_of(configurations: Iterable[Configuration]) -> dict[str, Compiler]:
    """Find the compilers of many configurations, each once, by command."""
    commands = {one.command: one for one in configurations}
    return dict(zip(commands, in_parallel(compiler_of, commands.values()), strict=True))
