/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Groestl-256 by a table: Gauravaram and others: Groestl, a SHA-3 candidate (2011, final round):
 * the hash is section 3.2, the permutations 3.4, the first value 3.5, padding 3.6. A column is
 * a word whose lowest byte is row 0. Addresses depend on the message.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define COLUMNS 8
#define BLOCK 64
#define ROUNDS 10

/* What a byte of row 0 adds to its column, by SubBytes and MixBytes; row i: 8 i bits further. */
static const uint64_t T[256] = {
    0xc6a597f4a5f432c6u, 0xf884eb9784976ff8u, 0xee99c7b099b05eeeu, 0xf68df78c8d8c7af6u,
    0xff0de5170d17e8ffu, 0xd6bdb7dcbddc0ad6u, 0xdeb1a7c8b1c816deu, 0x915439fc54fc6d91u,
    0x6050c0f050f09060u, 0x0203040503050702u, 0xcea987e0a9e02eceu, 0x567dac877d87d156u,
    0xe719d52b192bcce7u, 0xb56271a662a613b5u, 0x4de69a31e6317c4du, 0xec9ac3b59ab559ecu,
    0x8f4505cf45cf408fu, 0x1f9d3ebc9dbca31fu, 0x894009c040c04989u, 0xfa87ef92879268fau,
    0xef15c53f153fd0efu, 0xb2eb7f26eb2694b2u, 0x8ec90740c940ce8eu, 0xfb0bed1d0b1de6fbu,
    0x41ec822fec2f6e41u, 0xb3677da967a91ab3u, 0x5ffdbe1cfd1c435fu, 0x45ea8a25ea256045u,
    0x23bf46dabfdaf923u, 0x53f7a602f7025153u, 0xe496d3a196a145e4u, 0x9b5b2ded5bed769bu,
    0x75c2ea5dc25d2875u, 0xe11cd9241c24c5e1u, 0x3dae7ae9aee9d43du, 0x4c6a98be6abef24cu,
    0x6c5ad8ee5aee826cu, 0x7e41fcc341c3bd7eu, 0xf502f1060206f3f5u, 0x834f1dd14fd15283u,
    0x685cd0e45ce48c68u, 0x51f4a207f4075651u, 0xd134b95c345c8dd1u, 0xf908e9180818e1f9u,
    0xe293dfae93ae4ce2u, 0xab734d9573953eabu, 0x6253c4f553f59762u, 0x2a3f54413f416b2au,
    0x080c10140c141c08u, 0x955231f652f66395u, 0x46658caf65afe946u, 0x9d5e21e25ee27f9du,
    0x3028607828784830u, 0x37a16ef8a1f8cf37u, 0x0a0f14110f111b0au, 0x2fb55ec4b5c4eb2fu,
    0x0e091c1b091b150eu, 0x2436485a365a7e24u, 0x1b9b36b69bb6ad1bu, 0xdf3da5473d4798dfu,
    0xcd26816a266aa7cdu, 0x4e699cbb69bbf54eu, 0x7fcdfe4ccd4c337fu, 0xea9fcfba9fba50eau,
    0x121b242d1b2d3f12u, 0x1d9e3ab99eb9a41du, 0x5874b09c749cc458u, 0x342e68722e724634u,
    0x362d6c772d774136u, 0xdcb2a3cdb2cd11dcu, 0xb4ee7329ee299db4u, 0x5bfbb616fb164d5bu,
    0xa4f65301f601a5a4u, 0x764decd74dd7a176u, 0xb76175a361a314b7u, 0x7dcefa49ce49347du,
    0x527ba48d7b8ddf52u, 0xdd3ea1423e429fddu, 0x5e71bc937193cd5eu, 0x139726a297a2b113u,
    0xa6f55704f504a2a6u, 0xb96869b868b801b9u, 0x0000000000000000u, 0xc12c99742c74b5c1u,
    0x406080a060a0e040u, 0xe31fdd211f21c2e3u, 0x79c8f243c8433a79u, 0xb6ed772ced2c9ab6u,
    0xd4beb3d9bed90dd4u, 0x8d4601ca46ca478du, 0x67d9ce70d9701767u, 0x724be4dd4bddaf72u,
    0x94de3379de79ed94u, 0x98d42b67d467ff98u, 0xb0e87b23e82393b0u, 0x854a11de4ade5b85u,
    0xbb6b6dbd6bbd06bbu, 0xc52a917e2a7ebbc5u, 0x4fe59e34e5347b4fu, 0xed16c13a163ad7edu,
    0x86c51754c554d286u, 0x9ad72f62d762f89au, 0x6655ccff55ff9966u, 0x119422a794a7b611u,
    0x8acf0f4acf4ac08au, 0xe910c9301030d9e9u, 0x0406080a060a0e04u, 0xfe81e798819866feu,
    0xa0f05b0bf00baba0u, 0x7844f0cc44ccb478u, 0x25ba4ad5bad5f025u, 0x4be3963ee33e754bu,
    0xa2f35f0ef30eaca2u, 0x5dfeba19fe19445du, 0x80c01b5bc05bdb80u, 0x058a0a858a858005u,
    0x3fad7eecadecd33fu, 0x21bc42dfbcdffe21u, 0x7048e0d848d8a870u, 0xf104f90c040cfdf1u,
    0x63dfc67adf7a1963u, 0x77c1ee58c1582f77u, 0xaf75459f759f30afu, 0x426384a563a5e742u,
    0x2030405030507020u, 0xe51ad12e1a2ecbe5u, 0xfd0ee1120e12effdu, 0xbf6d65b76db708bfu,
    0x814c19d44cd45581u, 0x1814303c143c2418u, 0x26354c5f355f7926u, 0xc32f9d712f71b2c3u,
    0xbee16738e13886beu, 0x35a26afda2fdc835u, 0x88cc0b4fcc4fc788u, 0x2e395c4b394b652eu,
    0x93573df957f96a93u, 0x55f2aa0df20d5855u, 0xfc82e39d829d61fcu, 0x7a47f4c947c9b37au,
    0xc8ac8befacef27c8u, 0xbae76f32e73288bau, 0x322b647d2b7d4f32u, 0xe695d7a495a442e6u,
    0xc0a09bfba0fb3bc0u, 0x199832b398b3aa19u, 0x9ed12768d168f69eu, 0xa37f5d817f8122a3u,
    0x446688aa66aaee44u, 0x547ea8827e82d654u, 0x3bab76e6abe6dd3bu, 0x0b83169e839e950bu,
    0x8cca0345ca45c98cu, 0xc729957b297bbcc7u, 0x6bd3d66ed36e056bu, 0x283c50443c446c28u,
    0xa779558b798b2ca7u, 0xbce2633de23d81bcu, 0x161d2c271d273116u, 0xad76419a769a37adu,
    0xdb3bad4d3b4d96dbu, 0x6456c8fa56fa9e64u, 0x744ee8d24ed2a674u, 0x141e28221e223614u,
    0x92db3f76db76e492u, 0x0c0a181e0a1e120cu, 0x486c90b46cb4fc48u, 0xb8e46b37e4378fb8u,
    0x9f5d25e75de7789fu, 0xbd6e61b26eb20fbdu, 0x43ef862aef2a6943u, 0xc4a693f1a6f135c4u,
    0x39a872e3a8e3da39u, 0x31a462f7a4f7c631u, 0xd337bd5937598ad3u, 0xf28bff868b8674f2u,
    0xd532b156325683d5u, 0x8b430dc543c54e8bu, 0x6e59dceb59eb856eu, 0xdab7afc2b7c218dau,
    0x018c028f8c8f8e01u, 0xb16479ac64ac1db1u, 0x9cd2236dd26df19cu, 0x49e0923be03b7249u,
    0xd8b4abc7b4c71fd8u, 0xacfa4315fa15b9acu, 0xf307fd090709faf3u, 0xcf25856f256fa0cfu,
    0xcaaf8feaafea20cau, 0xf48ef3898e897df4u, 0x47e98e20e9206747u, 0x1018202818283810u,
    0x6fd5de64d5640b6fu, 0xf088fb83888373f0u, 0x4a6f94b16fb1fb4au, 0x5c72b8967296ca5cu,
    0x3824706c246c5438u, 0x57f1ae08f1085f57u, 0x73c7e652c7522173u, 0x975135f351f36497u,
    0xcb238d652365aecbu, 0xa17c59847c8425a1u, 0xe89ccbbf9cbf57e8u, 0x3e217c6321635d3eu,
    0x96dd377cdd7cea96u, 0x61dcc27fdc7f1e61u, 0x0d861a9186919c0du, 0x0f851e9485949b0fu,
    0xe090dbab90ab4be0u, 0x7c42f8c642c6ba7cu, 0x71c4e257c4572671u, 0xccaa83e5aae529ccu,
    0x90d83b73d873e390u, 0x06050c0f050f0906u, 0xf701f5030103f4f7u, 0x1c12383612362a1cu,
    0xc2a39ffea3fe3cc2u, 0x6a5fd4e15fe18b6au, 0xaef94710f910beaeu, 0x69d0d26bd06b0269u,
    0x17912ea891a8bf17u, 0x995829e858e87199u, 0x3a2774692769533au, 0x27b94ed0b9d0f727u,
    0xd938a948384891d9u, 0xeb13cd351335deebu, 0x2bb356ceb3cee52bu, 0x2233445533557722u,
    0xd2bbbfd6bbd604d2u, 0xa9704990709039a9u, 0x07890e8089808707u, 0x33a766f2a7f2c133u,
    0x2db65ac1b6c1ec2du, 0x3c22786622665a3cu, 0x15922aad92adb815u, 0xc92089602060a9c9u,
    0x874915db49db5c87u, 0xaaff4f1aff1ab0aau, 0x5078a0887888d850u, 0xa57a518e7a8e2ba5u,
    0x038f068a8f8a8903u, 0x59f8b213f8134a59u, 0x0980129b809b9209u, 0x1a1734391739231au,
    0x65daca75da751065u, 0xd731b553315384d7u, 0x84c61351c651d584u, 0xd0b8bbd3b8d303d0u,
    0x82c31f5ec35edc82u, 0x29b052cbb0cbe229u, 0x5a77b4997799c35au, 0x1e113c3311332d1eu,
    0x7bcbf646cb463d7bu, 0xa8fc4b1ffc1fb7a8u, 0x6dd6da61d6610c6du, 0x2c3a584e3a4e622cu,
};

