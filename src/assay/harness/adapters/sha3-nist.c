/* SPDX-License-Identifier: MIT */
/*
 * Adapter: a package of the SHA-3 competition's API, seen as a hash subject.
 *
 * Compiled with -DASSAY_HEADER="<the package's header>". What the functions return is
 * collected without a branch: it may depend on what valgrind takes for a secret.
 */
#include ASSAY_HEADER

#include "../subject/hash.h"

struct alignment {
    char first;
    hashState state; /* where it stands says what alignment it needs */
};

static volatile uint32_t results;

static void note(HashReturn result) { results |= (uint32_t)result ^ (uint32_t)SUCCESS; }

static uint32_t refused(void)
{
    uint32_t all = results;

    results = 0;
    return all;
}

static void init(void *ctx, uint32_t out_bits) { note(Init(ctx, (int)out_bits)); }

static void update(void *ctx, const uint8_t *data, size_t len)
{
    note(Update(ctx, data, (DataLength)len * 8));
}

/* The last bits come in a call of their own: only the last one may have no whole bytes. */
static void finish_bits(void *ctx, uint32_t ub, uint32_t n, uint8_t *dst)
{
    BitSequence last = (BitSequence)ub;

    note(Update(ctx, &last, (DataLength)n));
    note(Final(ctx, dst));
}

static void finish(void *ctx, uint32_t ub, uint32_t n, uint8_t *dst)
{
    if (n)
        finish_bits(ctx, ub, n, dst);
    else
        note(Final(ctx, dst));
}

static void hash(uint32_t out_bits, const uint8_t *data, uint64_t bits, uint8_t *dst)
{
    note(Hash((int)out_bits, data, (DataLength)bits, dst));
}

static const struct assay_hash_subject subject = {
    .api = "sha3-nist",
    .name = "Hash",
    .context_bytes = ASSAY_CONTEXT_BYTES(hashState),
    .context_alignment = offsetof(struct alignment, state),
    .init = init,
    .update = update,
    .close = finish,
    .refused = refused,
    .hash = hash,
};

const struct assay_hash_subject *assay_hash_subject(void) { return &subject; }
