/* SPDX-License-Identifier: CC0-1.0 */
/*
 * A sealed box: crypto_box (Bernstein, "Cryptography in NaCl") from a key pair made for this
 * one message. The nonce is the start of SHA-512(that public key, the recipient's public key):
 * it binds the box to both, and need not be sent. The same idea, with another hash, is
 * libsodium's crypto_box_seal.
 *
 * A ciphertext is the public key made for it (32 bytes), the tag (16), the encrypted message.
 * A secret key ends with its public key. Outputs may be inputs.
 */
#include <string.h>

#include "crypto_box_curve25519xsalsa20poly1305.h"
#include "crypto_encrypt.h"
#include "crypto_hash_sha512.h"

/* crypto_box wants 32 zero bytes before a message and gives 16 before a box: work at c + 16. */
enum { BEFORE_BOX = 16, BEFORE_MESSAGE = 48 };

int crypto_encrypt_keypair(unsigned char *pk, unsigned char *sk)
{
    if (crypto_box_curve25519xsalsa20poly1305_keypair(pk, sk) != 0)
        return -1;
    memcpy(sk + 32, pk, 32);
    return 0;
}

/* c has room for mlen + 48 bytes. */
int crypto_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                   unsigned long long mlen, const unsigned char *pk)
{
    unsigned char both[64], once[32], nonce[64];

    if (crypto_box_curve25519xsalsa20poly1305_keypair(both, once) != 0)
        return -1;
    memcpy(both + 32, pk, 32);
    crypto_hash_sha512(nonce, both, 64);

    memmove(c + BEFORE_MESSAGE, m, mlen);
    memset(c + BEFORE_BOX, 0, 32);
    if (crypto_box_curve25519xsalsa20poly1305(c + BEFORE_BOX, c + BEFORE_BOX, mlen + 32, nonce,
                                              both + 32, once) != 0)
        return -1;
    memcpy(c, both, 32);
    *clen = mlen + BEFORE_MESSAGE;
    return 0;
}

/*
 * m has room for clen bytes; all of it is work space, what lies behind the message is 0
 * afterwards. Of a refused ciphertext nothing is left: m is 0, the length too.
 */
int crypto_encrypt_open(unsigned char *m, unsigned long long *mlen, const unsigned char *c,
                        unsigned long long clen, const unsigned char *sk)
{
    unsigned char both[64], key[32], nonce[64];

    *mlen = 0;
    if (clen < BEFORE_MESSAGE)
        return -1;
    memcpy(both, c, 32);
    memcpy(both + 32, sk + 32, 32);
    memcpy(key, sk, 32);
    crypto_hash_sha512(nonce, both, 64);

    memmove(m, c, clen);
    memset(m + BEFORE_BOX, 0, 16);
    if (crypto_box_curve25519xsalsa20poly1305_open(m + BEFORE_BOX, m + BEFORE_BOX,
                                                   clen - BEFORE_BOX, nonce, both, key) != 0) {
        memset(m, 0, clen);
        return -1;
    }
    memmove(m, m + BEFORE_MESSAGE, clen - BEFORE_MESSAGE);
    memset(m + (clen - BEFORE_MESSAGE), 0, BEFORE_MESSAGE);
    *mlen = clen - BEFORE_MESSAGE;
    return 0;
}
