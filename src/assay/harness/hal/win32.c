/* SPDX-License-Identifier: MIT */
/* The machine below the agent: Windows, of 32 or 64 bits on x86, and what speaks its API. */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "hal.h"
#include "process.h"
#include "win32_remote.h"

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define HANG_MS 1000
#define GUARD_PAGES 16              /* on both sides of a buffer: code may miss by far */
#define STACK_GUARANTEE (32u << 10) /* for the handler, when code has used up all others */
#define BELOW_FRAME 512u            /* bytes below a frame that belong to what it calls */
#define TICKS_NS 100u               /* of the times of a process */

static HANDLE input_pipe, output_pipe;
static HANDLE kept_out, kept_in; /* a pipe to ourselves */

/* Exceptions, and the numbers that the protocol gives them: those of signals. */
static const struct {
    DWORD code;
    int told;
} caught[] = {
    {EXCEPTION_ACCESS_VIOLATION, 11},
    {EXCEPTION_STACK_OVERFLOW, 11},
    {EXCEPTION_PRIV_INSTRUCTION, 11},
    {EXCEPTION_GUARD_PAGE, 11},
    {EXCEPTION_IN_PAGE_ERROR, 7},
    {EXCEPTION_DATATYPE_MISALIGNMENT, 7},
    {EXCEPTION_ILLEGAL_INSTRUCTION, 4},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, 8},
    {EXCEPTION_INT_OVERFLOW, 8},
    {EXCEPTION_FLT_DIVIDE_BY_ZERO, 8},
    {EXCEPTION_FLT_INVALID_OPERATION, 8},
    {EXCEPTION_FLT_OVERFLOW, 8},
    {EXCEPTION_FLT_UNDERFLOW, 8},
    {EXCEPTION_FLT_INEXACT_RESULT, 8},
    {EXCEPTION_BREAKPOINT, 5},
    {EXCEPTION_SINGLE_STEP, 5},
};
#define TOLD_ABORT 6

/* What a process of 32 bits gets on a system of 64 in place of the last two. */
#define WX86_SINGLE_STEP 0x4000001eu
#define WX86_BREAKPOINT 0x4000001fu

/* Not setjmp: its other half looks for frames to unwind, on a stack that may be gone. */
static void *escape[5];
static uintptr_t escape_stack;
static DWORD owner; /* of `escape`: another thread cannot jump there */
static volatile int armed, fault_number;
static volatile uintptr_t fault_address;
static CRITICAL_SECTION output_lock; /* the watch may be writing when a call returns */

static void disarm(void)
{
    EnterCriticalSection(&output_lock);
    armed = 0;
    LeaveCriticalSection(&output_lock);
}

static __attribute__((noreturn)) void land(void) { __builtin_longjmp(escape, 1); }

static int told(DWORD code)
{
    size_t i;

    for (i = 0; i < sizeof caught / sizeof caught[0]; i++)
        if (caught[i].code == code)
            return caught[i].told;
    return code == WX86_BREAKPOINT || code == WX86_SINGLE_STEP ? 5 : 0;
}

/* Goes on in `land`, on the stack below the frame that guards. */
static LONG CALLBACK on_exception(EXCEPTION_POINTERS *info)
{
    const EXCEPTION_RECORD *record = info->ExceptionRecord;
    CONTEXT *context = info->ContextRecord;
    int number = told(record->ExceptionCode), names_place;

    if (!armed || number == 0 || GetCurrentThreadId() != owner)
        return EXCEPTION_CONTINUE_SEARCH;
    names_place = record->ExceptionCode == EXCEPTION_ACCESS_VIOLATION ||
                  record->ExceptionCode == EXCEPTION_IN_PAGE_ERROR;
    fault_number = number;
    fault_address = names_place ? (uintptr_t)record->ExceptionInformation[1]
                                : (uintptr_t)record->ExceptionAddress;
    context->EFlags &= ~0x500u; /* direction and trap */
#if defined(_WIN64)
    context->Rip = (uintptr_t)land;
    context->Rsp = escape_stack;
#else
    context->Eip = (uintptr_t)land;
    context->Esp = escape_stack;
#endif
    return EXCEPTION_CONTINUE_EXECUTION;
}

