# SPDX-License-Identifier: MIT
"""Compiling for valgrind: with source lines, and without instructions that it does not know."""

from dataclasses import replace
from platform import machine

from assay.compile.recipe import Recipe
from assay.compile.visible import Visible, options
from assay.model import PackageKind
from assay.targets.architectures import of_machine

NATIVE = ("-march=native", "-mtune=native", "-mcpu=native")
# What valgrind 3.19 does not know, of the levels that stand in for `native`.
NEWER = ("-march=x86-64-v4", "-mavx512", "-mamx", "-msha", "-mvaes", "-mvpclmulqdq", "-mgfni")
SUFFIX = "_valgrind"
# Where variables are is not asked, and takes most of the time; valgrind 3.19 ends at version 5.
LINES = "-g -gdwarf-4 -fno-var-tracking"


def known_to_valgrind(recipe: Recipe, visible: Visible = Visible.PLAIN) -> Recipe:
    """Return the recipe with options that valgrind can follow, and source lines.

    What is made visible, too, is so for amd64 alone.
    """
    configuration = recipe.configuration
    words = [word for word in configuration.arch.split() if not word.startswith((*NATIVE, *NEWER))]
    if len(words) < len(configuration.arch.split()):
        words += of_machine(machine()).valgrind.split()
    arch = " ".join(words)
    name, opt = configuration.name + SUFFIX, f"{configuration.opt} {LINES}"
    if visible:
        inside = recipe.package.kind == PackageKind.OPERATION
        opt += f" {options(visible, recipe.compiler.family, inside_package=inside)}"
        name += f"_{visible}"
    changed = replace(configuration, arch=arch, opt=opt, name=name, tag=name)
    return replace(recipe, configuration=changed)
