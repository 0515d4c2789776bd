/* SPDX-License-Identifier: MIT */
/* ecrypt-sync-ae.c - packet functions of stream ciphers that authenticate and bring none. */

#define ASSAY_AUTHENTICATES
#include "packet.h"
