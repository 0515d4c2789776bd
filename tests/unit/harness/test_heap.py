# SPDX-License-Identifier: MIT
"""The heap that packages get where there is no C library: a thousand steps, all bytes kept."""

import subprocess
from pathlib import Path

from assay.compile.parts import HARNESS

NAMES = [f"-D{name}=heap_{name}" for name in ("malloc", "calloc", "realloc", "free")]
DRIVER = r"""
#include <stdint.h>
#include <string.h>
#include <stddef.h>
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);
uint64_t hal_heap_bytes(void);
static struct { uint8_t *at; size_t length; } held[12];
static int whole(int i)
{
    for (size_t n = 0; n < held[i].length; n++)
        if (held[i].at[n] != (uint8_t)(i * 31 + 7))
            return 0;
    return 1;
}
int main(void)
{
    uint32_t random = 1, full = 0;
    for (int step = 0; step < 1000; step++) {
        random = random * 1664525u + 1013904223u;
        int i = random >> 8 & 7;
        size_t length = random >> 16 & 1023;
        if (!whole(i)) return 1;
        uint8_t *made = step % 3 ? realloc(held[i].at, length) : calloc(1, length);
        if (made == NULL) { full++; continue; }
        if ((uintptr_t)made % _Alignof(max_align_t)) return 2;
        if (step % 3 == 0) {
            for (size_t n = 0; n < length; n++) if (made[n]) return 3;
            free(held[i].at);
        } else
            for (size_t n = 0; n < length && n < held[i].length; n++)
                if (made[n] != (uint8_t)(i * 31 + 7)) return 4;
        memset(made, i * 31 + 7, length);
        held[i].at = made, held[i].length = length;
        for (int k = 0; k < 8; k++) if (!whole(k)) return 5;
    }
    for (int i = 0; i < 8; i++) free(held[i].at);
    if (hal_heap_bytes()) return 6;
    if (calloc(SIZE_MAX / 2, 4) || malloc(SIZE_MAX) || malloc(4096)) return 7;
    if (!malloc(3900)) return 8;
    return full > 10 ? 0 : 9;
}
"""


def test_blocks_keep_their_bytes_and_come_back(tmp_path: Path) -> None:
    """Of all lengths, in a heap of 4 KiB that is often full; all of it is free in the end."""
    (tmp_path / "driver.c").write_text(DRIVER)
    line = ["gcc-12", "-std=gnu11", "-O2", "-fno-builtin", *NAMES, "-DBOARD_ARENA_BYTES=16384u"]
    sources = [str(HARNESS / "hal" / "heap.c"), str(tmp_path / "driver.c")]
    subprocess.run([*line, *sources, "-o", str(tmp_path / "driver")], check=True)
    assert subprocess.run([str(tmp_path / "driver")], check=False).returncode == 0
