/* SPDX-License-Identifier: MIT */
/*
 * Adapter: a package of the compact hash API, seen as a hash subject.
 *
 * Compiled with -DASSAY_HASH=<identifier> and -DASSAY_HEADER="<identifier>.h".
 * The functions have the API's own order of parameters, so that each compiles to
 * a jump and adds nothing to the stack.
 */
#include ASSAY_HEADER

#include "../subject/hash.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#define CONTEXT JOIN(ASSAY_HASH, _context)

struct alignment {
    char first;
    CONTEXT context; /* where it stands says what alignment it needs */
};

static void init(void *ctx, uint32_t out_bits) { JOIN(ASSAY_HASH, _init)(ctx, (unsigned)out_bits); }

static void update(void *ctx, const uint8_t *data, size_t len) { ASSAY_HASH(ctx, data, len); }

static void finish(void *ctx, uint32_t ub, uint32_t n, uint8_t *dst)
{
    JOIN(ASSAY_HASH, _close)(ctx, (unsigned)ub, (unsigned)n, dst);
}

static const struct assay_hash_subject subject = {
    .api = "compact-hash",
    .name = TEXT(ASSAY_HASH),
    .context_bytes = ASSAY_CONTEXT_BYTES(CONTEXT),
    .context_alignment = offsetof(struct alignment, context),
    .init = init,
    .update = update,
    .close = finish,
};

const struct assay_hash_subject *assay_hash_subject(void) { return &subject; }
