# SPDX-License-Identifier: MIT
"""The same code at other addresses: an agent linked again, in another order and with gaps.

Where code lies moves figures (Mytkowicz and others, ASPLOS 2009; Curtsinger and Berger,
"Stabilizer", ASPLOS 2013), so the launches of one machine code are spread over several
layouts. Nothing is compiled anew: a layout has the objects of the agent in random order
between two gaps of random size, which move the code within and across pages.
"""

from pathlib import Path
from random import Random

from assay.compile.files import copied, is_kept, is_regular, key_of, object_hash, place
from assay.compile.linking import link_agent, own_harness
from assay.compile.parts import link_command
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.command import run_jailed
from assay.execute.jail import COMPILE_LIMITS, Jail
from assay.execute.staging import hand_over, staged_folder
from assay.machine.cache import cache_folder
from assay.model import Build

GAP_STEP_BYTES = 16  # the alignment that functions keep anyway
MOST_GAP_BYTES = 16 * 1024  # four pages
KINDS = ("stream", "hash")  # an operation's one object is linked with libraries of its own
GAP = '__asm__(".text\\n\\t.globl {name}\\n\\t{name}:\\n\\t.skip {size}\\n");\n'


def layouts(recipe: Recipe, build: Build, jail: Jail, count: int) -> tuple[Path, ...]:
    """Link `count` further layouts of a built agent, beside it; fewer if the linker refuses.

    Layout n is the same whenever it is linked. What there is already is not linked again.
    """
    if build.agent is None or not recipe.target.is_native or recipe.package.kind not in KINDS:
        return ()
    found = []
    for number in range(1, count + 1):
        to = build.agent.with_name(f"{build.agent.name}-layout{number}")
        if not is_kept(to) and not _link(recipe, build, jail, number, to):
            break
        found.append(to)
    return tuple(found)


def _link(recipe: Recipe, build: Build, jail: Jail, number: int, to: Path) -> bool:
    """Link one layout; whether that went well."""
    adapters = cache_folder() / "adapters" / recipe.adapter_key
    own = tuple(adapters / name for name in recipe.adapters)
    try:
        harness = own_harness(recipe)
    except MachineError:
        return False
    if not all(path.is_file() for path in (*own, *build.objects)):
        return False
    command = link_command(recipe.compiler, recipe.arch, recipe.target)
    with staged_folder("assay-layout-") as home:
        checked = copied((*build.objects, *own), home)
        if object_hash(checked) != build.object_hash:
            return False
        parts = [*checked, *copied(harness, home)]
        gaps = _gaps(recipe, command, number, home, jail)
        hand_over(home)
        ordered = arranged([str(path) for path in parts], number, gaps)
        line = [*command, *filter(None, ordered), *recipe.target.link]
        return link_agent(recipe, line, home, jail, to).ok


def arranged(parts: list[str], number: int, gaps: tuple[str, str]) -> list[str]:
    """Return the order of layout `number`: one gap first, the other somewhere between."""
    random = Random(f"order {number}")
    ordered = random.sample(parts, len(parts))
    ordered.insert(random.randrange(1, len(ordered) + 1), gaps[1])
    return [gaps[0], *ordered]


def gap_sizes(number: int) -> tuple[int, int]:
    """Return the sizes of layout `number`'s gaps, in bytes."""
    random = Random(f"gaps {number}")
    first, second = (random.randrange(0, MOST_GAP_BYTES, GAP_STEP_BYTES) for _ in range(2))
    return first, second


def _gaps(
    recipe: Recipe, command: list[str], number: int, home: Path, jail: Jail
) -> tuple[str, str]:
    """Return the objects of both gaps in `home`, compiled once for all; nothing calls them."""
    if recipe.compiler.is_tcc:  # its sections in assembly do not stay where they are put
        return "", ""
    key = key_of(recipe.compiler.identity, *command, *map(str, gap_sizes(number)))
    kept = cache_folder() / "gaps" / key
    names = ("gap0.o", "gap1.o")
    if not all((kept / name).is_file() for name in names):
        kept.mkdir(parents=True, exist_ok=True)
        _compile_gaps(command, number, home, jail)
        for name in names:
            if not is_regular(home / name):
                return "", ""
            place(home / name, kept / name, mode=0o644)
    first, second = copied(tuple(kept / name for name in names), home)
    return str(first), str(second)


def _compile_gaps(command: list[str], number: int, home: Path, jail: Jail) -> None:
    for which, size in enumerate(gap_sizes(number)):
        source = home / f"gap{which}.c"
        source.write_text(GAP.format(name=f"assay_gap_{which}", size=size))
    hand_over(home)
    run_jailed([*command, "-c", "gap0.c", "gap1.c"], home, jail, COMPILE_LIMITS)
