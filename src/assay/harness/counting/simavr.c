/* SPDX-License-Identifier: MIT */
/*
 * Runs an AVR program on simavr, its UART0 as a byte pipe, and counts exactly.
 *
 *     assay-simavr [--mcu NAME] [--hz N] [--trace TRACE --agent N] ELF COUNTS RANGES [IN OUT [...]]
 *
 * IN and OUT are descriptors, by default standard input and output; what stands
 * behind them is ignored, so that the runner can be started as an agent is. Each
 * instruction and its cycles are added to the slot of its address in flash; a slot
 * also keeps the lowest stack pointer seen in it, until the bench writes 0 there.
 *
 * With an (empty) TRACE it gets the addresses of instructions and of what they access, as
 * qemu-plugin.c says; N is the first slot of the agent.
 *
 * No byte is lost: the UART gets at most what its FIFO takes, and simulated time
 * stands still while the program waits for a byte that has not been sent.
 *
 * Ends with 0 when the input does, with 2 on wrong usage, with 4 when the program
 * crashes (invalid instruction, access outside of memory).
 */
#include "counts.h"

#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include <errno.h>
#include <poll.h>

#define FEED_BYTES 32u       /* the FIFO of simavr's UART holds 63 */
#define IDLE_READS 1000u     /* so many looks at an empty UART in a row: the program waits */
#define IDLE_MILLISECONDS 50 /* then we sleep, but wake in case it waited for something else */
#define LOOK_STEPS 0xfffffu  /* how often to look whether the bench has gone */
#define FAREWELL_CYCLES 16000000u
#define RAMPZ 0x5b
#define STACK_LOW 0x5d
#define STACK_HIGH 0x5e

static avr_t *avr;
static avr_irq_t *receive;
static struct counts counts;
static struct counts_slot **slot_of; /* by address in flash / 2 */
static struct counts_trace *trace;
static size_t first_of_agent; /* its first slot */
static int inside;            /* the package, or what it calls */

static int in_fd = 0, out_fd = 1;
static uint8_t input[1 << 16], output[1 << 12];
static size_t input_at, input_end, output_end;
static int input_over;
static unsigned idle_reads;
static int room;

static void flush(void)
{
    size_t at = 0;
    ssize_t put;

    while (at < output_end) {
        put = write(out_fd, output + at, output_end - at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            exit(0); /* the bench has gone */
        at += (size_t)put;
    }
    output_end = 0;
}

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    (void)param;
    output[output_end++] = (uint8_t)value;
    idle_reads = 0;
    if (output_end == sizeof output)
        flush();
}

/* The UART's FIFO is empty and the program has looked. */
static void on_room(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    (void)value;
    (void)param;
    room = 1;
    idle_reads++;
}

/* Gets what is there, waiting at most so long. */
static void refill(int milliseconds)
{
    struct pollfd asked = {in_fd, POLLIN, 0};
    ssize_t got;

    if (input_over || poll(&asked, 1, milliseconds) <= 0)
        return;
    got = read(in_fd, input, sizeof input);
    if (got < 0 && errno == EINTR)
        return;
    input_at = 0;
    input_end = got > 0 ? (size_t)got : 0;
    input_over = got <= 0;
}

static void feed(void)
{
    unsigned i;

    room = 0;
    if (input_at == input_end) {
        if (idle_reads < IDLE_READS)
            return;
        idle_reads = 0;
        flush();
        refill(IDLE_MILLISECONDS);
    }
    for (i = 0; i < FEED_BYTES && input_at < input_end; i++) {
        avr_raise_irq(receive, input[input_at++]);
        idle_reads = 0;
    }
}

/* X, Y or Z, by the number of its lower half. */
static uint32_t pointer(unsigned number)
{
    return avr->data[number] | (uint32_t)avr->data[number + 1] << 8;
}

/* Loads and stores by X, Y and Z have what becomes of these in their last four bits. */
static int by_pointer(uint32_t *address, unsigned mode)
{
    static const unsigned char by[16] = {0, 30, 30, 0, 30, 30, 30, 30, 0, 28, 28, 0, 26, 26, 26, 0};

    *address = pointer(by[mode]) - ((mode & 3) == 2 && mode != 6);
    return by[mode] != 0;
}

/* 1: the instruction accesses memory at an address that registers say (AVR Instruction Set). */
static int accesses(uint32_t *address)
{
    unsigned code = avr->flash[avr->pc] | (unsigned)avr->flash[avr->pc + 1] << 8, mode = code & 15;

    if ((code & 0xd000) == 0x8000) {
        *address = pointer(code & 8 ? 28 : 30) +
                   ((code >> 8 & 0x20) | (code >> 7 & 0x18) | (code & 7));
        return 1;
    }
    *address = pointer(30);
    if (code == 0x95d8 || (code & 0xfe0e) == 0x9006) /* elpm */
        *address |= (uint32_t)avr->data[RAMPZ] << 16;
    if (code == 0x95c8 || code == 0x95d8 || (code & 0xfe0c) == 0x9004) /* lpm and elpm */
        return 1;
    return (code & 0xfc00) == 0x9000 && by_pointer(address, mode);
}

/* cpse, sbrc, sbrs, sbic, sbis */
static int skips(unsigned code)
{
    return (code & 0xfc00) == 0x1000 || (code & 0xfc08) == 0xfc00 || (code & 0xfd00) == 0x9900;
}

