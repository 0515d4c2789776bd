/* SPDX-License-Identifier: MIT */
/*
 * The agent: contains the implementation and does what the bench asks.
 *
 * The protocol is described in docs/reference/protocol.md and mirrored by
 * src/assay/execute/protocol.py; a change of either changes PROTOCOL_VERSION.
 * All integers on the wire are little-endian.
 */
#ifndef ASSAY_AGENT_H
#define ASSAY_AGENT_H

#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_VERSION 19
#define MOST_BUFFERS 64
#ifndef BUFFER_COUNT
#define BUFFER_COUNT MOST_BUFFERS /* a small port may define fewer */
#endif
#define NO_BUFFER 0xff

enum request {
    REQUEST_HELLO = 0x01,
    REQUEST_DESCRIBE = 0x02,
    REQUEST_BUFFER = 0x10,
    REQUEST_WRITE = 0x11,
    REQUEST_READ = 0x12,
    REQUEST_FILL = 0x13,
    REQUEST_CANARIES = 0x14,
    REQUEST_COPY = 0x15,
    REQUEST_MARK = 0x16,
    REQUEST_PROTECT = 0x17,
    REQUEST_RESERVE = 0x18,
    REQUEST_CALL = 0x20,
    REQUEST_SCRIPT = 0x21,
    REQUEST_WATCH = 0x22,
    REQUEST_MODES = 0x23,
    REQUEST_THREAD = 0x24,
    REQUEST_STARVE = 0x25,
    REQUEST_AGAIN = 0x26,
    REQUEST_VARY = 0x27,
    REQUEST_PAINT = 0x30,
    REQUEST_DEPTH = 0x31,
    REQUEST_HEAP = 0x32,
    REQUEST_HEAP_USE = 0x33,
    REQUEST_LEFT = 0x34,
    REQUEST_COUNTERS = 0x40,
    REQUEST_SELECT = 0x41,
    REQUEST_CLOCK = 0x42,
    REQUEST_LOOP = 0x43,
    REQUEST_TIMING_SETUP = 0x50,
    REQUEST_CALIBRATE = 0x51,
    REQUEST_TIME = 0x52,
    REQUEST_REPEAT = 0x53,
    REQUEST_CLASSES = 0x54
};

enum status {
    STATUS_OK = 0,
    STATUS_BAD_REQUEST = 1,
    STATUS_FAULT = 2,
    STATUS_NO_MEMORY = 3,
    STATUS_BAD_FRAME = 4
};

/* --- frame.c: the payload of the request in hand, and of the answer being built */

int frame_next(void); /* the request's code, or -1 when the bench has gone */
void frame_answer(enum status status);
/* What an answer needs, for whoever calls what may spoil all static memory: kept on the stack. */
struct frame_kept {
    uint8_t *request, *answer;
    uint32_t request_size, answer_size, sequence;
};
struct frame_kept frame_keep(void);
void frame_recover(const struct frame_kept *from); /* and the answer is empty */
int frame_bad(void); /* 1: more was taken from the payload than it holds */

uint8_t take_u8(void);
uint16_t take_u16(void);
uint32_t take_u32(void);
uint64_t take_u64(void);
const uint8_t *take_bytes(uint32_t length); /* NULL if there are not so many */
uint32_t take_left(void);
uint32_t take_position(void);
uint32_t take_between(uint32_t position, uint32_t end); /* from now on; gives the end before */

void give_u8(uint8_t value);
void give_u16(uint16_t value);
void give_u32(uint32_t value);
void give_u64(uint64_t value);
void give_text(const char *text); /* u16 length and bytes; NULL as length 0xffff */
void give_bytes(const uint8_t *from, uint32_t length);
void give_reset(void);
const uint8_t *given(uint32_t *length); /* the answer so far */

/* --- buffers.c: guarded buffers between canaries */

