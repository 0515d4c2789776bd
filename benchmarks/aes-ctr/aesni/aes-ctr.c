/* SPDX-License-Identifier: CC0-1.0 */

/* aes-ctr.c: AES-CTR, AES instructions of x86.
 *
 * AES-128 and AES-256 (FIPS 197) in counter mode (NIST SP 800-38A, section 6.5). The IV is the
 * first counter block; the next ones count up in it as a little-endian 128-bit number, as
 * ../ref/aes-ctr.c explains.
 *
 * The compiler's options select the code: with AES-NI (-maes), eight blocks at a time; with
 * VAES and AVX2 too (-mvaes -mavx2), 16 blocks in eight registers; with VAES and AVX-512
 * (-mvaes -mavx512f), 32 blocks; without, portable C. The use of the instructions follows
 * Gueron, "Intel Advanced Encryption Standard (AES) New Instructions Set", 2010: eight
 * independent registers cover the latency of aesenc. */

#include "ecrypt-sync.h"

#if defined(__AES__) && (defined(__x86_64__) || defined(__i386__))

#include <immintrin.h>

#define FEWEST_ROUNDS 10 /* AES-128 */
#define MOST_ROUNDS 14   /* AES-256 */

/* The rounds are constants where it is called, so that round keys stay in registers. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static
#endif

static __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static void store(void *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

/* Key expansion. */

/* Word i becomes the sum of words 0..i. */
static __m128i accumulate(__m128i k)
{
    k = _mm_xor_si128(k, _mm_slli_si128(k, 4));
    return _mm_xor_si128(k, _mm_slli_si128(k, 8));
}

/* SubWord of the last word of k, in all four words. aesenclast substitutes bytes and moves rows,
 * which changes nothing where all columns are equal; it answers sooner than aeskeygenassist. */
static __m128i substituted(__m128i k, u32 constant)
{
    return _mm_aesenclast_si128(_mm_shuffle_epi32(k, 0xFF), _mm_set1_epi32((int)constant));
}

/* The same of RotWord. */
static __m128i rotated(__m128i k, u32 rcon)
{
#if defined(__SSSE3__)
    k = _mm_shuffle_epi8(k, _mm_set1_epi32(0x0C0F0E0D));
#else
    k = _mm_xor_si128(_mm_srli_epi32(k, 8), _mm_slli_epi32(k, 24));
#endif
    return substituted(k, rcon);
}

/* The next four words, four words before being k and the last ones being last. */
#define ROTATED(k, last, rcon) _mm_xor_si128(accumulate(k), rotated(last, rcon))
#define PLAIN(k, last) _mm_xor_si128(accumulate(k), substituted(last, 0))

#define STEP128(i, rcon)     \
    k = ROTATED(k, k, rcon); \
    store(w + 4 * (i), k)

static void expand128(u32 *w, const u8 *key)
{
    __m128i k = load(key);

    store(w, k);
    STEP128(1, 0x01);
    STEP128(2, 0x02);
    STEP128(3, 0x04);
    STEP128(4, 0x08);
    STEP128(5, 0x10);
    STEP128(6, 0x20);
    STEP128(7, 0x40);
    STEP128(8, 0x80);
    STEP128(9, 0x1B);
    STEP128(10, 0x36);
}

#define STEP256(i, rcon)        \
    k0 = ROTATED(k0, k1, rcon); \
    store(w + 4 * (i), k0);     \
    k1 = PLAIN(k1, k0);         \
    store(w + 4 * (i) + 4, k1)

static void expand256(u32 *w, const u8 *key)
{
    __m128i k0 = load(key);
    __m128i k1 = load(key + 16);

    store(w, k0);
    store(w + 4, k1);
    STEP256(2, 0x01);
    STEP256(4, 0x02);
    STEP256(6, 0x04);
    STEP256(8, 0x08);
    STEP256(10, 0x10);
    STEP256(12, 0x20);
    store(w + 56, ROTATED(k0, k1, 0x40));
}

