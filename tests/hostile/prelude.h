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
