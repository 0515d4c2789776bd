/* SPDX-License-Identifier: MIT */
/*
 * A TCG plugin that counts executed instructions per range of addresses.
 *
 *     qemu-mips -plugin counting.so,counts=FILE,ranges=FILE[,memory=on] PROGRAM
 *
 * Every translated instruction adds 1 to its slot's counter in the counts file: the
 * addition becomes part of the translated code, so it is exact, and fast. A conditional
 * instruction counts whether or not its condition holds, as in a processor's pipeline.
 * With memory=on every access is counted, too, which costs a call each.
 * With trace=FILE (an empty trace, as src/assay/execute/tracing.py makes it) the addresses of
 * instructions and of their accesses are written down in their order: those of the ranges before
 * slot agent=N, and of what is called from there, until an instruction of the agent's own ranges,
 * which are that slot's and later ones. So the C library and the compiler's functions are seen
 * where the package calls them, and not where the agent does.
 *
 * Additions of several guest threads may get lost: counts are for one thread at a time.
 *
 * Debian ships the plugin interface without its header; what is used of version 1 (QEMU
 * 4.2 to 8.2) is declared here. QEMU documents it in docs/devel/tcg-plugins.rst.
 */
#include "counts.h"

#include <stdbool.h>

typedef uint64_t plugin_id;
typedef uint32_t plugin_meminfo;
struct plugin_tb;
struct plugin_insn;

struct plugin_info {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
};

enum plugin_op { PLUGIN_ADD_U64 = 0 };
enum plugin_registers { PLUGIN_NO_REGISTERS = 0 };
enum plugin_access { PLUGIN_READS_AND_WRITES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*translated)(plugin_id, struct plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct plugin_tb *tb);
struct plugin_insn *qemu_plugin_tb_get_insn(const struct plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_inline(struct plugin_insn *insn, enum plugin_op op,
                                                void *at, uint64_t number);
void qemu_plugin_register_vcpu_mem_cb(struct plugin_insn *insn,
                                      void (*accessed)(unsigned cpu, plugin_meminfo info,
                                                       uint64_t address, void *slot),
                                      enum plugin_registers registers,
                                      enum plugin_access access, void *slot);
void qemu_plugin_register_vcpu_insn_exec_cb(struct plugin_insn *insn,
                                            void (*executed)(unsigned cpu, void *address),
                                            enum plugin_registers registers, void *address);
unsigned qemu_plugin_mem_size_shift(plugin_meminfo info);
bool qemu_plugin_mem_is_store(plugin_meminfo info);

#define PUBLIC __attribute__((visibility("default")))

PUBLIC int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc,
                               char **argv);
extern PUBLIC int qemu_plugin_version;
int qemu_plugin_version = 1;

static struct counts counts;
static bool memory;
static struct counts_trace *trace;
static size_t first_of_agent; /* its first slot */
static bool inside;           /* the package, or what it calls */

static void executed(unsigned cpu, void *address)
{
    (void)cpu;
    if (inside)
        counts_record(trace, (uint64_t)(uintptr_t)address << 1);
}

static void entered(unsigned cpu, void *address)
{
    inside = true;
    executed(cpu, address);
}

static void left(unsigned cpu, void *address)
{
    (void)cpu, (void)address;
    inside = false;
}

static void reached(unsigned cpu, plugin_meminfo info, uint64_t address, void *argument)
{
    (void)cpu, (void)info, (void)argument;
    if (inside)
        counts_record(trace, address << 1 | 1);
}

static void accessed(unsigned cpu, plugin_meminfo info, uint64_t address, void *argument)
{
    struct counts_slot *slot = argument;
    uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);

    (void)cpu;
    if (qemu_plugin_mem_is_store(info))
        slot->stores++;
    else
        slot->loads++;
    slot->misaligned += (address & (size - 1)) != 0;
}

static void trace_instruction(struct plugin_insn *insn, uint64_t address, size_t slot)
{
    bool agents = slot >= first_of_agent;

    qemu_plugin_register_vcpu_insn_exec_cb(insn, agents      ? left
                                                 : slot != 0 ? entered
                                                             : executed,
                                           PLUGIN_NO_REGISTERS, (void *)(uintptr_t)address);
    if (!agents)
        qemu_plugin_register_vcpu_mem_cb(insn, reached, PLUGIN_NO_REGISTERS,
                                         PLUGIN_READS_AND_WRITES, NULL);
}

static void translated(plugin_id id, struct plugin_tb *tb)
{
    size_t count = qemu_plugin_tb_n_insns(tb), i;

    (void)id;
    for (i = 0; i < count; i++) {
        struct plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        struct counts_slot *slot = counts_find(&counts, address);

        if (trace)
            trace_instruction(insn, address, (size_t)(slot - counts.file->slot));
        qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, &slot->instructions, 1);
        if (memory)
            qemu_plugin_register_vcpu_mem_cb(insn, accessed, PLUGIN_NO_REGISTERS,
                                             PLUGIN_READS_AND_WRITES, slot);
    }
}

/* The address of a Thumb function has bit 0 set, its instructions' addresses do not. */
static void clear_thumb_bits(void)
{
    uint32_t i;

    for (i = 0; i < counts.range_count; i++) {
        counts.ranges[i].start &= ~UINT64_C(1);
        counts.ranges[i].end += counts.ranges[i].end & 1 ? UINT64_C(-1) : 0;
    }
}

static const char *value_of(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    int i;

    for (i = 0; i < argc; i++)
        if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return "";
}

int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv)
{
    if (!counts_map(&counts, value_of(argc, argv, "counts"))) {
        fputs("counting: counts= names no counts file that can be written\n", stderr);
        return 1;
    }
    if (!counts_ranges(&counts, value_of(argc, argv, "ranges"))) {
        fputs("counting: ranges= names no file with one range for each slot\n", stderr);
        return 1;
    }
    if (*value_of(argc, argv, "trace")) {
        trace = counts_trace_map(value_of(argc, argv, "trace"));
        if (!trace) {
            fputs("counting: trace= names no trace that can be written\n", stderr);
            return 1;
        }
        first_of_agent = strtoul(value_of(argc, argv, "agent"), NULL, 10);
    }
    memory = strcmp(value_of(argc, argv, "memory"), "on") == 0;
    if (strncmp(info->target_name, "arm", 3) == 0)
        clear_thumb_bits();
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