#define LEFT(u, bits) ((u) << (bits) | (u) >> ((64 - (bits)) & 63))

/* Row i of the column that is s columns further. */
#define ROW(a, column, i, s) LEFT(T[a[((column) + (s)) % 8] >> 8 * (i) & 255], 8 * (i))

#define COLUMN_P(to, a, column)                                                                   \
    (to[column] = ROW(a, column, 0, 0) ^ ROW(a, column, 1, 1) ^                                   \
                  ROW(a, column, 2, 2) ^ ROW(a, column, 3, 3) ^                                   \
                  ROW(a, column, 4, 4) ^ ROW(a, column, 5, 5) ^                                   \
                  ROW(a, column, 6, 6) ^ ROW(a, column, 7, 7))

#define COLUMN_Q(to, a, column)                                                                   \
    (to[column] = ROW(a, column, 0, 1) ^ ROW(a, column, 1, 3) ^                                   \
                  ROW(a, column, 2, 5) ^ ROW(a, column, 3, 7) ^                                   \
                  ROW(a, column, 4, 0) ^ ROW(a, column, 5, 2) ^                                   \
                  ROW(a, column, 6, 4) ^ ROW(a, column, 7, 6))

#define ALL_P(to, a)                                                                              \
    do {                                                                                          \
        COLUMN_P(to, a, 0);                                                                       \
        COLUMN_P(to, a, 1);                                                                       \
        COLUMN_P(to, a, 2);                                                                       \
        COLUMN_P(to, a, 3);                                                                       \
        COLUMN_P(to, a, 4);                                                                       \
        COLUMN_P(to, a, 5);                                                                       \
        COLUMN_P(to, a, 6);                                                                       \
        COLUMN_P(to, a, 7);                                                                       \
    } while (0)

