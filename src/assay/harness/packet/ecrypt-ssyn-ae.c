/* SPDX-License-Identifier: MIT */
/* ecrypt-ssyn-ae.c - packet functions of self-synchronising ciphers with MACs. */

#define ASSAY_AUTHENTICATES
#define ASSAY_FEEDS_BACK
#include "packet.h"
