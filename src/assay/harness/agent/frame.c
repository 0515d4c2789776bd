/* SPDX-License-Identifier: MIT */
/*
 * Frames: "AS", code or status (u8), 0 (u8), sequence (u32), length (u32),
 * payload, CRC-32 (IEEE 802.3) over all of that.
 *
 * A frame that arrives damaged is answered with BAD_FRAME and not executed; then
 * the next "AS" is looked for.
 */
#include "agent.h"

#include "../hal/hal.h"

#include <string.h>

#define HEADER_BYTES 12

static uint8_t *request, *answer;
static uint32_t request_size, request_length, taken;
static uint32_t answer_size, answer_length;
static uint32_t sequence;
static int overrun, overflow;

static const uint32_t crc_nibbles[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
    0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
    0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

#ifdef ASSAY_SMALL /* a kilobyte of RAM is worth more than speed */
static uint32_t crc(uint32_t value, const uint8_t *from, size_t length)
{
    while (length--) {
        value ^= *from++;
        value = crc_nibbles[value & 15] ^ (value >> 4);
        value = crc_nibbles[value & 15] ^ (value >> 4);
    }
    return value;
}
#else
static uint32_t crc_tables[8][256]; /* the k-th is for bytes with k others behind them */

static void make_crc_tables(void)
{
    uint32_t i, k;

    for (i = 0; i < 256; i++) {
        uint32_t half = crc_nibbles[i & 15] ^ (i >> 4);
        crc_tables[0][i] = crc_nibbles[half & 15] ^ (half >> 4);
    }
    for (k = 1; k < 8; k++)
        for (i = 0; i < 256; i++) {
            uint32_t one = crc_tables[k - 1][i];
            crc_tables[k][i] = crc_tables[0][one & 255] ^ (one >> 8);
        }
}

/* Eight bytes at a time: answers of many megabytes are worth it. */
static uint32_t crc(uint32_t value, const uint8_t *from, size_t length)
{
    uint32_t k, next;

    if (crc_tables[0][1] == 0)
        make_crc_tables();
    for (; length >= 8; length -= 8, from += 8) {
        next = 0;
        for (k = 0; k < 8; k++)
            next ^= crc_tables[7 - k][(from[k] ^ (k < 4 ? value >> (8 * k) : 0)) & 255];
        value = next;
    }
    while (length--)
        value = crc_tables[0][(value ^ *from++) & 255] ^ (value >> 8);
    return value;
}
#endif

static void store32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

static uint32_t load32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static int grow(uint8_t **block, uint32_t *size, uint32_t wanted)
{
    if (wanted <= *size)
        return 1;
    return wanted <= hal_largest_payload() && hal_grow(block, size, wanted);
}

/* Answers that wait must be out before we wait for what may never come. */
static int read_more(void *to, size_t length)
{
    if (!hal_pending())
        hal_flush();
    return hal_read(to, length);
}

/* The next "AS", and as much behind it as makes a header; 0: the bench has gone. */
static int find_header(uint8_t *header)
{
    if (!read_more(header, HEADER_BYTES))
        return 0;
    while (header[0] != 'A' || header[1] != 'S') {
        memmove(header, header + 1, HEADER_BYTES - 1);
        if (!read_more(header + HEADER_BYTES - 1, 1))
            return 0;
    }
    return 1;
}

enum arrival { GONE, DAMAGED, WHOLE };

static enum arrival take_frame(uint8_t *header)
{
    uint8_t tail[4];
    uint32_t value;

    if (!find_header(header))
        return GONE;
    sequence = load32(header + 4);
    request_length = load32(header + 8);
    if (header[3] != 0 || !grow(&request, &request_size, request_length))
        return DAMAGED;
    if (!hal_read(request, (size_t)request_length) || !hal_read(tail, sizeof tail))
        return GONE;
    value = crc(crc(0xffffffff, header, HEADER_BYTES), request, (size_t)request_length);
    return load32(tail) == (value ^ 0xffffffff) ? WHOLE : DAMAGED;
}

int frame_next(void)
{
    uint8_t header[HEADER_BYTES];
    enum arrival arrival;

    while ((arrival = take_frame(header)) == DAMAGED) {
        give_reset();
        frame_answer(STATUS_BAD_FRAME);
    }
    taken = 0;
    overrun = 0;
    give_reset();
    return arrival == GONE ? -1 : header[2];
}

void frame_answer(enum status status)
{
    uint8_t header[HEADER_BYTES] = {'A', 'S', (uint8_t)status, 0};
    uint8_t tail[4];
    uint32_t value;

    if (overflow) { /* half an answer is none */
        give_reset();
        header[2] = STATUS_NO_MEMORY;
    }
    store32(header + 4, sequence);
    store32(header + 8, answer_length);
    value = crc(crc(0xffffffff, header, sizeof header), answer, (size_t)answer_length);
    store32(tail, value ^ 0xffffffff);
    hal_write(header, sizeof header);
    hal_write(answer, (size_t)answer_length);
    hal_write(tail, sizeof tail);
}

struct frame_kept frame_keep(void)
{
    return (struct frame_kept){request, answer, request_size, answer_size, sequence};
}

void frame_recover(const struct frame_kept *from)
{
    request = from->request, answer = from->answer;
    request_size = from->request_size, answer_size = from->answer_size;
    sequence = from->sequence;
    request_length = taken = 0;
    overrun = overflow = 0;
#ifndef ASSAY_SMALL
    crc_tables[0][1] = 0; /* made anew */
#endif
    give_reset();
}

int frame_bad(void) { return overrun; }

const uint8_t *take_bytes(uint32_t length)
{
    const uint8_t *from = request + taken;

    if (length > request_length - taken) {
        overrun = 1;
        return NULL;
    }
    taken += length;
    return from;
}

uint32_t take_left(void) { return request_length - taken; }

uint32_t take_position(void) { return taken; }

uint32_t take_between(uint32_t position, uint32_t end)
{
    uint32_t before = request_length;

    taken = position;
    request_length = end;
    return before;
}

uint64_t take_u64(void)
{
    uint64_t low = take_u32();

    return low | (uint64_t)take_u32() << 32;
}

uint32_t take_u32(void)
{
    const uint8_t *from = take_bytes(4);

    return from ? load32(from) : 0;
}

uint16_t take_u16(void)
{
    uint16_t low = take_u8();

    return (uint16_t)(low | (uint16_t)(take_u8() << 8));
}

uint8_t take_u8(void)
{
    const uint8_t *from = take_bytes(1);

    return from ? *from : 0;
}

void give_bytes(const uint8_t *from, uint32_t length)
{
    if (length > UINT32_MAX - answer_length ||
        !grow(&answer, &answer_size, answer_length + length)) {
        overflow = 1;
        return;
    }
    if (length)
        memcpy(answer + answer_length, from, (size_t)length);
    answer_length += length;
}

void give_u8(uint8_t value) { give_bytes(&value, 1); }

void give_u16(uint16_t value)
{
    give_u8((uint8_t)value);
    give_u8((uint8_t)(value >> 8));
}

void give_u32(uint32_t value)
{
    uint8_t bytes[4];

    store32(bytes, value);
    give_bytes(bytes, 4);
}

void give_u64(uint64_t value)
{
    give_u32((uint32_t)value);
    give_u32((uint32_t)(value >> 32));
}

void give_text(const char *text)
{
    size_t length = text ? strlen(text) : 0xffff;

    if (text && length > 0xfffe)
        length = 0xfffe;
    give_u16((uint16_t)length);
    if (text)
        give_bytes((const uint8_t *)text, (uint32_t)length);
}

const uint8_t *given(uint32_t *length)
{
    *length = answer_length;
    return answer;
}

void give_reset(void)
{
    answer_length = 0;
    overflow = 0;
}
