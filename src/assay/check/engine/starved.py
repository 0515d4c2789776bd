# SPDX-License-Identifier: MIT
"""Linking so that allocations can fail: what the package calls are functions of the harness."""

from dataclasses import replace

from assay.compile.parts import WRAP
from assay.compile.recipe import Recipe

ALLOCATORS = (  # those of harness/agent/allocation.c
    "malloc", "calloc", "realloc", "aligned_alloc", "memalign", "valloc", "posix_memalign",
)  # fmt: skip


def starvable(recipe: Recipe) -> Recipe:
    """Return the recipe linked so."""
    configuration = recipe.configuration
    words = " ".join(f"{WRAP}{name}" for name in ALLOCATORS)
    name = f"{configuration.name}_starved"
    changed = replace(configuration, opt=f"{configuration.opt} {words}", name=name, tag=name)
    return replace(recipe, configuration=changed)
