/* SPDX-License-Identifier: MIT */

/*
 * assay_pieces.h - how `assay wrap` cuts a message where ASSAY_PIECES asks for it: the check
 * lengths/splits compares that with the message in one call. The pieces follow from the message,
 * and src/assay/check/against/compare.py has the same arithmetic, to name them.
 */

#ifndef assay_pieces_h
#define assay_pieces_h

static inline unsigned long assay_first(const unsigned char *in, unsigned long long inlen)
{
    unsigned long state = 0x11c9dc5UL;
    unsigned long long i;

    for (i = 0; i < inlen && i < 4096; ++i)
        state = ((state ^ in[i]) * 0x1000193UL) & 0xffffffffUL;
    return state;
}

static inline unsigned long long assay_piece(unsigned long *state, unsigned long long left)
{
    static const unsigned short below[7] = {1, 2, 8, 17, 65, 130, 300};
    unsigned long drawn;

    *state = (*state * 0x19660dUL + 0x3c6ef35fUL) & 0xffffffffUL;
    drawn = *state >> 13 & 7;
    if (drawn == 7 || (*state >> 16) % below[drawn] > left)
        return left;
    return (*state >> 16) % below[drawn];
}

/* Whether a further piece follows; behind the last byte some have none. */
static inline int assay_more(unsigned long state, unsigned long long left)
{
    return left || state >> 31 & 1;
}

#endif
