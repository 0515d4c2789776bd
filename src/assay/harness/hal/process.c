/* SPDX-License-Identifier: MIT */
/*
 * The machine below the agent: what is the same wherever it is a process of an
 * operating system, on top of four functions for that system.
 */
#include "process.h"

#include "hal.h"

#include <string.h>

#define LARGEST_PAYLOAD (64u << 20)
#define IN_FLIGHT_BYTES (48u << 10) /* below a pipe's 64 KiB: neither side can block the other */
#define MOST_KEPT_BYTES (60u << 10) /* a pipe holds that much */
#define STACK_ROOM (512u << 10)     /* of the 8 MiB that a process has as a rule */
#define FIRST_BLOCK_BYTES 4096u

static uint8_t input[1 << 16], output[1 << 16];
static size_t input_at, input_end, output_end, kept_bytes;

static int refill(void)
{
    input_at = 0;
    input_end = hal_process_read(input, sizeof input);
    return input_end > 0;
}

int hal_read(void *to, size_t length)
{
    uint8_t *p = to;
    size_t part;

    while (length) {
        if (input_at == input_end && !refill())
            return 0;
        part = input_end - input_at < length ? input_end - input_at : length;
        memcpy(p, input + input_at, part);
        input_at += part;
        p += part;
        length -= part;
    }
    return 1;
}

int hal_kept(void *to, size_t length)
{
    if (length > kept_bytes || !hal_process_kept(to, length))
        return 0;
    kept_bytes -= length;
    return 1;
}

int hal_keep(void *from, size_t length)
{
    uint8_t lost[8];

    while (kept_bytes && hal_kept(lost, kept_bytes < sizeof lost ? kept_bytes : sizeof lost))
        ;
    if (kept_bytes || length > MOST_KEPT_BYTES || !hal_process_keep(from, length))
        return 0;
    kept_bytes = length;
    memset(from, 0, length);
    memset(input, 0, input_at); /* through which they came */
    return 1;
}

int hal_pending(void) { return input_at < input_end || hal_process_asked(); }

void hal_flush(void)
{
    hal_process_write(output, output_end);
    output_end = 0;
}

void hal_write(const void *from, size_t length)
{
    if (length > sizeof output - output_end)
        hal_flush();
    if (length > sizeof output) {
        hal_process_write(from, length);
        return;
    }
    memcpy(output + output_end, from, length);
    output_end += length;
}

uint32_t hal_largest_payload(void) { return LARGEST_PAYLOAD; }

uint32_t hal_in_flight_bytes(void) { return IN_FLIGHT_BYTES; }

int hal_grow(uint8_t **block, uint32_t *size, uint32_t wanted)
{
    uint32_t next = *size ? *size : FIRST_BLOCK_BYTES;
    uint8_t *larger;

    while (next < wanted)
        next *= 2;
    larger = hal_process_regrow(*block, *size, next);
    if (larger == NULL)
        return 0;
    *block = larger;
    *size = next;
    return 1;
}

uint32_t hal_stack_room(uintptr_t stack_pointer)
{
    (void)stack_pointer;
    return STACK_ROOM;
}
