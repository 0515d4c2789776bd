/* SPDX-License-Identifier: MIT */

/* crypto_asm_hidden.h - ASM_HIDDEN name: an assembler's word for a symbol that stays inside. */

#ifndef crypto_asm_hidden_h
#define crypto_asm_hidden_h

#if defined(__APPLE__)
#define ASM_HIDDEN .private_extern
#else
#define ASM_HIDDEN .hidden
#endif

#endif
