/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "api.h"
#include "randombytes.h"

static void secret(uint8_t *ss, const uint8_t *ct, const uint8_t *key)
{
    uint64_t s = 0xCBF29CE484222325;
    int i;

    for (i = 0; i < 128; i++) {
        s = (s ^ ct[i % 32] ^ (uint64_t)key[i % 32] << 8) * 0x100000001B3;
        s ^= s >> 31;
        if (i >= 96)
            ss[i - 96] = (uint8_t)(s >> 24);
    }
}

static void hide(uint8_t *out, const uint8_t *in)
{
    static const uint8_t label[32] = "what everybody may see";

    secret(out, label, in);
}

int PQCLEAN_TOY_CLEAN_crypto_kem_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins)
{
    memcpy(sk, coins, 32);
    hide(pk, sk);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_kem_keypair(uint8_t *pk, uint8_t *sk)
{
    uint8_t coins[32];

    if (randombytes(coins, 32) != 0)
        return -1;
    return PQCLEAN_TOY_CLEAN_crypto_kem_keypair_derand(pk, sk, coins);
}

int PQCLEAN_TOY_CLEAN_crypto_kem_enc_derand(uint8_t *ct, uint8_t *ss, const uint8_t *pk,
                                            const uint8_t *coins)
{
    hide(ct, coins);
    secret(ss, ct, pk);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_kem_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk)
{
    uint8_t coins[32];

    if (randombytes(coins, 32) != 0)
        return -1;
    hide(ct, coins);
    secret(ss, ct, pk);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_kem_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk)
{
    uint8_t pk[32];

    hide(pk, sk);
    secret(ss, ct, pk);
    return 0;
}

int PQCLEAN_TOY_CLEAN_crypto_kem_checksum(const uint8_t *pk)
{
    return pk[0];
}
