# SPDX-License-Identifier: MIT
"""What calls leave behind: secrets are found, and code that wipes them passes."""

import re

import pytest
from tests.whole.corpus.ciphers import Workbench

from assay.model import CheckResult, Verdict

CHECK = "state/left-behind"
DECLARED = ("goal-wiped", "", "Nothing is left.\n")
MOST = "(?:1[2-6])"  # of 16 bytes: two keys may have some in common
OWN = f"{MOST} of them bytes of the secret itself"
WIPE = (
    "toy.c",
    "static void stir(",
    """static void wipe(void *from, u32 length)
{
    volatile u8 *at = from;

    while (length--)
        at[length] = 0;
}

static void stir(""",
)
WIPES = (
    WIPE,
    ("toy.c", "    ctx->counter++;\n", "    ctx->counter++;\n    wipe(x, sizeof x);\n"),
    (
        "toy.c",
        "        out[i] = (u8)(in[i] ^ stream[i]);\n}",
        "        out[i] = (u8)(in[i] ^ stream[i]);\n    wipe(stream, sizeof stream);\n}",
    ),
)


def examined(
    workbench: Workbench, name: str, *edits: tuple[str, str, str]
) -> dict[str, CheckResult]:
    """Ask the check of a toy with changes."""
    package = workbench.package("sync", name, edits)
    return workbench.examine("sync", package, thorough=False, only=(CHECK,))


def test_code_that_wipes_what_it_computed_passes(workbench: Workbench) -> None:
    """The same toy without the wiping is in the corpus."""
    assert examined(workbench, "wipes", DECLARED, *WIPES)[CHECK].verdict is Verdict.PASS


def test_a_key_that_is_left_is_told_from_what_was_computed_of_it(workbench: Workbench) -> None:
    """A copy of the key on the stack is 16 bytes of the secret itself."""
    copies = (
        "toy.c",
        "    (void)ivsize;\n",
        """    volatile u8 copy[16];

    (void)ivsize;
    for (i = 0; i < 16; i++)
        copy[i] = key[i];
""",
    )
    found = examined(workbench, "copies", DECLARED, *WIPES, copies)[CHECK]
    assert found.verdict is Verdict.FAIL
    assert re.search(f"keysetup, {MOST} bytes depend on a secret, {OWN}", found.reason)


LOOP = "    (void)ivsize;\n    for (i = 0; i < 16; i++)\n        copy[i] = key[i];\n"
ELSEWHERE = {
    "static memory `copy`": f"    static volatile u8 copy[16];\n\n{LOOP}",
    "freed memory": f"""    extern void *malloc(unsigned long);
    extern void free(void *);
    volatile u8 *copy = malloc(64);

{LOOP}    free((void *)copy);
""",
    "general registers": """    (void)ivsize;
    __asm__ volatile("movq (%0), %%r11\\n\\tmovq 8(%0), %%r10"
                     : : "r"(key) : "r10", "r11", "memory");
""",
}


@pytest.mark.parametrize("place", ELSEWHERE)
def test_secrets_are_found_wherever_a_call_may_leave_them(
    workbench: Workbench, place: str
) -> None:
    """Each place is named, with its bytes."""
    name = place.partition(" ")[0]
    edit = ("toy.c", "    (void)ivsize;\n", ELSEWHERE[place])
    found = examined(workbench, name, DECLARED, *WIPES, edit)[CHECK]
    assert found.verdict is Verdict.FAIL
    assert re.search(OWN, found.reason)
    assert f"({place})" in found.reason


def test_nothing_is_asked_of_a_package_that_declares_nothing(workbench: Workbench) -> None:
    """Most code leaves something behind, and promises nothing."""
    assert CHECK not in examined(workbench, "undeclared")
