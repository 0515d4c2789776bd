/* SPDX-License-Identifier: MIT */
/*
 * A board port that needs no board: a program of this machine, to test the interface
 * of ports and the bench's serial line.
 *
 *     agent                  speaks on standard input and output
 *     agent IN OUT [...]     on these descriptors
 *     agent pty              on a new terminal, whose name it prints
 *     agent /dev/...         on this terminal
 */
#define _GNU_SOURCE

#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int in_fd, out_fd = 1;
static uint8_t input[4096], output[4096];
static size_t input_at, input_end, output_end;

static void refuse(const char *what)
{
    perror(what);
    exit(2);
}

/* Every byte passes as it is, at once. */
static void make_raw(int fd)
{
    struct termios line;

    if (tcgetattr(fd, &line) != 0)
        refuse("not a terminal");
    cfmakeraw(&line);
    tcsetattr(fd, TCSANOW, &line);
}

/* The other side is kept open, too: the bench may come and go. */
static int new_terminal(void)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY), other;

    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0)
        refuse("no terminal");
    other = open(ptsname(fd), O_RDWR | O_NOCTTY);
    if (other < 0)
        refuse(ptsname(fd));
    make_raw(other);
    puts(ptsname(fd));
    fflush(stdout);
    return fd;
}

void board_open(int argc, char **argv)
{
    if (argc > 2) {
        in_fd = atoi(argv[1]);
        out_fd = atoi(argv[2]);
    } else if (argc > 1 && strcmp(argv[1], "pty") == 0) {
        in_fd = out_fd = new_terminal();
    } else if (argc > 1) {
        in_fd = out_fd = open(argv[1], O_RDWR | O_NOCTTY);
        if (in_fd < 0)
            refuse(argv[1]);
        make_raw(in_fd);
    }
}

static void flush(void)
{
    size_t at = 0;
    ssize_t put;

    while (at < output_end) {
        put = write(out_fd, output + at, output_end - at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            exit(3); /* the bench has gone */
        at += (size_t)put;
    }
    output_end = 0;
}

int board_read(void)
{
    ssize_t got;

    if (input_at == input_end) {
        flush();
        do
            got = read(in_fd, input, sizeof input);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            return -1;
        input_at = 0;
        input_end = (size_t)got;
    }
    return input[input_at++];
}

void board_write(uint8_t byte)
{
    output[output_end++] = byte;
    if (output_end == sizeof output)
        flush();
}

uint32_t board_ticks(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * BOARD_HZ + (uint64_t)now.tv_nsec / 1000);
}

uint32_t board_stack_room(uintptr_t stack_pointer)
{
    (void)stack_pointer;
    return 1u << 18; /* of the 8 MiB that a process has as a rule */
}