static void expand(u32 *w, const u8 *key, u32 words)
{
    if (words == 4)
        expand128(w, key);
    else
        expand256(w, key);
}

/* A vector holds PER_VECTOR blocks. COUNTERS(v, n) is v, which holds the same counter
 * everywhere, plus n, n + 1, ..., without a carry from bit 63 to bit 64. */

#if defined(__VAES__) && defined(__AVX512F__)

#define PER_VECTOR 4
typedef __m512i vector;
#define BROADCAST(b) _mm512_broadcast_i32x4(b)
#define COUNTERS(v, n) \
    _mm512_add_epi64(v, _mm512_set_epi64(0, (n) + 3, 0, (n) + 2, 0, (n) + 1, 0, n))
#define XOR(v, w) _mm512_xor_si512(v, w)
#define ENC(v, k) _mm512_aesenc_epi128(v, k)
#define ENCLAST(v, k) _mm512_aesenclast_epi128(v, k)
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)

#elif defined(__VAES__) && defined(__AVX2__)

#define PER_VECTOR 2
typedef __m256i vector;
#define BROADCAST(b) _mm256_broadcastsi128_si256(b)
#define COUNTERS(v, n) _mm256_add_epi64(v, _mm256_set_epi64x(0, (n) + 1, 0, n))
#define XOR(v, w) _mm256_xor_si256(v, w)
#define ENC(v, k) _mm256_aesenc_epi128(v, k)
#define ENCLAST(v, k) _mm256_aesenclast_epi128(v, k)
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)

#else

#define PER_VECTOR 1
typedef __m128i vector;
#define BROADCAST(b) (b)
#define COUNTERS(v, n) _mm_add_epi64(v, _mm_set_epi64x(0, n))
#define XOR(v, w) _mm_xor_si128(v, w)
#define ENC(v, k) _mm_aesenc_si128(v, k)
#define ENCLAST(v, k) _mm_aesenclast_si128(v, k)
#define LOAD(p) load(p)
#define STORE(p, v) store(p, v)

#endif

#define BATCH (8 * PER_VECTOR)
#define VECTOR_BYTES (16 * PER_VECTOR)
#define AT(i) (VECTOR_BYTES * (i))

#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define FIRST_ROUND(i) v##i = XOR(COUNTERS(start, i * PER_VECTOR), k[0]);
#define CARRIED_ROUND(i) v##i = XOR(LOAD(buffer + AT(i)), k[0]);
#define MIDDLE_ROUND(i) v##i = ENC(v##i, k[round]);
#define LAST_ROUND(i) v##i = ENCLAST(v##i, k[rounds]);
#define ENCRYPT(i) STORE(output + AT(i), XOR(v##i, LOAD(input + AT(i))));
#define GENERATE(i) STORE(output + AT(i), v##i);

typedef struct {
    u64 lo, hi;
} number;

static __m128i block_of(number n)
{
    return _mm_set_epi64x((long long)n.hi, (long long)n.lo);
}

static number plus(number n, u32 blocks)
{
    n.lo += blocks;
    n.hi += n.lo < blocks;
    return n;
}

/* Writes counters out one by one, where there is a carry from bit 63 to bit 64. */
static void write_counters(u8 *buffer, number n, u32 blocks)
{
    u32 i;

    for (i = 0; i < blocks; ++i)
        store(buffer + 16 * i, block_of(plus(n, i)));
}

/* BATCH blocks; input 0 gives the keystream. */
INLINE void batch(const vector *k, u32 rounds, number n, const u8 *input, u8 *output)
{
    vector v0, v1, v2, v3, v4, v5, v6, v7;
    u32 round;

    if (n.lo + (BATCH - 1) >= n.lo) {
        vector start = BROADCAST(block_of(n));
        EACH(FIRST_ROUND)
    } else {
        u8 buffer[16 * BATCH];
        write_counters(buffer, n, BATCH);
        EACH(CARRIED_ROUND)
    }
    for (round = 1; round < rounds; ++round) {
        EACH(MIDDLE_ROUND)
    }
    EACH(LAST_ROUND)
    if (input != 0) {
        EACH(ENCRYPT)
    } else {
        EACH(GENERATE)
    }
}

