/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA3api_ref.h - the interface of the SHA-3 competition.
 *
 * A submission changes the places that are marked [edit].
 */
#ifndef SHA3API_REF_H
#define SHA3API_REF_H

typedef unsigned char BitSequence;
typedef unsigned long long DataLength; /* a number of bits */
typedef enum { SUCCESS = 0, FAIL = 1, BAD_HASHBITLEN = 2 } HashReturn;

/* [edit] whatever must be remembered from call to call */
typedef struct {
    int hashbitlen;
} hashState;

/* Begins a message, whatever *state held; BAD_HASHBITLEN for a size that there is not. */
HashReturn Init(hashState *state, int hashbitlen);

/*
 * Takes databitlen further bits. Only in the last call of a message need they not be whole bytes;
 * the bits of the last byte are its upper ones.
 */
HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen);

/* Ends the message and writes hashbitlen / 8 bytes to hashval. */
HashReturn Final(hashState *state, BitSequence *hashval);

/* Does all of it: Init, Update and Final. */
HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength databitlen,
                BitSequence *hashval);

#endif