enum status buffer_make(unsigned id, uint32_t size, uint32_t modulus, uint32_t residue);
uint8_t *buffer_at(unsigned id, uint32_t offset, uint32_t length); /* NULL if not inside */
uint8_t *buffer_start(unsigned id);
void buffer_fence(unsigned id, uint32_t length); /* valgrind complains of what is around */
int buffer_protect(unsigned id); /* 1: no longer to be written to; 0: there is no such thing */
int buffer_watch(unsigned id, const uint8_t *expected, uint32_t length); /* see hal_watch */
uint32_t buffer_damage(unsigned id, int32_t *first); /* changed bytes around the buffer */
unsigned buffer_near(uintptr_t address, int64_t *offset); /* NO_BUFFER if none is near */

/* --- call.c: one call of submitted code, whatever its kind */

#define MOST_POINTERS 6
#define MOST_NUMBERS 4
#define FUNCTION_NOTHING 0xff /* of every kind: a function that does nothing, as a baseline */

struct call {
    unsigned function, pointers, numbers; /* numbers and pointers: how many were given */
    uint8_t *p[MOST_POINTERS];            /* those not given are NULL */
    uint32_t n[MOST_NUMBERS];             /* those not given are 0 */
};

enum status call_perform(void); /* takes the call from the payload; may give FAULT data */

/* At the end of the function that calls the subject: keeps the last call from becoming
 * a jump, so that every function is entered at the same depth of the stack. */
#define CALL_RETURNS __asm__ volatile("" : : : "memory")
void call_nothing(const uint8_t *p, const uint8_t *q, uint32_t n);

/* --- abi.c: calls that are seen to leave registers and flags as the ABI says */

#define ABI_REGISTER_WORDS 6u

enum status abi_watch(void);
int abi_watching(void); /* 1: what follows is how the subject shall be called */
/* `words` are those of registers, always six, then those of the stack. */
uint64_t abi_call(unsigned number, void (*function)(void), const uint64_t *words, unsigned beyond);
uint64_t abi_half(uint32_t value); /* a word whose upper half is not the function's business */

/* --- modes.c: calls under other floating-point modes */

enum status modes_set(void);
void modes_enter(void); /* right before submitted code */
void modes_leave(void); /* right after it; more often does no harm */

/* --- stack.c: how deep calls go */

enum status stack_paint(void);
enum status stack_depth(void);
enum status stack_watched(void (*work)(void *), void *argument); /* guarded(), and looked at */
void stack_within(void (*work)(void *), void *argument);         /* in what is guarded */

/* --- left.c: what calls leave behind */

enum status left_set(void);
int left_wanted(void); /* 1: what follows is to be called right before and after a call */
void left_clear(void);
void left_keep(void);
void left_freed(const uint8_t *block, uint64_t size);

/* --- timing.c, or untimed.c where nothing can be timed */

void timing_prepare(void); /* opens what a sealed process could not */
enum status timing_counters(void);
enum status timing_select(void);
enum status timing_clock(void);
enum status timing_loop(void);
enum status timing_classes(enum status (*perform)(int code)); /* `perform` does one request */

/* --- timing.c alone */

uint64_t ticks_now(void);

/* How often run(batch) fits `window` ticks, at best of some trials. */
uint32_t timing_passes(void (*run)(const void *), const void *batch, uint64_t window,
                       uint32_t trials, uint64_t *spent);

/* Takes the number of samples, and up to two loops of the meter with their lengths; gives as
 * many timings of run(batch) and one before, each with those of the loops right behind it;
 * before(batch) comes before each of them, and after(batch) in the end, both untimed. */
enum status timing_series(void (*before)(const void *), void (*run)(const void *),
                          void (*after)(const void *), const void *batch);

/* --- guard.c: runs `work` under the fault guard; on a fault gives its description */
enum status guarded(void (*work)(void *), void *argument);
enum status thread_set(void); /* whether each is in a thread of its own from now on */

/* --- allocation.c: memory that cannot be had, and how much is asked for */

enum status allocation_starve(void);
enum status allocation_use(void);

/* --- again.c: the same requests again and again; `perform` does one */

enum status once(enum status (*perform)(int code)); /* what is left of the payload */
enum status again(enum status (*perform)(int code));
enum status vary(enum status (*perform)(int code)); /* with other inputs in each round */

#endif
