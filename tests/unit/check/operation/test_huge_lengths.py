# SPDX-License-Identifier: MIT
"""What `lengths/beyond-2-gib` and `-4-gib` say of functions that return early, or rightly."""

import pytest
from tests.whole.corpus.operations import OperationBench

from assay.check.depth import Extent
from assay.check.engine.workshop import open_workshop
from assay.check.lengths.beyond_4_gib import LongCall
from assay.check.routine import Routine, Step, Variable, symbol
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import Verdict
from assay.model.api import Role, Way
from assay.plan.choice import target_configuration
from assay.targets.catalogue import catalogue, choose, look_for

CHECK = "lengths/beyond-2-gib"

API = "#define CRYPTO_BYTES 1\n"
CODE = """#include "api.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{{
    unsigned long long i;

    out[0] = (unsigned char)inlen;
    if (inlen > 1ULL << 30)
        return {returned};
    for (i = 0; i < inlen; ++i)
        out[0] ^= in[i];
    return 0;
}}
"""


@pytest.mark.parametrize(("returned", "verdict"), [(0, Verdict.FAIL), (-3, Verdict.PASS)])
def test_a_huge_message_may_be_refused_and_not_be_left_out(
    operation_bench: OperationBench, returned: int, verdict: Verdict
) -> None:
    """Code that allocates a copy says so when there is no memory; success would be a lie."""
    files = {"api.h": API, "hash.c": CODE.format(returned=returned)}
    package = operation_bench.written("crypto_hash/toy/ref", files)
    assert operation_bench.verdict(package, "lengths/beyond-2-gib") is verdict


SIZED = """#include <stddef.h>
#include "api.h"
static void sum(unsigned char *out, const unsigned char *in, size_t length)
{
    *out = (unsigned char)length;
    while (length--)
        *out ^= *in++;
}
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    sum(out, in, inlen);
    return 0;
}
"""


def test_lengths_that_no_memory_holds_are_not_asked(operation_bench: OperationBench) -> None:
    """A function with a `size_t`, as wrapped ones have, failed on machines of 32 bits."""
    package = operation_bench.written("crypto_hash/toy/ref", {"api.h": API, "hash.c": SIZED})
    (target,) = choose(["qemu-mips"], catalogue())
    if not look_for(target).ok:
        pytest.skip(look_for(target).reason)
    recipe = Recipe(package, 1, *target_configuration(target, "-O2", "gcc"), target)
    with open_workshop(strongest_jail(), target=target) as workshop:
        patient = workshop.patient(recipe)
        found = patient.examine(recipe, workshop.build(recipe), Extent(only=(CHECK,))).checks
    assert [one.verdict for one in found if one.check == CHECK] == [Verdict.PASS]


@pytest.mark.parametrize(
    ("own", "as_much"), [((), True), ((5000,), False)], ids=["crypto_stream_xor", "crypto_xof"]
)
def test_an_output_with_a_length_of_its_own_does_not_grow_with_the_message(
    own: tuple[int, ...], *, as_much: bool
) -> None:
    """A long output of SHAKE256 beside a short message was taken for one that must fault."""
    variables = {
        "out": Variable(Role.CIPHERTEXT, Way.OUT, 5000),
        "in": Variable(Role.MESSAGE, Way.IN, 77),
    }
    step = Step("call", 0, (symbol("out"), *own, symbol("in"), 77))
    assert LongCall(Routine("call", variables, (step,)), "in").writes_as_much is as_much
