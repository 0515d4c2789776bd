/* SPDX-License-Identifier: MIT */
/* ecrypt-sync.c - packet functions of stream ciphers that bring none. */

#include "packet.h"