/* A fault outside of a call, or in another thread, ends the process as a signal would. */
static LONG WINAPI on_last_resort(EXCEPTION_POINTERS *info)
{
    int number = told(info->ExceptionRecord->ExceptionCode);

    TerminateProcess(GetCurrentProcess(), number ? 128u + (unsigned)number : 3u);
    return EXCEPTION_EXECUTE_HANDLER;
}

static void on_abort(int number)
{
    (void)number;
    signal(SIGABRT, on_abort);
    if (!armed || GetCurrentThreadId() != owner)
        return;
    fault_number = TOLD_ABORT;
    fault_address = 0;
    land();
}

/* Code under test that hangs or exits must not take with it the answers that
 * were ready before: the bench would then name a call too early. And where nobody
 * kills it when the bench has gone, it has to end by itself. */
static DWORD WINAPI watch(void *unused)
{
    int alone = 0;

    (void)unused;
    for (;;) {
        Sleep(HANG_MS);
        EnterCriticalSection(&output_lock);
        if (armed)
            hal_flush();
        LeaveCriticalSection(&output_lock);
        alone = remote_deserted(input_pipe) ? alone + 1 : 0;
        if (alone > 1)
            TerminateProcess(GetCurrentProcess(), 3);
    }
    return 0;
}

/* What code under test prints goes to the standard error stream. */
static void keep_pipes(void)
{
    HANDLE self = GetCurrentProcess(), in = GetStdHandle(STD_INPUT_HANDLE),
           out = GetStdHandle(STD_OUTPUT_HANDLE);
    int nothing = _open("NUL", _O_RDONLY);

    DuplicateHandle(self, in, self, &input_pipe, 0, FALSE, DUPLICATE_SAME_ACCESS);
    DuplicateHandle(self, out, self, &output_pipe, 0, FALSE, DUPLICATE_SAME_ACCESS);
    _dup2(2, 1);
    if (nothing >= 0)
        _dup2(nothing, 0);
    SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
    SetStdHandle(STD_INPUT_HANDLE, NULL);
}

void hal_open(int argc, char **argv)
{
    ULONG guarantee = STACK_GUARANTEE;

    remote_limit(argc, argv);
    owner = GetCurrentThreadId();
    InitializeCriticalSection(&output_lock);
    keep_pipes();
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    SetThreadStackGuarantee(&guarantee);
    AddVectoredExceptionHandler(1, on_exception);
    SetUnhandledExceptionFilter(on_last_resort);
    signal(SIGABRT, on_abort);
    CloseHandle(CreateThread(NULL, 0, watch, NULL, 0, NULL));
    atexit(hal_flush);
}

size_t hal_process_read(uint8_t *to, size_t room)
{
    DWORD got = 0;

    return ReadFile(input_pipe, to, (DWORD)room, &got, NULL) ? got : 0;
}

int hal_process_keep(const uint8_t *from, size_t length)
{
    DWORD put = 0;

    if (kept_in == NULL && !CreatePipe(&kept_out, &kept_in, NULL, 1 << 16))
        return 0;
    return WriteFile(kept_in, from, (DWORD)length, &put, NULL) && put == length;
}

int hal_process_kept(uint8_t *to, size_t length)
{
    DWORD got = 0;

    return ReadFile(kept_out, to, (DWORD)length, &got, NULL) && got == length;
}

int hal_process_asked(void)
{
    DWORD waiting = 0;

    return PeekNamedPipe(input_pipe, NULL, 0, NULL, &waiting, NULL) && waiting > 0;
}

void hal_process_write(const uint8_t *from, size_t length)
{
    DWORD put;

    while (length) {
        if (!WriteFile(output_pipe, from, (DWORD)length, &put, NULL) || put == 0)
            TerminateProcess(GetCurrentProcess(), 3); /* the bench has gone */
        from += put;
        length -= put;
    }
}

