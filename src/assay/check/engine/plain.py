# SPDX-License-Identifier: MIT
"""Running a package on the plainest processor of this machine's architecture, in an emulator."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from assay.check.bench import Plain
from assay.check.engine.foundry import Foundry
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import Agent
from assay.execute.opening import open_agent
from assay.model import Target
from assay.targets.catalogue import catalogue

EMULATED = {"amd64": "qemu-amd64"}  # by architecture: the target whose machine is the plainest
SUFFIX = "_plain"


def on_plain_processor(foundry: Foundry, recipe: Recipe) -> Plain | None:
    """Return what launches the package there; None where this machine has no such target.

    MachineError if the emulator is missing, or if the package needs options for a processor.
    """
    stage = foundry.stage
    plainest = EMULATED.get(stage.target.architecture)
    if not stage.target.is_native or plainest is None:
        return None
    (target,) = (one for one in catalogue() if one.name == plainest)

    @contextmanager
    def launched() -> Iterator[Agent]:
        _require(target)
        build = foundry.build(_without_extensions(recipe))
        if not build.ok:
            raise MachineError("it does not build without options for newer processors")
        agent = foundry.admit(build)
        with open_agent(
            Agent, target, agent, stage.jail, patience=stage.fresh_patience()
        ) as opened:
            yield opened

    return launched


def _require(target: Target) -> None:
    if shutil.which(target.emulator) is None:
        raise MachineError(f"{target.emulator} is not here", "apt-get install qemu-user")


def _without_extensions(recipe: Recipe) -> Recipe:
    """Return the recipe without options that choose a processor."""
    configuration = recipe.configuration
    words = (word for word in configuration.arch.split() if not _chooses_processor(word))
    name = configuration.name + SUFFIX
    changed = replace(configuration, arch=" ".join(words), name=name, tag=name)
    return replace(recipe, configuration=changed)


def _chooses_processor(word: str) -> bool:
    return word.startswith("-m") and word not in {"-m64", "-m32"}