/* The keystream of one vector. Processors begin the next before this one is done. */
INLINE vector keystream(const vector *k, u32 rounds, number n)
{
    vector v;
    u32 round;

    if (n.lo + (PER_VECTOR - 1) >= n.lo) {
        v = COUNTERS(BROADCAST(block_of(n)), 0);
    } else {
        u8 buffer[VECTOR_BYTES];
        write_counters(buffer, n, PER_VECTOR);
        v = LOAD(buffer);
    }
    v = XOR(v, k[0]);
    for (round = 1; round < rounds; ++round)
        v = ENC(v, k[round]);
    return ENCLAST(v, k[rounds]);
}

/* Fewer than VECTOR_BYTES bytes of a vector of keystream v; input 0 gives the keystream. */
static void tail(vector v, const u8 *input, u8 *output, u32 bytes)
{
    u8 buffer[VECTOR_BYTES];
    u32 i;

    STORE(buffer, v);
    for (i = 0; i + 16 <= bytes; i += 16) {
        __m128i block = load(buffer + i);

        store(output + i, input != 0 ? _mm_xor_si128(block, load(input + i)) : block);
    }
    for (; i < bytes; ++i)
        output[i] = input != 0 ? U8V(input[i] ^ buffer[i]) : buffer[i];
}

/* Encrypts whole blocks and then rest < 16 bytes, with as many rounds as the compiler is told;
 * returns the counter of the next block. */
INLINE number encrypted(const ECRYPT_ctx *ctx, u32 rounds, number n, const u8 *input, u8 *output,
                        u32 blocks, u32 rest)
{
    vector k[MOST_ROUNDS + 1];
    u32 i;

    for (i = 0; i <= rounds; ++i)
        k[i] = BROADCAST(load(ctx->key + 4 * i));
    for (; blocks >= BATCH; blocks -= BATCH) {
        batch(k, rounds, n, input, output);
        n = plus(n, BATCH);
        output += 16 * BATCH;
        if (input != 0)
            input += 16 * BATCH;
    }
    for (; blocks >= PER_VECTOR; blocks -= PER_VECTOR) {
        vector v = keystream(k, rounds, n);

        STORE(output, input != 0 ? XOR(v, LOAD(input)) : v);
        n = plus(n, PER_VECTOR);
        output += VECTOR_BYTES;
        if (input != 0)
            input += VECTOR_BYTES;
    }
    if (blocks > 0 || rest > 0)
        tail(keystream(k, rounds, n), input, output, 16 * blocks + rest);
    return plus(n, blocks + (rest > 0));
}

/* Encrypts whole blocks and then rest < 16 bytes; input 0 gives the keystream. */
static void stream(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 blocks, u32 rest)
{
    number n;

    n.lo = ctx->counter[0] | (u64)ctx->counter[1] << 32;
    n.hi = ctx->counter[2] | (u64)ctx->counter[3] << 32;
    if (ctx->rounds == FEWEST_ROUNDS)
        n = encrypted(ctx, FEWEST_ROUNDS, n, input, output, blocks, rest);
    else
        n = encrypted(ctx, MOST_ROUNDS, n, input, output, blocks, rest);
    store(ctx->counter, block_of(n));
}

/* At once: what is read in other pieces than it was written has to wait for the cache. */
static void begin(ECRYPT_ctx *ctx, const u8 *iv)
{
    store(ctx->counter, load(iv));
}

#else /* portable C */