#define ALL_Q(to, a)                                                                              \
    do {                                                                                          \
        COLUMN_Q(to, a, 0);                                                                       \
        COLUMN_Q(to, a, 1);                                                                       \
        COLUMN_Q(to, a, 2);                                                                       \
        COLUMN_Q(to, a, 3);                                                                       \
        COLUMN_Q(to, a, 4);                                                                       \
        COLUMN_Q(to, a, 5);                                                                       \
        COLUMN_Q(to, a, 6);                                                                       \
        COLUMN_Q(to, a, 7);                                                                       \
    } while (0)

static uint64_t load(const unsigned char *x)
{
    return (uint64_t)x[0] | (uint64_t)x[1] << 8 | (uint64_t)x[2] << 16 | (uint64_t)x[3] << 24 |
           (uint64_t)x[4] << 32 | (uint64_t)x[5] << 40 | (uint64_t)x[6] << 48 |
           (uint64_t)x[7] << 56;
}

static void permute_p(uint64_t a[COLUMNS])
{
    uint64_t b[COLUMNS];
    unsigned int i, round;

    for (round = 0; round < ROUNDS; ++round) {
        for (i = 0; i < COLUMNS; ++i)
            b[i] = a[i] ^ (i << 4 ^ round);
        ALL_P(a, b);
    }
}

static void permute_q(uint64_t a[COLUMNS])
{
    uint64_t b[COLUMNS];
    unsigned int i, round;

    for (round = 0; round < ROUNDS; ++round) {
        for (i = 0; i < COLUMNS; ++i)
            b[i] = ~a[i] ^ (uint64_t)(i << 4 ^ round) << 56;
        ALL_Q(a, b);
    }
}

static void compress(uint64_t h[COLUMNS], const unsigned char block[BLOCK])
{
    uint64_t p[COLUMNS], q[COLUMNS];
    int i;

    for (i = 0; i < COLUMNS; ++i) {
        q[i] = load(block + 8 * i);
        p[i] = h[i] ^ q[i];
    }
    permute_p(p);
    permute_q(q);
    for (i = 0; i < COLUMNS; ++i)
        h[i] ^= p[i] ^ q[i];
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[2 * BLOCK] = {0};
    uint64_t h[COLUMNS] = {0}, p[COLUMNS];
    const uint64_t *const digest = h + COLUMNS - crypto_hash_BYTES / 8;
    unsigned long long blocks = inlen / BLOCK;
    unsigned int size, i;

    /* The bits of output, in the last two bytes. */
    h[COLUMNS - 1] = (uint64_t)(crypto_hash_BYTES * 8 / 256) << 48;
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    blocks += size / BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(blocks >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(h, last + i);
    for (i = 0; i < COLUMNS; ++i)
        p[i] = h[i];
    permute_p(p);
    for (i = 0; i < COLUMNS; ++i)
        h[i] ^= p[i];
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(digest[i / 8] >> 8 * (i % 8) & 255);
    return 0;
}