/* One word and one cycle: arithmetic but for products, moves, ports, single bits. */
static int is_short(unsigned code)
{
    if ((code & 0xfe00) == 0x9400)
        return (code & 0xf) < 8 || (code & 0xf) == 0xa || (code & 0xff0f) == 0x9408;
    return !skips(code) && ((code < 0x8000 && (code < 0x200 || code > 0x3ff)) ||
                            (code & 0xf000) == 0xb000 || (code & 0xf000) == 0xe000 ||
                            (code & 0xf808) == 0xf800);
}

/* A skip takes two cycles over such an instruction, and together with it. */
static int takes_what_a_skip_does(void)
{
    static uint32_t skipping = UINT32_MAX; /* where an instruction may be skipped */
    unsigned code = avr->flash[avr->pc] | (unsigned)avr->flash[avr->pc + 1] << 8;
    int does = avr->pc == skipping && is_short(code);

    skipping = skips(code) ? avr->pc + 2 : UINT32_MAX;
    return does;
}

static void record(const struct counts_slot *slot)
{
    int same = takes_what_a_skip_does();
    uint32_t address;

    if (slot != counts.file->slot)
        inside = (size_t)(slot - counts.file->slot) < first_of_agent;
    if (!inside || same)
        return;
    counts_record(trace, (uint64_t)avr->pc << 1);
    if (accesses(&address))
        counts_record(trace, (uint64_t)address << 1 | 1);
}

/* One instruction, accounted to where it stands. */
static int step(void)
{
    struct counts_slot *slot = avr->pc <= avr->flashend ? slot_of[avr->pc >> 1] : slot_of[0];
    avr_cycle_count_t before = avr->cycle;
    uint64_t stack;
    int state;

    if (trace && avr->pc <= avr->flashend)
        record(slot);
    avr->run_cycle_count = 1;
    state = avr_run(avr);
    slot->instructions++;
    slot->cycles += avr->cycle - before;
    stack = (uint64_t)(avr->data[STACK_LOW] | avr->data[STACK_HIGH] << 8);
    if (slot->lowest_stack == 0 || stack < slot->lowest_stack)
        slot->lowest_stack = stack;
    return state;
}

static int run(void)
{
    avr_cycle_count_t last = 0;
    uint64_t steps = 0;
    int state;

    for (;;) {
        state = step();
        if (state == cpu_Crashed || state == cpu_Done)
            break;
        if (room)
            feed();
        if ((++steps & LOOK_STEPS) == 0) {
            flush();
            if (input_at == input_end)
                refill(0);
        }
        if (input_over && last == 0)
            last = avr->cycle + FAREWELL_CYCLES;
        if (input_over && ((idle_reads >= IDLE_READS && input_at == input_end) ||
                           avr->cycle > last)) {
            flush();
            return 0;
        }
    }
    flush();
    fprintf(stderr, "assay-simavr: the program %s at address %#lx\n",
            state == cpu_Done ? "stopped" : "crashed", (unsigned long)avr->pc);
    return 4;
}

static void only_errors(avr_t *core, const int level, const char *format, va_list arguments)
{
    (void)core;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, arguments);
}

static void connect_uart(void)
{
    uint32_t flags = 0;

    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags); /* no console, no sleeping */
    receive = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            on_byte, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON),
                            on_room, NULL);
}

static int load(const char *path, const char *mcu, uint32_t hz)
{
    elf_firmware_t firmware;

    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(path, &firmware) != 0)
        return 0;
    avr = avr_make_mcu_by_name(mcu);
    if (avr == NULL || avr_init(avr) != 0)
        return 0;
    snprintf(firmware.mmcu, sizeof firmware.mmcu, "%s", mcu);
    firmware.frequency = hz;
    avr_load_firmware(avr, &firmware);
    avr->run_cycle_limit = 1; /* avr_run() then runs one instruction */
    avr->log = LOG_ERROR;
    connect_uart();
    return 1;
}

static int prepare(const char *counts_name, const char *ranges_name)
{
    size_t words, i;

    if (!counts_map(&counts, counts_name) || !counts_ranges(&counts, ranges_name))
        return 0;
    words = ((size_t)avr->flashend + 1) / 2;
    slot_of = calloc(words, sizeof *slot_of);
    for (i = 0; slot_of && i < words; i++)
        slot_of[i] = counts_find(&counts, 2 * (uint64_t)i);
    return slot_of != NULL;
}

static int refuse(const char *why)
{
    fprintf(stderr, "assay-simavr: %s\n", why);
    return 2;
}

int main(int argc, char **argv)
{
    const char *mcu = "atmega1281";
    uint32_t hz = 16000000;

    for (; argc > 2 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2)
        if (strcmp(argv[1], "--mcu") == 0)
            mcu = argv[2];
        else if (strcmp(argv[1], "--hz") == 0)
            hz = (uint32_t)strtoul(argv[2], NULL, 10);
        else if (strcmp(argv[1], "--agent") == 0)
            first_of_agent = strtoul(argv[2], NULL, 10);
        else if (strcmp(argv[1], "--trace") != 0 || !(trace = counts_trace_map(argv[2])))
            return refuse("the options are --mcu NAME, --hz N, --trace TRACE and --agent N");
    if (argc < 4)
        return refuse("usage: assay-simavr [OPTIONS] ELF COUNTS RANGES [IN OUT]");
    if (argc > 5) {
        in_fd = atoi(argv[4]);
        out_fd = atoi(argv[5]);
    } else {
        out_fd = dup(1); /* what simavr itself prints goes to standard error */
        dup2(2, 1);
    }
    avr_global_logger_set(only_errors);
    if (!load(argv[1], mcu, hz))
        return refuse("the program cannot be loaded");
    if (!prepare(argv[2], argv[3]))
        return refuse("COUNTS is no counts file, or RANGES has not one range for each slot");
    return run();
}