static const u8 sbox[256] = {
    0x63, 0x7C, 0x77, 0x7B, 0xF2, 0x6B, 0x6F, 0xC5, 0x30, 0x01, 0x67, 0x2B, 0xFE, 0xD7, 0xAB, 0x76,
    0xCA, 0x82, 0xC9, 0x7D, 0xFA, 0x59, 0x47, 0xF0, 0xAD, 0xD4, 0xA2, 0xAF, 0x9C, 0xA4, 0x72, 0xC0,
    0xB7, 0xFD, 0x93, 0x26, 0x36, 0x3F, 0xF7, 0xCC, 0x34, 0xA5, 0xE5, 0xF1, 0x71, 0xD8, 0x31, 0x15,
    0x04, 0xC7, 0x23, 0xC3, 0x18, 0x96, 0x05, 0x9A, 0x07, 0x12, 0x80, 0xE2, 0xEB, 0x27, 0xB2, 0x75,
    0x09, 0x83, 0x2C, 0x1A, 0x1B, 0x6E, 0x5A, 0xA0, 0x52, 0x3B, 0xD6, 0xB3, 0x29, 0xE3, 0x2F, 0x84,
    0x53, 0xD1, 0x00, 0xED, 0x20, 0xFC, 0xB1, 0x5B, 0x6A, 0xCB, 0xBE, 0x39, 0x4A, 0x4C, 0x58, 0xCF,
    0xD0, 0xEF, 0xAA, 0xFB, 0x43, 0x4D, 0x33, 0x85, 0x45, 0xF9, 0x02, 0x7F, 0x50, 0x3C, 0x9F, 0xA8,
    0x51, 0xA3, 0x40, 0x8F, 0x92, 0x9D, 0x38, 0xF5, 0xBC, 0xB6, 0xDA, 0x21, 0x10, 0xFF, 0xF3, 0xD2,
    0xCD, 0x0C, 0x13, 0xEC, 0x5F, 0x97, 0x44, 0x17, 0xC4, 0xA7, 0x7E, 0x3D, 0x64, 0x5D, 0x19, 0x73,
    0x60, 0x81, 0x4F, 0xDC, 0x22, 0x2A, 0x90, 0x88, 0x46, 0xEE, 0xB8, 0x14, 0xDE, 0x5E, 0x0B, 0xDB,
    0xE0, 0x32, 0x3A, 0x0A, 0x49, 0x06, 0x24, 0x5C, 0xC2, 0xD3, 0xAC, 0x62, 0x91, 0x95, 0xE4, 0x79,
    0xE7, 0xC8, 0x37, 0x6D, 0x8D, 0xD5, 0x4E, 0xA9, 0x6C, 0x56, 0xF4, 0xEA, 0x65, 0x7A, 0xAE, 0x08,
    0xBA, 0x78, 0x25, 0x2E, 0x1C, 0xA6, 0xB4, 0xC6, 0xE8, 0xDD, 0x74, 0x1F, 0x4B, 0xBD, 0x8B, 0x8A,
    0x70, 0x3E, 0xB5, 0x66, 0x48, 0x03, 0xF6, 0x0E, 0x61, 0x35, 0x57, 0xB9, 0x86, 0xC1, 0x1D, 0x9E,
    0xE1, 0xF8, 0x98, 0x11, 0x69, 0xD9, 0x8E, 0x94, 0x9B, 0x1E, 0x87, 0xE9, 0xCE, 0x55, 0x28, 0xDF,
    0x8C, 0xA1, 0x89, 0x0D, 0xBF, 0xE6, 0x42, 0x68, 0x41, 0x99, 0x2D, 0x0F, 0xB0, 0x54, 0xBB, 0x16
};

static u32 substitute(u32 w)
{
    return (u32)sbox[w & 0xFF] | (u32)sbox[(w >> 8) & 0xFF] << 8 |
           (u32)sbox[(w >> 16) & 0xFF] << 16 | (u32)sbox[(w >> 24) & 0xFF] << 24;
}

