/* SPDX-License-Identifier: MIT */
/* What attacks in attacks.toml are written with. An attack that gets something tells it and
 * ends the agent, so that the test sees it in the account of its end. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __attribute__((unused)) void loot(const char *what)
{
    fprintf(stderr, "LOOT: %.200s\n", what);
    fflush(stderr);
    syscall(SYS_exit_group, 99);
}

/* Whether a file can be read; what is in it is loot. */
static __attribute__((unused)) void read_file(const char *path)
{
    char text[16384], *found; /* environments have zeros between their words */
    int fd = open(path, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    found = got > 0 ? memmem(text, (size_t)got, "@PHRASE@", strlen("@PHRASE@")) : NULL;
    if (found) {
        text[got] = 0;
        loot(found);
    }
    if (fd >= 0)
        close(fd);
}

/* Whether a place can be written to. */
static __attribute__((unused)) void write_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY, 0644);

    if (fd >= 0)
        loot(path);
}

/* Whether somebody can be reached. */
static __attribute__((unused)) void reach(int family, int type, const void *address, size_t size)
{
    int fd = socket(family, type, 0);

    if (fd >= 0 && connect(fd, address, (socklen_t)size) == 0 && write(fd, "hello", 5) == 5)
        loot("a connection");
}

/* Has `by` run in place of a function of the agent's. */
static __attribute__((unused)) void replace(void *at, void *by)
{
    unsigned char jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* to where rax says */
    unsigned long page = (unsigned long)at & ~4095ul;

    memcpy(jump + 2, &by, sizeof by);
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(at, jump, sizeof jump);
}

/* What answers of the agent are made with. */
void give_u8(unsigned char), give_u32(unsigned), give_u64(unsigned long), give_text(const char *);
unsigned char take_u8(void);
unsigned take_u32(void);
unsigned long take_u64(void), ticks_now(void);
int timing_counters(void), timing_clock(void), timing_loop(void);
