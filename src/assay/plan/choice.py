# SPDX-License-Identifier: MIT
"""Which compiler and options to use: by name, or a sensible default, here or on a target."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from platform import machine

from msgspec.structs import replace

from assay.compile.recipe import Recipe
from assay.errors import MachineError, UsageError
from assay.model import NATIVE_NAME, Compiler, Configuration, Package, Target
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
DEFAULT_LEVEL = "-O2"
CLANG = "clang"
FOREIGN_LEVELS = ("-O2", "-O3", "-Os")
# What gcc alone takes; clang does the same without being told.
GCC_ONLY = frozenset({"-mthumb-interwork", "-mabi=32", "-mlittle-endian", "-mbig-endian"})


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


def target_configuration(
    target: Target, options: str = DEFAULT_LEVEL, family: str = "gcc"
) -> tuple[Configuration, Compiler]:
    """Return a configuration for a target and its compiler.

    On this machine without further wishes it is the usual default. MachineError if the
    compiler is not there.
    """
    if target.name == NATIVE_NAME and (options, family) == (DEFAULT_LEVEL, "gcc"):
        return default_configuration()
    clang = family == CLANG
    command = CLANG if clang else target.compiler
    arch = " ".join(_clang_options(target) if clang else target.options)
    name = "_".join((command, target.name, options.replace(" ", "").lstrip("-")))
    configuration = Configuration(family, command, arch, options, name, name)
    return configuration, compiler_of(configuration)


def foreign_configurations(target: Target) -> tuple[tuple[Configuration, Compiler], ...]:
    """Return a target's compilers with a few levels, each level with all compilers."""
    return tuple(
        target_configuration(target, level, family)
        for level in FOREIGN_LEVELS
        for family in families(target)
    )


def families(target: Target) -> Iterator[str]:
    """Name the compilers that can make code for the target here."""
    if shutil.which(target.compiler):
        yield "gcc"
    if (target.clang_triple or target.is_native) and shutil.which(CLANG):
        yield CLANG


def made_for_target(
    recipe: Recipe, compilers: Iterable[Compiler]
) -> Iterator[tuple[Recipe, Compiler]]:
    """Yield a target's recipe with its own gcc if one of them is a gcc, and with each clang.

    A clang makes code for all targets of which it is known what it calls them.
    """
    asked = tuple(compilers)
    if any(one.family != CLANG for one in asked):
        yield recipe, recipe.compiler
    arch = " ".join(_clang_options(recipe.target))
    changed = replace(recipe, configuration=replace(recipe.configuration, arch=arch))
    if recipe.target.clang_triple:
        yield from ((changed, one) for one in asked if one.family == CLANG)


def _clang_options(target: Target) -> tuple[str, ...]:
    if target.is_native:
        return ()
    kept = tuple(option for option in target.options if option not in GCC_ONLY)
    return (f"--target={target.clang_triple}", *kept)
