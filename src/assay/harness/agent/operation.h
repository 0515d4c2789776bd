/* SPDX-License-Identifier: MIT */
/* What the files of the kind `operation` share. */
#ifndef ASSAY_AGENT_OPERATION_H
#define ASSAY_AGENT_OPERATION_H

#include "agent.h"

#include "../subject/operation.h"

#include <stdint.h>

#define REGISTERS 16
#define HOLLOW_CALL 0x80u /* added to a function's number: arguments are taken, no more */
#define ZEROS_BUFFER 0xfd /* in place of a buffer: what STEP_ZEROS has mapped, to be read */
#define STATE_BUFFER 0xfe /* in place of a buffer: the package's own static memory */

enum step {
    STEP_WRITE = 1,
    STEP_READ,
    STEP_COPY,
    STEP_FILL,
    STEP_ADD,
    STEP_CALL,
    STEP_GIVE,
    STEP_SECRET,
    STEP_PUBLIC,
    STEP_SEED,
    STEP_RANDOM,
    STEP_STACK,
    STEP_SET,
    STEP_SUPPLY,
    STEP_LOG,
    STEP_ZEROS,
    STEP_BESIDE,
    STEP_FAIL,
    STEP_DRAW,
    STEP_EQUAL,
    STEP_WATCH,
    STEP_WATCHED
};

extern unsigned long long assay_registers[REGISTERS];

const struct assay_function *operation_function(unsigned number);    /* NULL: there is none */
int take_arguments(const char *parameters, union assay_word *words); /* 0: some are not there */
int no_room(void);          /* 0: a step cannot be performed for want of memory */
uint64_t take_number(void); /* a register's value, or the constant that follows */

/* --- operation_memory.c */

uint32_t state_bytes(void);     /* of the package's static memory */
int take_pointer(uint8_t **to); /* 0: there is nothing at the place that follows */
int memory_step(unsigned code); /* performs a step; 0: it cannot, or is no such step */

/* --- random.c: what randombytes gives, and how much of it was asked for */

#define RANDOM_KEY_BYTES 32
#define TOLD_LENGTHS 4096u
#if defined(ASSAY_SMALL)
#define MOST_LOGGED 16u
#else
#define MOST_LOGGED TOLD_LENGTHS
#endif

int randombytes(unsigned char *to, unsigned long long length);
void random_seed(const uint8_t seed[RANDOM_KEY_BYTES]);
int random_supply(const uint8_t *data, uint32_t length); /* 0: too much */
void random_counts(uint64_t *calls, uint64_t *bytes);
enum random_fault {
    RANDOM_WORKS,
    RANDOM_STAYS_AWAY, /* it gives nothing, and returns -1 */
    RANDOM_ZEROS,      /* it gives zeros, and returns -1 */
    RANDOM_REPEATS     /* it gives the same bytes in every call, and returns 0 */
};
void random_fail(enum random_fault how, uint32_t from); /* until the next seed */
int random_is_shared(void);                             /* 1: two threads cannot draw at once */
const uint32_t *random_log(uint32_t *calls); /* lengths of the first MOST_LOGGED since the seed */

/* --- operation_beside.c: takes a call, and performs it in a thread for as long as `work` takes */

enum status operation_beside(void (*work)(void *), void *argument);

/* --- random.c, under valgrind; nothing otherwise */

void mark_secret(const void *from, uint64_t length);
void mark_public(const void *from, uint64_t length);
int marks_secrets(void);

#endif