void *hal_process_regrow(void *block, size_t size, size_t wanted)
{
    (void)size;
    return realloc(block, wanted);
}

void hal_forget(int argc, char **argv, int replace) { (void)argc, (void)argv, (void)replace; }

void hal_seal(void) {}

uint32_t hal_page_bytes(void)
{
    static uint32_t bytes;
    SYSTEM_INFO info;

    if (bytes == 0) {
        GetSystemInfo(&info);
        bytes = info.dwPageSize;
    }
    return bytes;
}

int hal_map(struct hal_region *region, size_t size)
{
    size_t page = hal_page_bytes();

    region->usable = (size + page - 1) / page * page;
    if (region->usable == 0)
        region->usable = page;
    region->map_bytes = region->usable + 2 * GUARD_PAGES * page;
    region->map = VirtualAlloc(NULL, region->map_bytes, MEM_RESERVE, PAGE_NOACCESS);
    if (region->map == NULL)
        return 0;
    region->base = (uint8_t *)region->map + GUARD_PAGES * page;
    if (VirtualAlloc(region->base, region->usable, MEM_COMMIT, PAGE_READWRITE) != NULL)
        return 1;
    VirtualFree(region->map, 0, MEM_RELEASE);
    return 0;
}

int hal_protect(struct hal_region *region)
{
    DWORD before;

    return VirtualProtect(region->base, region->usable, PAGE_READONLY, &before) != 0;
}

void hal_unmap(struct hal_region *region) { VirtualFree(region->map, 0, MEM_RELEASE); }

const uint8_t *hal_map_zeros(uint64_t size)
{
    if (size != (size_t)size)
        return NULL;
    return VirtualAlloc(NULL, (size_t)size, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
}

void hal_unmap_zeros(const uint8_t *zeros, uint64_t size)
{
    (void)size;
    VirtualFree((void *)(uintptr_t)zeros, 0, MEM_RELEASE);
}

/* As a call would find it: aligned to 16, less the word of the return address. */
static uintptr_t stack_below(const volatile void *frame)
{
    return (((uintptr_t)frame - BELOW_FRAME) & ~(uintptr_t)15) - sizeof(void *);
}

static __attribute__((noinline)) void run(void (*work)(void *), void *argument)
{
    volatile uint8_t here = 0;

    escape_stack = stack_below(&here);
    armed = 1;
    work(argument);
    disarm();
}

int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    if (__builtin_setjmp(escape) != 0) {
        disarm();
        _resetstkoflw(); /* does nothing if the stack did not overflow */
        *address = fault_address;
        return fault_number;
    }
    run(work, argument);
    return 0;
}

uint64_t hal_clock_ns(void)
{
    static LARGE_INTEGER rate;
    LARGE_INTEGER now;
    uint64_t whole, rest;

    if (rate.QuadPart == 0)
        QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&now);
    whole = (uint64_t)now.QuadPart / (uint64_t)rate.QuadPart;
    rest = (uint64_t)now.QuadPart % (uint64_t)rate.QuadPart;
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)rate.QuadPart;
}

static uint64_t ticks(FILETIME time)
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

uint64_t hal_processor_ns(void)
{
    FILETIME begun, ended, kernel, user;

    if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user))
        return 0;
    return (ticks(kernel) + ticks(user)) * TICKS_NS;
}

/* No process can be begun; files are for the jail to refuse. */
void hal_close_doors(void)
{
    JOBOBJECT_BASIC_LIMIT_INFORMATION limits;
    HANDLE job = CreateJobObjectA(NULL, NULL);

    memset(&limits, 0, sizeof limits);
    limits.LimitFlags = JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    limits.ActiveProcessLimit = 1;
    SetInformationJobObject(job, JobObjectBasicLimitInformation, &limits, sizeof limits);
    AssignProcessToJobObject(job, GetCurrentProcess());
}

uint64_t hal_involuntary_switches(void) { return 0; /* Windows does not say */ }
