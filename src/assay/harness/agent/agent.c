/* SPDX-License-Identifier: MIT */
/* The main loop: take a request, do it, answer. */

#include "kind.h"
#include "secret.h"

#include "../hal/hal.h"

#include <limits.h>
#include <string.h>

#if defined(__VERSION__)
#define COMPILER __VERSION__
#else
#define COMPILER ""
#endif

#define LARGEST_STACK_OFFSET 0xffffu
#define LOOKS_AWAKE 1000000u /* a second or less: a bench that takes longer has other work */

enum mark { MARK_PUBLIC, MARK_SECRET, MARK_FENCE };

static int at_home; /* on this machine, and not below an instrument */
static int awake;

static enum status hello(void)
{
    const uint16_t one = 1;

    give_u16(PROTOCOL_VERSION);
    give_u8((uint8_t)(sizeof(void *) * CHAR_BIT));
    give_u8(*(const uint8_t *)&one);
    give_u8(CHAR_MIN < 0);
    give_u32(hal_page_bytes());
    give_u32(hal_largest_payload());
    give_u32(hal_in_flight_bytes());
    give_text(COMPILER);
    return STATUS_OK;
}

static enum status make_buffer(void)
{
    uint8_t id = take_u8();
    uint32_t size = take_u32(), modulus = take_u32(), residue = take_u32();

    return frame_bad() ? STATUS_BAD_REQUEST : buffer_make(id, size, modulus, residue);
}

static enum status write_buffer(void)
{
    uint8_t id = take_u8();
    uint32_t offset = take_u32(), length = take_left();
    uint8_t *to = buffer_at(id, offset, length);

    if (to == NULL)
        return STATUS_BAD_REQUEST;
    memcpy(to, take_bytes(length), (size_t)length);
    return STATUS_OK;
}

static enum status read_buffer(void)
{
    uint8_t id = take_u8();
    uint32_t offset = take_u32(), length = take_u32();
    const uint8_t *from = buffer_at(id, offset, length);

    if (from == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    secret_show(from, length);
    give_bytes(from, length);
    return STATUS_OK;
}

static enum status fill_buffer(void)
{
    uint8_t id = take_u8();
    uint32_t offset = take_u32(), length = take_u32();
    uint8_t value = take_u8();
    uint8_t *to = buffer_at(id, offset, length);

    if (to == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    memset(to, value, (size_t)length);
    return STATUS_OK;
}

static enum status canaries(void)
{
    uint8_t id = take_u8();
    int32_t first;

    if (buffer_start(id) == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    give_u32(buffer_damage(id, &first));
    give_u32((uint32_t)first);
    return STATUS_OK;
}

static enum status copy_buffer(void)
{
    uint8_t to_id = take_u8(), from_id = take_u8();
    uint32_t length = take_u32();
    uint8_t *to = buffer_at(to_id, 0, length), *from = buffer_at(from_id, 0, length);

    if (to == NULL || from == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    memmove(to, from, (size_t)length);
    return STATUS_OK;
}

static enum status mark_buffer(void)
{
    uint8_t id = take_u8();
    uint32_t offset = take_u32(), length = take_u32();
    uint8_t how = take_u8();
    const uint8_t *from = buffer_at(id, offset, length);

    if (from == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    give_u8((uint8_t)secret_marks());
    give_u32(secret_count(from, length));
    switch (how) {
    case MARK_PUBLIC: secret_show(from, length); break;
    case MARK_SECRET: secret_hide(from, length); break;
    default: buffer_fence(id, offset + length);
    }
    return STATUS_OK;
}

static enum status protect_buffer(void)
{
    uint8_t id = take_u8();

    if (buffer_start(id) == NULL || frame_bad())
        return STATUS_BAD_REQUEST;
    return buffer_protect(id) ? STATUS_OK : STATUS_BAD_REQUEST;
}

/* Addresses that nothing else gets, so that later buffers are far from earlier ones. */
static enum status reserve(void)
{
    uint64_t size = take_u64();

