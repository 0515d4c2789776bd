/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-3 (FIPS 202) in the API of the SHA-3 competition: SHA3-224, SHA3-256, SHA3-384 and
 * SHA3-512. FIPS 202 counts the bits of a byte from the lowest, and whole bytes are taken so;
 * of a last byte that is not whole the first bit is the highest, as the API has it.
 */
#ifndef SHA3API_REF_H
#define SHA3API_REF_H

typedef unsigned char BitSequence;
typedef unsigned long long DataLength; /* a number of bits */
typedef enum { SUCCESS = 0, FAIL = 1, BAD_HASHBITLEN = 2 } HashReturn;

typedef struct {
    unsigned long long lane[25];
    unsigned hashbitlen, rate, fill; /* rate and fill in bytes */
    unsigned bits, last; /* what ended inside a byte, and how many bits of it count */
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