static void expand(u32 *w, const u8 *key, u32 words)
{
    u32 rcon = 1;
    u32 i;

    for (i = 0; i < words; ++i)
        w[i] = U8TO32_LITTLE(key + 4 * i);
    for (; i < 4 * (words + 7); ++i) {
        u32 t = w[i - 1];

        if (i % words == 0) {
            t = ROTR32(substitute(t), 8) ^ rcon;
            rcon = (rcon << 1) ^ (rcon >> 7) * 0x11B;
        } else if (words == 8 && i % words == 4) {
            t = substitute(t);
        }
        w[i] = w[i - words] ^ t;
    }
}

/* SubBytes and ShiftRows: the column that takes row 0 from a, row 1 from b, ... */
static u32 shifted(u32 a, u32 b, u32 c, u32 d)
{
    return (u32)sbox[a & 0xFF] | (u32)sbox[(b >> 8) & 0xFF] << 8 |
           (u32)sbox[(c >> 16) & 0xFF] << 16 | (u32)sbox[(d >> 24) & 0xFF] << 24;
}

/* MixColumns, the four rows of a column at once; row 0 is the low byte. */
static u32 mixed(u32 w)
{
    u32 twice = ((w & 0x7F7F7F7F) << 1) ^ ((w >> 7) & 0x01010101) * 0x1B;

    return twice ^ ROTR32(w ^ twice, 8) ^ ROTR32(w, 16) ^ ROTR32(w, 24);
}

/* The next 16 bytes of keystream; steps the counter. */
static void next_block(ECRYPT_ctx *ctx, u8 block[16])
{
    const u32 *key = ctx->key;
    u32 x[4], y[4];
    u32 i, round;

    for (i = 0; i < 4; ++i)
        x[i] = ctx->counter[i] ^ key[i];
    for (round = 1; round < ctx->rounds; ++round) {
        key += 4;
        for (i = 0; i < 4; ++i)
            y[i] = shifted(x[i], x[(i + 1) % 4], x[(i + 2) % 4], x[(i + 3) % 4]);
        for (i = 0; i < 4; ++i)
            x[i] = mixed(y[i]) ^ key[i];
    }
    for (i = 0; i < 4; ++i) {
        u32 last = shifted(x[i], x[(i + 1) % 4], x[(i + 2) % 4], x[(i + 3) % 4]) ^ key[4 + i];
        U32TO8_LITTLE(block + 4 * i, last);
    }

    for (i = 0; i < 4; ++i) {
        ctx->counter[i] = U32V(ctx->counter[i] + 1);
        if (ctx->counter[i] != 0)
            break;
    }
}

/* Encrypts whole blocks and then rest < 16 bytes; input 0 gives the keystream. */
static void stream(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 blocks, u32 rest)
{
    u8 block[16];

    while (blocks > 0 || rest > 0) {
        u32 n = blocks > 0 ? 16 : rest;
        u32 i;

        next_block(ctx, block);
        for (i = 0; i < n; ++i)
            output[i] = input != 0 ? U8V(input[i] ^ block[i]) : block[i];
        if (blocks == 0)
            break;
        --blocks;
        output += 16;
        if (input != 0)
            input += 16;
    }
}

static void begin(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < 4; ++i)
        ctx->counter[i] = U8TO32_LITTLE(iv + 4 * i);
}

#endif

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)ivsize;
    ctx->rounds = keysize / 32 + 6;
    expand(ctx->key, key, keysize / 32);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    begin(ctx, iv);
}

void ECRYPT_process_blocks(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 blocks)
{
    (void)action;
    stream(ctx, input, output, blocks, 0);
}

void ECRYPT_keystream_blocks(ECRYPT_ctx *ctx, u8 *keystream, u32 blocks)
{
    stream(ctx, 0, keystream, blocks, 0);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    (void)action;
    stream(ctx, input, output, msglen / 16, msglen % 16);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    stream(ctx, 0, keystream, length / 16, length % 16);
}
