/* SPDX-License-Identifier: MIT */
/*
 * Steps through calls of functions on simavr and tells what they did, as JSON.
 *
 *     assay-step-avr ELF JOB FACTS
 *
 * JOB has lines of words, numbers in hexadecimal:
 *
 *     mem ADDRESS BYTES              fills data memory
 *     free NAME ADDRESS              where the program's empty memcpy or memset stands
 *     stack LOW TOP BACK             memory for the stack, and the address to return to
 *     call ENTRY REGISTERS START END ...   32 bytes for r0 to r31, and what may be written
 *     digest ADDRESS LENGTH          what to read at the end
 *
 * A write is seen when a byte changes. Facts only; the bench knows what they mean.
 */
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MCU "atmega1281"
#define REGISTERS 32u
#define STACK_LOW 0x5du /* SPL, SPH and SREG stand here */
#define STATUS 0x5fu
#define MOST_STEPS 5000000ul
#define MOST_NOTES 12u
#define MOST_RANGES 8u
#define LINE_BYTES 65536u

struct range {
    unsigned start, end;
};

static avr_t *avr;
static FILE *facts;
static uint8_t *seen; /* data memory as it was before the current instruction */
static unsigned memcpy_at, memset_at, stack_low, stack_top, back;
static struct range ranges[MOST_RANGES];
static unsigned range_count;
static char below[4096], outside[4096], calls[4096];
static unsigned below_count, outside_count, calls_count;

static unsigned stack_pointer(void)
{
    return avr->data[STACK_LOW] | (unsigned)avr->data[STACK_LOW + 1] << 8;
}

static void note(char *notes, unsigned *count, const char *text)
{
    if (*count >= MOST_NOTES)
        return;
    if ((*count)++)
        strcat(notes, ",");
    strcat(notes, text);
}

static int may_write(unsigned at)
{
    unsigned i;

    for (i = 0; i < range_count; i++)
        if (ranges[i].start <= at && at < ranges[i].end)
            return 1;
    return 0;
}

/* Every byte that the instruction at `pc` has changed. */
static void look(unsigned pc, unsigned before)
{
    unsigned after = stack_pointer(), low = before < after ? before : after, at;
    char text[128];

    if (memcmp(seen + REGISTERS, avr->data + REGISTERS, avr->ramend + 1u - REGISTERS) == 0)
        return;
    for (at = REGISTERS; at <= avr->ramend; at++) {
        if (seen[at] == avr->data[at])
            continue;
        seen[at] = avr->data[at];
        if (at >= STACK_LOW && at <= STATUS)
            continue;
        if (at >= stack_low && at <= stack_top) {
            if (at <= low) {
                snprintf(text, sizeof text, "[%u,%u,1,true,%u]", pc, at, low + 1);
                note(below, &below_count, text);
            }
        } else if (!may_write(at)) {
            snprintf(text, sizeof text, "[%u,%u,1]", pc, at);
            note(outside, &outside_count, text);
        }
    }
}

static unsigned pair(unsigned number)
{
    return avr->data[number] | (unsigned)avr->data[number + 1] << 8;
}

/* What memcpy and memset do, and the garbage that a real one may leave. */
static void do_free(const char *name, unsigned copy)
{
    unsigned to = pair(24), from = pair(22), length = pair(20), i;
    char text[128];

    snprintf(text, sizeof text, "[\"%s\",%u,%u,%u,%u]", name, stack_pointer(), avr->data[1], to,
             length);
    note(calls, &calls_count, text);
    for (i = 0; i < length && to + i <= avr->ramend && (!copy || from + i <= avr->ramend); i++)
        avr->data[to + i] = copy ? avr->data[from + i] : (uint8_t)from;
    for (i = 18; i < 24; i++)
        avr->data[i] = (uint8_t)rand();
    avr->data[0] = avr->data[26] = avr->data[27] = avr->data[30] = avr->data[31] = 0x5a;
}

static const char *run(unsigned entry, unsigned long *steps, unsigned *last)
{
    unsigned before;
    int state;

    avr->pc = entry;
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        *last = (unsigned)avr->pc;
        before = stack_pointer();
        if (avr->pc == memcpy_at || avr->pc == memset_at)
            do_free(avr->pc == memcpy_at ? "memcpy" : "memset", avr->pc == memcpy_at);
        avr->run_cycle_count = 1;
        state = avr_run(avr);
        look(*last, before);
        if (state == cpu_Crashed || state == cpu_Done)
            return "it crashed";
        if (avr->pc == back)
            return "";
    }
    return "too long";
}

