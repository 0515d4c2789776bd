/* SPDX-License-Identifier: MIT */
/*
 * What every package of the SUPERCOP API looks like to the agent, whatever its operation.
 *
 * The adapter that defines it is generated from the table of operations
 * (src/assay/compile/supercop/adapter.py), one per operation.
 */
#ifndef ASSAY_SUBJECT_OPERATION_H
#define ASSAY_SUBJECT_OPERATION_H

#include <stdint.h>

/* An argument: what it is, the function's parameters say. */
union assay_word {
    unsigned char *bytes;       /* 'o' written, 'i' read, 'b' both */
    unsigned long long number;  /* 'n' */
    unsigned long long *length; /* 'r': where the function writes a length */
};

#define ASSAY_MOST_PARAMETERS 10

struct assay_function {
    const char *suffix;     /* `_xor` of crypto_stream_xor; NULL behind the last one */
    const char *parameters; /* a letter each */
    long long (*call)(const union assay_word *arguments);
};

struct assay_constant {
    const char *name; /* NULL behind the last one */
    unsigned long long value;
};

struct assay_operation_subject {
    const char *operation, *primitive, *implementation;
    const struct assay_constant *constants;
    const struct assay_function *functions;
};

/* The only symbol of a package's objects that others see. */
extern const struct assay_operation_subject assay_operation_subject;

#endif
