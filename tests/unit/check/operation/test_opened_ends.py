# SPDX-License-Identifier: MIT
"""What `forgeries/ends` says of an AEAD with a secret message number, and of one without message.

The ciphertext is the number, the message and a tag; it is a toy, and as good as any here.
"""

import pytest
from tests.unit.mock.standing import stand_in
from tests.whole.corpus.operations import OperationBench

from assay.check.budget import Budget
from assay.check.operation.session import OperationSession
from assay.check.seal.ends import LONG, _affordable
from assay.execute.agent import Agent
from assay.model import Verdict

API = """#define CRYPTO_KEYBYTES 16
#define CRYPTO_NSECBYTES 4
#define CRYPTO_NPUBBYTES 8
#define CRYPTO_ABYTES 12
#define CRYPTO_NOOVERLAP 1
"""
CODE = """#include <string.h>
#include "crypto_aead.h"
typedef unsigned char uc;
typedef unsigned long long ull;

static ull mixed(ull tag, const uc *in, ull length)
{
    ull i;

    for (i = 0; i < length; ++i) {
        tag = (tag ^ in[i]) * 0x100000001b3ULL;
        tag ^= tag >> 29;
    }
    return (tag ^ length) * 0x9e3779b97f4a7c15ULL;
}

static ull tag_of(const uc *c, ull length, const uc *ad, ull adlen, const uc *npub, const uc *k)
{
    return mixed(mixed(mixed(mixed(1, k, 16), npub, 8), ad, adlen), c, length);
}

int crypto_aead_encrypt(uc *c, ull *clen, const uc *m, ull mlen, const uc *ad, ull adlen,
                        const uc *nsec, const uc *npub, const uc *k)
{
    ull i, tag;

    for (i = 0; i < mlen; ++i)
        c[4 + i] = m[i] ^ k[i % 16];
    memcpy(c, nsec, 4);
    tag = tag_of(c, 4 + mlen, ad, adlen, npub, k);
    memcpy(c + 4 + mlen, &tag, 8);
    *clen = mlen + 12;
    return 0;
}

int crypto_aead_decrypt(uc *m, ull *mlen, uc *nsec, const uc *c, ull clen, const uc *ad, ull adlen,
                        const uc *npub, const uc *k)
{
    ull i, tag;

    if (clen < 12)
        return -1;
    tag = tag_of(c, clen - 8, ad, adlen, npub, k);
    if (memcmp(c + clen - 8, &tag, 8) != 0)
        return -1;
    *mlen = OPENED;
    for (i = 0; i < *mlen; ++i)
        m[i] = c[4 + i] ^ k[i % 16];
    memcpy(nsec, c, 4);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("opened", "verdict"),
    [("clen - 12", Verdict.PASS), ("0", Verdict.FAIL), ("(clen - 12) / 16 * 16", Verdict.FAIL)],
)
def test_the_message_and_not_the_secret_number_must_come_out(
    operation_bench: OperationBench, opened: str, verdict: Verdict
) -> None:
    """The number is another output; and a message that is left out is not opened."""
    files = {"api.h": API, "aead.c": CODE.replace("OPENED", opened)}
    package = operation_bench.written("crypto_aead/toy/ref", files)
    assert operation_bench.verdict(package, "forgeries/ends") is verdict


@pytest.mark.parametrize(("seconds_per_byte", "tried"), [(1e-7, 3), (3e-6, 1), (1e-3, 0)])
def test_slow_code_is_given_a_long_message_only_if_there_is_time_for_it(
    monkeypatch: pytest.MonkeyPatch, seconds_per_byte: float, tried: int
) -> None:
    """A cipher of 4 kB/s took a minute for the three of 64 KiB, within half a second."""
    monkeypatch.setattr("assay.check.budget.time.monotonic", lambda: 0.0)  # groups stay large
    worked = [0.0]
    agent = stand_in(Agent, closed=False, processor_seconds=lambda: worked[0])
    session = stand_in(OperationSession, agent=agent, settle=lambda: None)
    budget, asked = Budget(0.5), []
    for length in _affordable(session, budget, [*range(82), 1000, *LONG]):
        asked.append(length)
        worked[0] += seconds_per_byte * length
    assert sum(length in LONG for length in asked) == tried
    assert budget.asked + budget.left_out == 83 + len(LONG)
