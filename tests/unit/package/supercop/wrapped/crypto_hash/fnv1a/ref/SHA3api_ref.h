/* SPDX-License-Identifier: MIT */
/* The names that NIST's SHA-3 competition asked for; lengths are in bits. */
#ifndef SHA3API_REF_H
#define SHA3API_REF_H

typedef unsigned char BitSequence;
typedef unsigned long long DataLength;
typedef enum { SUCCESS = 0, FAIL = 1, BAD_HASHBITLEN = 2 } HashReturn;

typedef struct {
    int hashbitlen;
    unsigned long long sum;
} hashState;

HashReturn Init(hashState *state, int hashbitlen);
HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen);
HashReturn Final(hashState *state, BitSequence *hashval);
HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength databitlen,
                BitSequence *hashval);

#endif
