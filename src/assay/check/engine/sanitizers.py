# SPDX-License-Identifier: MIT
"""Compiling for sanitizers: with source lines, and with checks between the instructions.

Left out are two sorts of undefined behaviour that compilers here define: words at odd
addresses, which the API of eSTREAM allows and `buffers/alignment` looks at, and bits that a
left shift of a signed number moves into or over its sign.
"""

from dataclasses import replace

from assay.compile.recipe import Recipe

ADDRESS = "-g -fno-var-tracking -fno-omit-frame-pointer -fsanitize=address,undefined"
ALLOWED = " -fno-sanitize=alignment,shift-base,function,vptr"
ALLOWED_GCC = " -fno-sanitize=alignment,shift-base,vptr"
THREAD = "-g -fno-var-tracking -fsanitize=thread"


def sanitized(recipe: Recipe, *, threads: bool) -> Recipe:
    """Return the recipe with sanitizers; of threads it is another one than of memory."""
    configuration = recipe.configuration
    allowed = ALLOWED_GCC if recipe.compiler.family == "gcc" else ALLOWED
    options = THREAD if threads else ADDRESS + allowed
    name = configuration.name + ("_threads" if threads else "_sanitized")
    changed = replace(configuration, opt=f"{configuration.opt} {options}", name=name, tag=name)
    return replace(recipe, configuration=changed)
