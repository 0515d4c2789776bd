/* SPDX-License-Identifier: MIT */
/* Adapter: a package of the API `ecrypt-sync-ae`, seen as a stream subject. */

#include "ecrypt-portable.h"
#include "ecrypt-sync-ae.h"

#define ASSAY_API "ecrypt-sync-ae"
#define ASSAY_AUTHENTICATES
#include "ecrypt.h"

const struct assay_stream_subject *assay_stream_subject(void) { return &subject; }