static void tell_registers(const char *name, unsigned pointer)
{
    unsigned i;

    fprintf(facts, "\"%s\":{\"SP\":%u", name, pointer);
    for (i = 0; i < REGISTERS; i++)
        fprintf(facts, ",\"R%u\":%u", i, avr->data[i]);
    fprintf(facts, "}");
}

static void hex(uint8_t *to, const char *digits)
{
    unsigned value;

    for (; sscanf(digits, "%2x", &value) == 1; digits += 2)
        *to++ = (uint8_t)value;
}

/* The rest of the line: entry, registers, ranges. */
static void call(char *words, unsigned first)
{
    unsigned entry = (unsigned)strtoul(strtok(words, " \n"), NULL, 16), last = 0;
    unsigned long steps = 0;
    const char *end, *word;

    hex(avr->data, strtok(NULL, " \n"));
    for (range_count = 0; range_count < MOST_RANGES && (word = strtok(NULL, " \n")); range_count++) {
        ranges[range_count].start = (unsigned)strtoul(word, NULL, 16);
        ranges[range_count].end = (unsigned)strtoul(strtok(NULL, " \n"), NULL, 16);
    }
    avr->data[stack_top] = (uint8_t)(back >> 1);
    avr->data[stack_top - 1] = (uint8_t)(back >> 9);
    avr->data[STACK_LOW] = (uint8_t)(stack_top - 2);
    avr->data[STACK_LOW + 1] = (uint8_t)((stack_top - 2) >> 8);
    memcpy(seen, avr->data, avr->ramend + 1u);
    below[0] = outside[0] = calls[0] = '\0';
    below_count = outside_count = calls_count = 0;
    fprintf(facts, "%s{", first ? "" : ",");
    tell_registers("before", stack_pointer());
    end = run(entry, &steps, &last);
    fprintf(facts, ",");
    tell_registers("after", stack_pointer());
    fprintf(facts,
            ",\"end\":\"%s\",\"steps\":%lu,\"touched\":[],\"last\":[%u,\"\"],\"below\":[%s],"
            "\"outside\":[%s],\"calls\":[%s]}",
            end, steps, last, below, outside, calls);
}

static void digest(unsigned at, unsigned length)
{
    unsigned i;

    fprintf(facts, "],\"digests\":[\"");
    for (i = 0; i < length; i++)
        fprintf(facts, "%02x", avr->data[at + i]);
    fprintf(facts, "\"]}\n");
}

static void line(char *text)
{
    static unsigned called;
    unsigned a, b;
    int at;
    char name[16];

    if (sscanf(text, "mem %x %n", &a, &at) == 1)
        hex(avr->data + a, text + at);
    else if (sscanf(text, "free %15s %x", name, &a) == 2)
        *(strcmp(name, "memcpy") == 0 ? &memcpy_at : &memset_at) = a;
    else if (sscanf(text, "stack %x %x %x", &stack_low, &stack_top, &back) == 3)
        return;
    else if (strncmp(text, "call ", 5) == 0)
        call(text + 5, called++ == 0);
    else if (sscanf(text, "digest %x %x", &a, &b) == 2)
        digest(a, b);
}

int main(int argc, char **argv)
{
    static char text[LINE_BYTES];
    elf_firmware_t firmware;
    FILE *job;

    memset(&firmware, 0, sizeof firmware);
    if (argc != 4 || elf_read_firmware(argv[1], &firmware) != 0)
        return 2;
    avr = avr_make_mcu_by_name(MCU);
    if (avr == NULL || avr_init(avr) != 0)
        return 2;
    snprintf(firmware.mmcu, sizeof firmware.mmcu, "%s", MCU);
    avr_load_firmware(avr, &firmware);
    avr->run_cycle_limit = 1; /* avr_run() then runs one instruction */
    seen = malloc(avr->ramend + 1u);
    job = fopen(argv[2], "r");
    facts = fopen(argv[3], "w");
    if (seen == NULL || job == NULL || facts == NULL)
        return 2;
    fprintf(facts, "{\"calls\":[");
    while (fgets(text, sizeof text, job))
        line(text);
    return fclose(facts) != 0;
}