    if (frame_bad())
        return STATUS_BAD_REQUEST;
    return hal_map_zeros(size) ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status describe(void)
{
    give_text(assay_kind.name);
    assay_kind.describe();
    return STATUS_OK;
}

static enum status script(void)
{
    return assay_kind.script ? assay_kind.script() : STATUS_BAD_REQUEST;
}

static enum status heap(void)
{
    uint64_t bytes = hal_heap_bytes();

    if (bytes == HAL_UNKNOWN)
        return STATUS_BAD_REQUEST;
    give_u64(bytes);
    return STATUS_OK;
}

static enum status perform(int code)
{
    switch (code) {
    case REQUEST_HELLO: return hello();
    case REQUEST_DESCRIBE: return describe();
    case REQUEST_BUFFER: return make_buffer();
    case REQUEST_WRITE: return write_buffer();
    case REQUEST_READ: return read_buffer();
    case REQUEST_FILL: return fill_buffer();
    case REQUEST_CANARIES: return canaries();
    case REQUEST_COPY: return copy_buffer();
    case REQUEST_MARK: return mark_buffer();
    case REQUEST_PROTECT: return protect_buffer();
    case REQUEST_RESERVE: return reserve();
    case REQUEST_CALL: return call_perform();
    case REQUEST_SCRIPT: return script();
    case REQUEST_WATCH: return abi_watch();
    case REQUEST_MODES: return modes_set();
    case REQUEST_THREAD: return thread_set();
    case REQUEST_STARVE: return allocation_starve();
    case REQUEST_AGAIN: return again(perform);
    case REQUEST_VARY: return vary(perform);
    case REQUEST_PAINT: return stack_paint();
    case REQUEST_DEPTH: return stack_depth();
    case REQUEST_HEAP: return heap();
    case REQUEST_HEAP_USE: return allocation_use();
    case REQUEST_LEFT: return left_set();
    case REQUEST_COUNTERS: return timing_counters();
    case REQUEST_SELECT: awake = at_home; return timing_select();
    case REQUEST_CLOCK: return timing_clock();
    case REQUEST_LOOP: return timing_loop();
    case REQUEST_TIMING_SETUP: return assay_timing.setup();
    case REQUEST_CALIBRATE: return assay_timing.calibrate();
    case REQUEST_TIME: return assay_timing.time();
    case REQUEST_REPEAT: return assay_timing.repeat();
    case REQUEST_CLASSES: return timing_classes(perform);
    default: return STATUS_BAD_REQUEST;
    }
}

/* A processor that goes to sleep may be a worse one when it wakes: its clock has
 * slowed down, or the host of a virtual machine puts it beside a busy neighbour. So an
 * agent that measures waits for the next request without sleeping; but not after a timed
 * group or a clock, since the bench then looks how much of the processor it has used. */
static void wait_awake(int done)
{
    uint32_t looks = done == REQUEST_TIME || done == REQUEST_CLOCK ? 0 : LOOKS_AWAKE;

    if (awake && !hal_pending())
        for (hal_flush(); looks && !hal_pending(); looks--)
            ;
}

static void serve(void)
{
    int code;

    while ((code = frame_next()) >= 0) {
        frame_answer(perform(code));
        wait_awake(code);
    }
    hal_flush();
}

/* Serves from a random distance down the stack, so that no result depends on
 * one stack address. */
static int serve_below(size_t distance)
{
    volatile uint8_t skipped[distance];

    skipped[0] = skipped[distance - 1] = 0;
    serve();
    return skipped[0];
}

/* A decimal number, as the bench writes it. */
static size_t number(const char *text)
{
    size_t value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (size_t)(*text++ - '0');
    return value;
}

int main(int argc, char **argv)
{
    size_t distance = argc > 3 ? number(argv[3]) : 0;

    int guise = argc > 4 ? argv[4][0] : '0';

    at_home = guise == '1';
    hal_open(argc, argv);
    if (guise != '0')
        hal_forget(argc, argv, guise == '2');
    if (at_home) {
        timing_prepare();
        hal_seal();
    }
    return serve_below(1 + (distance & LARGEST_STACK_OFFSET));
}
