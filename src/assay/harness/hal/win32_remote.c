/* SPDX-License-Identifier: MIT */
/* A job of Windows holds the agent; nothing in it can leave or loosen it from inside. */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "win32_remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <winternl.h>

#define TICKS_OF_A_SECOND 10000000
#define CLOSING_STATE 4u /* FILE_PIPE_CLOSING_STATE, which only headers for drivers have */

typedef NTSTATUS NTAPI query_function(HANDLE, IO_STATUS_BLOCK *, void *, ULONG,
                                      FILE_INFORMATION_CLASS);

static int into_job(int seconds, int mib)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
    JOBOBJECT_BASIC_LIMIT_INFORMATION *basic = &limits.BasicLimitInformation;
    HANDLE job = CreateJobObjectA(NULL, NULL);

    memset(&limits, 0, sizeof limits);
    basic->LimitFlags = JOB_OBJECT_LIMIT_PROCESS_TIME | JOB_OBJECT_LIMIT_PROCESS_MEMORY |
                        JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    basic->PerProcessUserTimeLimit.QuadPart = (LONGLONG)seconds * TICKS_OF_A_SECOND;
    basic->ActiveProcessLimit = 1;
    limits.ProcessMemoryLimit = (SIZE_T)mib << 20;
    return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                                   sizeof limits) &&
           AssignProcessToJobObject(job, GetCurrentProcess());
}

static void keep_to_last_processor(void)
{
    DWORD_PTR ours, all, last = 1;

    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
        return;
    while (ours >>= 1)
        last <<= 1;
    SetProcessAffinityMask(GetCurrentProcess(), last);
}

void remote_limit(int argc, char **argv)
{
    if (argc <= 7)
        return;
    if (!into_job(atoi(argv[5]), atoi(argv[6]))) {
        fprintf(stderr, "Windows refuses limits: error %lu\n", (unsigned long)GetLastError());
        exit(3);
    }
    if (argv[7][0] == '1')
        keep_to_last_processor();
}

int remote_deserted(void *pipe)
{
    static query_function *query;
    FILE_PIPE_LOCAL_INFORMATION found;
    IO_STATUS_BLOCK done;

    if (!PeekNamedPipe(pipe, NULL, 0, NULL, NULL, NULL))
        return GetLastError() == ERROR_BROKEN_PIPE;
    if (query == NULL)
        query = (query_function *)(void *)GetProcAddress(GetModuleHandleA("ntdll.dll"),
                                                         "NtQueryInformationFile");
    return query != NULL &&
           query(pipe, &done, &found, sizeof found, FilePipeLocalInformation) == 0 &&
           found.NamedPipeState == CLOSING_STATE;
}
