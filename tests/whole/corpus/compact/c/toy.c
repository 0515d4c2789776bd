/* SPDX-License-Identifier: MIT */
/* A hash that is honest about nothing but its interface: see tests/whole/corpus/compact.toml. */
#include "toy.h"

static const unsigned char steps[4] = {0x55, 0x55, 0x55, 0x55};

static toy_u32 absorb(toy_u32 h, unsigned byte)
{
    h &= 0xFFFFFFFF;
    return ((((h << 7) | (h >> 25)) ^ byte) + steps[byte & 3]) & 0xFFFFFFFF;
}

void toy_init(toy_context *cc, unsigned out_size)
{
    cc->h = 0x243F6A88;
    cc->bits = out_size;
}

void toy(toy_context *cc, const void *data, size_t len)
{
    const unsigned char *from = data;
    toy_u32 h = cc->h;

    for (; len; len--)
        h = absorb(h, *from++);
    cc->h = h;
}

void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst)
{
    unsigned char *to = dst;
    unsigned mark = 0x80u >> n;
    toy_u32 h, left;

    h = absorb(cc->h, (ub | mark) & (0u - mark) & 0xFF);
    for (left = cc->bits / 8; left; left--) {
        h = absorb(h, 0);
        *to++ = (unsigned char)h;
    }
}
