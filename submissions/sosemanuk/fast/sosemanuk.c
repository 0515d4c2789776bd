/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SOSEMANUK, 64 groups of four steps at a time. First the steps are made, one after the other;
 * the words of the LFSR become an array, in which nothing moves. Then Serpent1 is applied to all
 * groups in a loop that compilers turn into vector instructions: word k of the groups is an array.
 * Specification: C. Berbain, O. Billet, A. Canteaut, N. Courtois, H. Gilbert, L. Goubin,
 * A. Gouget, L. Granboulan, C. Lauradoux, M. Minier, T. Pornin, H. Sibert, "Sosemanuk, a fast
 * software-oriented stream cipher", eSTREAM (2005); the S-boxes, linear transformation and key
 * schedule are those of R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced
 * Encryption Standard" (1998).
 *
 * Keys from 128 to 256 bits are specified, and IVs of 128 bits. Shorter keys are lengthened as
 * Serpent lengthens all of them; shorter IVs are filled up with zeros, as in the submission to
 * eSTREAM, whose published vectors confirm it.
 */

#include "ecrypt-sync.h"

/*
 * Products of a byte with alpha, times 2^24, and with the inverse of alpha: the four bytes are
 * the products with beta^23, beta^245, beta^48, beta^239, and beta^16, beta^39, beta^6, beta^64.
 */
static const u32 alpha_times[256] = {
    U32C(0x00000000), U32C(0xE19FCF13), U32C(0x6B973726), U32C(0x8A08F835), U32C(0xD6876E4C),
    U32C(0x3718A15F), U32C(0xBD10596A), U32C(0x5C8F9679), U32C(0x05A7DC98), U32C(0xE438138B),
    U32C(0x6E30EBBE), U32C(0x8FAF24AD), U32C(0xD320B2D4), U32C(0x32BF7DC7), U32C(0xB8B785F2),
    U32C(0x59284AE1), U32C(0x0AE71199), U32C(0xEB78DE8A), U32C(0x617026BF), U32C(0x80EFE9AC),
    U32C(0xDC607FD5), U32C(0x3DFFB0C6), U32C(0xB7F748F3), U32C(0x566887E0), U32C(0x0F40CD01),
    U32C(0xEEDF0212), U32C(0x64D7FA27), U32C(0x85483534), U32C(0xD9C7A34D), U32C(0x38586C5E),
    U32C(0xB250946B), U32C(0x53CF5B78), U32C(0x1467229B), U32C(0xF5F8ED88), U32C(0x7FF015BD),
    U32C(0x9E6FDAAE), U32C(0xC2E04CD7), U32C(0x237F83C4), U32C(0xA9777BF1), U32C(0x48E8B4E2),
    U32C(0x11C0FE03), U32C(0xF05F3110), U32C(0x7A57C925), U32C(0x9BC80636), U32C(0xC747904F),
    U32C(0x26D85F5C), U32C(0xACD0A769), U32C(0x4D4F687A), U32C(0x1E803302), U32C(0xFF1FFC11),
    U32C(0x75170424), U32C(0x9488CB37), U32C(0xC8075D4E), U32C(0x2998925D), U32C(0xA3906A68),
    U32C(0x420FA57B), U32C(0x1B27EF9A), U32C(0xFAB82089), U32C(0x70B0D8BC), U32C(0x912F17AF),
    U32C(0xCDA081D6), U32C(0x2C3F4EC5), U32C(0xA637B6F0), U32C(0x47A879E3), U32C(0x28CE449F),
    U32C(0xC9518B8C), U32C(0x435973B9), U32C(0xA2C6BCAA), U32C(0xFE492AD3), U32C(0x1FD6E5C0),
    U32C(0x95DE1DF5), U32C(0x7441D2E6), U32C(0x2D699807), U32C(0xCCF65714), U32C(0x46FEAF21),
    U32C(0xA7616032), U32C(0xFBEEF64B), U32C(0x1A713958), U32C(0x9079C16D), U32C(0x71E60E7E),
    U32C(0x22295506), U32C(0xC3B69A15), U32C(0x49BE6220), U32C(0xA821AD33), U32C(0xF4AE3B4A),
    U32C(0x1531F459), U32C(0x9F390C6C), U32C(0x7EA6C37F), U32C(0x278E899E), U32C(0xC611468D),
    U32C(0x4C19BEB8), U32C(0xAD8671AB), U32C(0xF109E7D2), U32C(0x109628C1), U32C(0x9A9ED0F4),
    U32C(0x7B011FE7), U32C(0x3CA96604), U32C(0xDD36A917), U32C(0x573E5122), U32C(0xB6A19E31),
    U32C(0xEA2E0848), U32C(0x0BB1C75B), U32C(0x81B93F6E), U32C(0x6026F07D), U32C(0x390EBA9C),
    U32C(0xD891758F), U32C(0x52998DBA), U32C(0xB30642A9), U32C(0xEF89D4D0), U32C(0x0E161BC3),
    U32C(0x841EE3F6), U32C(0x65812CE5), U32C(0x364E779D), U32C(0xD7D1B88E), U32C(0x5DD940BB),
    U32C(0xBC468FA8), U32C(0xE0C919D1), U32C(0x0156D6C2), U32C(0x8B5E2EF7), U32C(0x6AC1E1E4),
    U32C(0x33E9AB05), U32C(0xD2766416), U32C(0x587E9C23), U32C(0xB9E15330), U32C(0xE56EC549),
    U32C(0x04F10A5A), U32C(0x8EF9F26F), U32C(0x6F663D7C), U32C(0x50358897), U32C(0xB1AA4784),
    U32C(0x3BA2BFB1), U32C(0xDA3D70A2), U32C(0x86B2E6DB), U32C(0x672D29C8), U32C(0xED25D1FD),
    U32C(0x0CBA1EEE), U32C(0x5592540F), U32C(0xB40D9B1C), U32C(0x3E056329), U32C(0xDF9AAC3A),
    U32C(0x83153A43), U32C(0x628AF550), U32C(0xE8820D65), U32C(0x091DC276), U32C(0x5AD2990E),
    U32C(0xBB4D561D), U32C(0x3145AE28), U32C(0xD0DA613B), U32C(0x8C55F742), U32C(0x6DCA3851),
    U32C(0xE7C2C064), U32C(0x065D0F77), U32C(0x5F754596), U32C(0xBEEA8A85), U32C(0x34E272B0),
    U32C(0xD57DBDA3), U32C(0x89F22BDA), U32C(0x686DE4C9), U32C(0xE2651CFC), U32C(0x03FAD3EF),
    U32C(0x4452AA0C), U32C(0xA5CD651F), U32C(0x2FC59D2A), U32C(0xCE5A5239), U32C(0x92D5C440),
    U32C(0x734A0B53), U32C(0xF942F366), U32C(0x18DD3C75), U32C(0x41F57694), U32C(0xA06AB987),
    U32C(0x2A6241B2), U32C(0xCBFD8EA1), U32C(0x977218D8), U32C(0x76EDD7CB), U32C(0xFCE52FFE),
    U32C(0x1D7AE0ED), U32C(0x4EB5BB95), U32C(0xAF2A7486), U32C(0x25228CB3), U32C(0xC4BD43A0),
    U32C(0x9832D5D9), U32C(0x79AD1ACA), U32C(0xF3A5E2FF), U32C(0x123A2DEC), U32C(0x4B12670D),
    U32C(0xAA8DA81E), U32C(0x2085502B), U32C(0xC11A9F38), U32C(0x9D950941), U32C(0x7C0AC652),
    U32C(0xF6023E67), U32C(0x179DF174), U32C(0x78FBCC08), U32C(0x9964031B), U32C(0x136CFB2E),
    U32C(0xF2F3343D), U32C(0xAE7CA244), U32C(0x4FE36D57), U32C(0xC5EB9562), U32C(0x24745A71),
    U32C(0x7D5C1090), U32C(0x9CC3DF83), U32C(0x16CB27B6), U32C(0xF754E8A5), U32C(0xABDB7EDC),
    U32C(0x4A44B1CF), U32C(0xC04C49FA), U32C(0x21D386E9), U32C(0x721CDD91), U32C(0x93831282),
    U32C(0x198BEAB7), U32C(0xF81425A4), U32C(0xA49BB3DD), U32C(0x45047CCE), U32C(0xCF0C84FB),
    U32C(0x2E934BE8), U32C(0x77BB0109), U32C(0x9624CE1A), U32C(0x1C2C362F), U32C(0xFDB3F93C),
    U32C(0xA13C6F45), U32C(0x40A3A056), U32C(0xCAAB5863), U32C(0x2B349770), U32C(0x6C9CEE93),
    U32C(0x8D032180), U32C(0x070BD9B5), U32C(0xE69416A6), U32C(0xBA1B80DF), U32C(0x5B844FCC),
    U32C(0xD18CB7F9), U32C(0x301378EA), U32C(0x693B320B), U32C(0x88A4FD18), U32C(0x02AC052D),
    U32C(0xE333CA3E), U32C(0xBFBC5C47), U32C(0x5E239354), U32C(0xD42B6B61), U32C(0x35B4A472),
    U32C(0x667BFF0A), U32C(0x87E43019), U32C(0x0DECC82C), U32C(0xEC73073F), U32C(0xB0FC9146),
    U32C(0x51635E55), U32C(0xDB6BA660), U32C(0x3AF46973), U32C(0x63DC2392), U32C(0x8243EC81),
    U32C(0x084B14B4), U32C(0xE9D4DBA7), U32C(0xB55B4DDE), U32C(0x54C482CD), U32C(0xDECC7AF8),
    U32C(0x3F53B5EB)
};

static const u32 alpha_over[256] = {
    U32C(0x00000000), U32C(0x180F40CD), U32C(0x301E8033), U32C(0x2811C0FE), U32C(0x603CA966),
    U32C(0x7833E9AB), U32C(0x50222955), U32C(0x482D6998), U32C(0xC078FBCC), U32C(0xD877BB01),
    U32C(0xF0667BFF), U32C(0xE8693B32), U32C(0xA04452AA), U32C(0xB84B1267), U32C(0x905AD299),
    U32C(0x88559254), U32C(0x29F05F31), U32C(0x31FF1FFC), U32C(0x19EEDF02), U32C(0x01E19FCF),
    U32C(0x49CCF657), U32C(0x51C3B69A), U32C(0x79D27664), U32C(0x61DD36A9), U32C(0xE988A4FD),
    U32C(0xF187E430), U32C(0xD99624CE), U32C(0xC1996403), U32C(0x89B40D9B), U32C(0x91BB4D56),
    U32C(0xB9AA8DA8), U32C(0xA1A5CD65), U32C(0x5249BE62), U32C(0x4A46FEAF), U32C(0x62573E51),
    U32C(0x7A587E9C), U32C(0x32751704), U32C(0x2A7A57C9), U32C(0x026B9737), U32C(0x1A64D7FA),
    U32C(0x923145AE), U32C(0x8A3E0563), U32C(0xA22FC59D), U32C(0xBA208550), U32C(0xF20DECC8),
    U32C(0xEA02AC05), U32C(0xC2136CFB), U32C(0xDA1C2C36), U32C(0x7BB9E153), U32C(0x63B6A19E),
    U32C(0x4BA76160), U32C(0x53A821AD), U32C(0x1B854835), U32C(0x038A08F8), U32C(0x2B9BC806),
    U32C(0x339488CB), U32C(0xBBC11A9F), U32C(0xA3CE5A52), U32C(0x8BDF9AAC), U32C(0x93D0DA61),
    U32C(0xDBFDB3F9), U32C(0xC3F2F334), U32C(0xEBE333CA), U32C(0xF3EC7307), U32C(0xA492D5C4),
    U32C(0xBC9D9509), U32C(0x948C55F7), U32C(0x8C83153A), U32C(0xC4AE7CA2), U32C(0xDCA13C6F),
    U32C(0xF4B0FC91), U32C(0xECBFBC5C), U32C(0x64EA2E08), U32C(0x7CE56EC5), U32C(0x54F4AE3B),
    U32C(0x4CFBEEF6), U32C(0x04D6876E), U32C(0x1CD9C7A3), U32C(0x34C8075D), U32C(0x2CC74790),
    U32C(0x8D628AF5), U32C(0x956DCA38), U32C(0xBD7C0AC6), U32C(0xA5734A0B), U32C(0xED5E2393),
    U32C(0xF551635E), U32C(0xDD40A3A0), U32C(0xC54FE36D), U32C(0x4D1A7139), U32C(0x551531F4),
    U32C(0x7D04F10A), U32C(0x650BB1C7), U32C(0x2D26D85F), U32C(0x35299892), U32C(0x1D38586C),
    U32C(0x053718A1), U32C(0xF6DB6BA6), U32C(0xEED42B6B), U32C(0xC6C5EB95), U32C(0xDECAAB58),
    U32C(0x96E7C2C0), U32C(0x8EE8820D), U32C(0xA6F942F3), U32C(0xBEF6023E), U32C(0x36A3906A),
    U32C(0x2EACD0A7), U32C(0x06BD1059), U32C(0x1EB25094), U32C(0x569F390C), U32C(0x4E9079C1),
    U32C(0x6681B93F), U32C(0x7E8EF9F2), U32C(0xDF2B3497), U32C(0xC724745A), U32C(0xEF35B4A4),
    U32C(0xF73AF469), U32C(0xBF179DF1), U32C(0xA718DD3C), U32C(0x8F091DC2), U32C(0x97065D0F),
    U32C(0x1F53CF5B), U32C(0x075C8F96), U32C(0x2F4D4F68), U32C(0x37420FA5), U32C(0x7F6F663D),
    U32C(0x676026F0), U32C(0x4F71E60E), U32C(0x577EA6C3), U32C(0xE18D0321), U32C(0xF98243EC),
    U32C(0xD1938312), U32C(0xC99CC3DF), U32C(0x81B1AA47), U32C(0x99BEEA8A), U32C(0xB1AF2A74),
    U32C(0xA9A06AB9), U32C(0x21F5F8ED), U32C(0x39FAB820), U32C(0x11EB78DE), U32C(0x09E43813),
    U32C(0x41C9518B), U32C(0x59C61146), U32C(0x71D7D1B8), U32C(0x69D89175), U32C(0xC87D5C10),
    U32C(0xD0721CDD), U32C(0xF863DC23), U32C(0xE06C9CEE), U32C(0xA841F576), U32C(0xB04EB5BB),
    U32C(0x985F7545), U32C(0x80503588), U32C(0x0805A7DC), U32C(0x100AE711), U32C(0x381B27EF),
    U32C(0x20146722), U32C(0x68390EBA), U32C(0x70364E77), U32C(0x58278E89), U32C(0x4028CE44),
    U32C(0xB3C4BD43), U32C(0xABCBFD8E), U32C(0x83DA3D70), U32C(0x9BD57DBD), U32C(0xD3F81425),
    U32C(0xCBF754E8), U32C(0xE3E69416), U32C(0xFBE9D4DB), U32C(0x73BC468F), U32C(0x6BB30642),
    U32C(0x43A2C6BC), U32C(0x5BAD8671), U32C(0x1380EFE9), U32C(0x0B8FAF24), U32C(0x239E6FDA),
    U32C(0x3B912F17), U32C(0x9A34E272), U32C(0x823BA2BF), U32C(0xAA2A6241), U32C(0xB225228C),
    U32C(0xFA084B14), U32C(0xE2070BD9), U32C(0xCA16CB27), U32C(0xD2198BEA), U32C(0x5A4C19BE),
    U32C(0x42435973), U32C(0x6A52998D), U32C(0x725DD940), U32C(0x3A70B0D8), U32C(0x227FF015),
    U32C(0x0A6E30EB), U32C(0x12617026), U32C(0x451FD6E5), U32C(0x5D109628), U32C(0x750156D6),
    U32C(0x6D0E161B), U32C(0x25237F83), U32C(0x3D2C3F4E), U32C(0x153DFFB0), U32C(0x0D32BF7D),
    U32C(0x85672D29), U32C(0x9D686DE4), U32C(0xB579AD1A), U32C(0xAD76EDD7), U32C(0xE55B844F),
    U32C(0xFD54C482), U32C(0xD545047C), U32C(0xCD4A44B1), U32C(0x6CEF89D4), U32C(0x74E0C919),
    U32C(0x5CF109E7), U32C(0x44FE492A), U32C(0x0CD320B2), U32C(0x14DC607F), U32C(0x3CCDA081),
    U32C(0x24C2E04C), U32C(0xAC977218), U32C(0xB49832D5), U32C(0x9C89F22B), U32C(0x8486B2E6),
    U32C(0xCCABDB7E), U32C(0xD4A49BB3), U32C(0xFCB55B4D), U32C(0xE4BA1B80), U32C(0x17566887),
    U32C(0x0F59284A), U32C(0x2748E8B4), U32C(0x3F47A879), U32C(0x776AC1E1), U32C(0x6F65812C),
    U32C(0x477441D2), U32C(0x5F7B011F), U32C(0xD72E934B), U32C(0xCF21D386), U32C(0xE7301378),
    U32C(0xFF3F53B5), U32C(0xB7123A2D), U32C(0xAF1D7AE0), U32C(0x870CBA1E), U32C(0x9F03FAD3),
    U32C(0x3EA637B6), U32C(0x26A9777B), U32C(0x0EB8B785), U32C(0x16B7F748), U32C(0x5E9A9ED0),
    U32C(0x4695DE1D), U32C(0x6E841EE3), U32C(0x768B5E2E), U32C(0xFEDECC7A), U32C(0xE6D18CB7),
    U32C(0xCEC04C49), U32C(0xD6CF0C84), U32C(0x9EE2651C), U32C(0x86ED25D1), U32C(0xAEFCE52F),
    U32C(0xB6F3A5E2)
};

/* ------------------------------------------------------------------------- */
/* Serpent */

/*
 * The S-boxes as circuits, 32 of each at once. a is the least significant word.
 * They were found for this file by a random search: each output in turn, in a random order, by
 * the fewest gates from what is there already; the best of many trials for each S-box.
 */
#define S0(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (c) | (b);                                                                 \
        const u32 t2 = (d) ^ t1;                                                                  \
        const u32 t3 = t2 | (a);                                                                  \
        const u32 t4 = (d) | (a);                                                                 \
        const u32 t5 = t4 ^ (b);                                                                  \
        const u32 t6 = t5 ^ (c);                                                                  \
        const u32 t7 = (d) ^ (c);                                                                 \
        const u32 t8 = t7 | t2;                                                                   \
        const u32 t9 = t5 ^ t3;                                                                   \
        const u32 t10 = t8 ^ t9;                                                                  \
        const u32 t11 = t9 ^ (d);                                                                 \
        const u32 t12 = t11 & t8;                                                                 \
        const u32 t13 = ~(a);                                                                     \
        const u32 t14 = t12 ^ t13;                                                                \
        const u32 t15 = t11 & (b);                                                                \
        const u32 t16 = t15 ^ t7;                                                                 \
        const u32 t17 = t16 ^ t14;                                                                \
                                                                                                  \
        (a) = t14;                                                                                \
        (b) = t17;                                                                                \
        (c) = t10;                                                                                \
        (d) = t6;                                                                                 \
    } while (0)

#define S1(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (b) ^ (a);                                                                 \
        const u32 t2 = t1 & (d);                                                                  \
        const u32 t3 = t1 & (b);                                                                  \
        const u32 t4 = t3 ^ (c);                                                                  \
        const u32 t5 = ~(d);                                                                      \
        const u32 t6 = t4 ^ t5;                                                                   \
        const u32 t7 = t2 ^ (a);                                                                  \
        const u32 t8 = t7 & t4;                                                                   \
        const u32 t9 = t6 ^ t1;                                                                   \
        const u32 t10 = t8 ^ t9;                                                                  \
        const u32 t11 = t10 ^ t4;                                                                 \
        const u32 t12 = t11 ^ t7;                                                                 \
        const u32 t13 = ~t12;                                                                     \
        const u32 t14 = t13 | t10;                                                                \
        const u32 t15 = t14 ^ t4;                                                                 \
                                                                                                  \
        (a) = t15;                                                                                \
        (b) = t10;                                                                                \
        (c) = t6;                                                                                 \
        (d) = t12;                                                                                \
    } while (0)

#define S2(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (d) | (a);                                                                 \
        const u32 t2 = t1 ^ (b);                                                                  \
        const u32 t3 = (c) & (a);                                                                 \
        const u32 t4 = t3 ^ (d);                                                                  \
        const u32 t5 = (c) ^ (b);                                                                 \
        const u32 t6 = t4 ^ t5;                                                                   \
        const u32 t7 = t5 ^ (a);                                                                  \
        const u32 t8 = t7 & t2;                                                                   \
        const u32 t9 = t8 ^ t4;                                                                   \
        const u32 t10 = ~t9;                                                                      \
        const u32 t11 = t10 | t2;                                                                 \
        const u32 t12 = t11 ^ t7;                                                                 \
        const u32 t13 = t12 ^ t2;                                                                 \
        const u32 t14 = t13 ^ t10;                                                                \
                                                                                                  \
        (a) = t6;                                                                                 \
        (b) = t14;                                                                                \
        (c) = t9;                                                                                 \
        (d) = t12;                                                                                \
    } while (0)

#define S3(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (a) & (b);                                                                 \
        const u32 t2 = (a) | (d);                                                                 \
        const u32 t3 = t2 ^ t1;                                                                   \
        const u32 t4 = (d) & (a);                                                                 \
        const u32 t5 = t4 ^ (b);                                                                  \
        const u32 t6 = t3 | (c);                                                                  \
        const u32 t7 = t5 ^ t6;                                                                   \
        const u32 t8 = (d) ^ (c);                                                                 \
        const u32 t9 = t8 | t1;                                                                   \
        const u32 t10 = t6 ^ (b);                                                                 \
        const u32 t11 = t9 ^ t10;                                                                 \
        const u32 t12 = t7 | t3;                                                                  \
        const u32 t13 = t11 ^ (a);                                                                \
        const u32 t14 = t12 ^ t13;                                                                \
        const u32 t15 = t14 ^ t11;                                                                \
        const u32 t16 = t15 & t11;                                                                \
        const u32 t17 = t16 ^ t3;                                                                 \
                                                                                                  \
        (a) = t17;                                                                                \
        (b) = t11;                                                                                \
        (c) = t14;                                                                                \
        (d) = t7;                                                                                 \
    } while (0)

#define S4(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (a) ^ (d);                                                                 \
        const u32 t2 = (d) & t1;                                                                  \
        const u32 t3 = ~(b);                                                                      \
        const u32 t4 = t3 | t1;                                                                   \
        const u32 t5 = t2 ^ (c);                                                                  \
        const u32 t6 = t4 ^ t5;                                                                   \
        const u32 t7 = t4 ^ (d);                                                                  \
        const u32 t8 = t7 & t6;                                                                   \
        const u32 t9 = t3 ^ t1;                                                                   \
        const u32 t10 = t8 ^ t9;                                                                  \
        const u32 t11 = t10 & t9;                                                                 \
        const u32 t12 = t11 ^ t5;                                                                 \
        const u32 t13 = t12 ^ (a);                                                                \
        const u32 t14 = t5 | (b);                                                                 \
        const u32 t15 = t14 ^ t1;                                                                 \
                                                                                                  \
        (a) = t6;                                                                                 \
        (b) = t13;                                                                                \
        (c) = t10;                                                                                \
        (d) = t15;                                                                                \
    } while (0)

#define S5(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (b) ^ (a);                                                                 \
        const u32 t2 = t1 & (b);                                                                  \
        const u32 t3 = ~(d);                                                                      \
        const u32 t4 = t3 | t1;                                                                   \
        const u32 t5 = t2 ^ (c);                                                                  \
        const u32 t6 = t4 ^ t5;                                                                   \
        const u32 t7 = t6 & t3;                                                                   \
        const u32 t8 = t7 ^ t1;                                                                   \
        const u32 t9 = t5 ^ (a);                                                                  \
        const u32 t10 = t9 & t6;                                                                  \
        const u32 t11 = t3 ^ t1;                                                                  \
        const u32 t12 = t10 ^ t11;                                                                \
        const u32 t13 = t11 & t10;                                                                \
        const u32 t14 = t13 ^ t3;                                                                 \
        const u32 t15 = t14 ^ t9;                                                                 \
                                                                                                  \
        (a) = t6;                                                                                 \
        (b) = t8;                                                                                 \
        (c) = t12;                                                                                \
        (d) = t15;                                                                                \
    } while (0)

#define S6(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (c) ^ (a);                                                                 \
        const u32 t2 = (b) ^ (d);                                                                 \
        const u32 t3 = (d) | (a);                                                                 \
        const u32 t4 = ~t3;                                                                       \
        const u32 t5 = t2 ^ t1;                                                                   \
        const u32 t6 = t4 ^ t5;                                                                   \
        const u32 t7 = (c) | (b);                                                                 \
        const u32 t8 = t7 & t5;                                                                   \
        const u32 t9 = t2 & (d);                                                                  \
        const u32 t10 = t8 ^ t9;                                                                  \
        const u32 t11 = t3 ^ (c);                                                                 \
        const u32 t12 = t11 | t2;                                                                 \
        const u32 t13 = t8 ^ t6;                                                                  \
        const u32 t14 = t12 ^ t13;                                                                \
        const u32 t15 = t14 ^ (d);                                                                \
        const u32 t16 = t15 | t8;                                                                 \
        const u32 t17 = t16 ^ (c);                                                                \
                                                                                                  \
        (a) = t14;                                                                                \
        (b) = t6;                                                                                 \
        (c) = t17;                                                                                \
        (d) = t10;                                                                                \
    } while (0)

#define S7(a, b, c, d)                                                                            \
    do {                                                                                          \
        const u32 t1 = (a) & (c);                                                                 \
        const u32 t2 = (a) | (d);                                                                 \
        const u32 t3 = (a) & (b);                                                                 \
        const u32 t4 = t1 | (b);                                                                  \
        const u32 t5 = t4 ^ t2;                                                                   \
        const u32 t6 = (d) ^ (c);                                                                 \
        const u32 t7 = t5 ^ t6;                                                                   \
        const u32 t8 = t7 | (c);                                                                  \
        const u32 t9 = t8 ^ (a);                                                                  \
        const u32 t10 = t3 | (d);                                                                 \
        const u32 t11 = t9 ^ t10;                                                                 \
        const u32 t12 = t9 | t1;                                                                  \
        const u32 t13 = t12 & t6;                                                                 \
        const u32 t14 = ~t3;                                                                      \
        const u32 t15 = t13 ^ t14;                                                                \
        const u32 t16 = t6 ^ t3;                                                                  \
        const u32 t17 = t16 & t11;                                                                \
        const u32 t18 = t4 ^ (a);                                                                 \
        const u32 t19 = t17 ^ t18;                                                                \
                                                                                                  \
        (a) = t15;                                                                                \
        (b) = t11;                                                                                \
        (c) = t19;                                                                                \
        (d) = t7;                                                                                 \
    } while (0)

#define LINEAR_TRANSFORMATION(a, b, c, d)                                                         \
    do {                                                                                          \
        a = ROTL32(a, 13);                                                                        \
        c = ROTL32(c, 3);                                                                         \
        b ^= a ^ c;                                                                               \
        d ^= c ^ U32V(a << 3);                                                                    \
        b = ROTL32(b, 1);                                                                         \
        d = ROTL32(d, 7);                                                                         \
        a ^= b ^ d;                                                                               \
        c ^= d ^ U32V(b << 7);                                                                    \
        a = ROTL32(a, 5);                                                                         \
        c = ROTL32(c, 22);                                                                        \
    } while (0)

/* ------------------------------------------------------------------------- */
/* Key stream */

/* Groups of four steps that Serpent1 takes together. */
#define GROUPS 64
#define GROUP_BYTES 16

/*
 * Step i of a group, where s points to its s_t and s9 is s_t+9: f takes f_t, and s_t+10 is
 * appended. Both values of the mux are there before its condition is, because each step waits
 * for the R1 of the one before.
 */
#define STEP(f, i)                                                                                \
    do {                                                                                          \
        const u32 product = U32V(R1 * U32C(0x54655307));                                          \
        const u32 both = s[(i) + 1] ^ s[(i) + 8];                                                 \
        const u32 mux = (R1 & 1) ? both : s[(i) + 1];                                             \
                                                                                                  \
        R1 = U32V(R2 + mux);                                                                      \
        R2 = ROTL32(product, 7);                                                                  \
        (f) = U32V(s9 + R1) ^ R2;                                                                 \
        s9 ^= (s[(i) + 3] >> 8) ^ alpha_over[s[(i) + 3] & 0xFF] ^ U32V(s[i] << 8)                 \
              ^ alpha_times[s[i] >> 24];                                                          \
        s[(i) + 10] = s9;                                                                         \
    } while (0)

/*
 * Inlined, the compiler sees that f and s are apart, keeps the last ten words of s in registers
 * for the steps to come, and runs out of registers: 10 % slower with gcc 12 on an AMD EPYC.
 */
#if (defined(__GNUC__) && !defined(__TINYC__))
#define APART __attribute__((noinline))
#else
#define APART
#endif

/* Groups of steps: f takes f_t, s takes s_t and the ten words that follow them. */
APART static void run(ECRYPT_ctx *ctx, u32 f[4][GROUPS], u32 *s, u32 groups)
{
    u32 R1 = ctx->R1;
    u32 R2 = ctx->R2;
    u32 s9 = ctx->s[9];
    u32 k;

    for (k = 0; k < 10; ++k)
        s[k] = ctx->s[k];
    for (k = 0; k < groups; ++k) {
        STEP(f[0][k], 0);
        STEP(f[1][k], 1);
        STEP(f[2][k], 2);
        STEP(f[3][k], 3);
        s += 4;
    }

    for (k = 0; k < 10; ++k)
        ctx->s[k] = s[k];
    ctx->R1 = R1;
    ctx->R2 = R2;
}

/* The key stream replaces s_t: Serpent1 of the groups of f_t is added to it. */
static void combine(u32 f[4][GROUPS], u32 *s, u32 groups)
{
    u32 k;

    for (k = 0; k < groups; ++k) {
        u32 a = f[0][k];
        u32 b = f[1][k];
        u32 c = f[2][k];
        u32 d = f[3][k];

        S2(a, b, c, d);
        s[4 * k] ^= a;
        s[4 * k + 1] ^= b;
        s[4 * k + 2] ^= c;
        s[4 * k + 3] ^= d;
    }
}

/* Without input, the key stream is the output. */
static void stream(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 length)
{
    u32 f[4][GROUPS];
    u32 s[4 * GROUPS + 10];
    u8 word[4];
    u32 part;
    u32 i;

    for (; length > 0; length -= part, output += part) {
        part = (length < GROUPS * GROUP_BYTES) ? length : GROUPS * GROUP_BYTES;
        run(ctx, f, s, (part + GROUP_BYTES - 1) / GROUP_BYTES);
        combine(f, s, (part + GROUP_BYTES - 1) / GROUP_BYTES);
        if (input != 0) {
            for (i = 0; i < part / 4; ++i)
                U32TO8_LITTLE(output + 4 * i, s[i] ^ U8TO32_LITTLE(input + 4 * i));
        } else {
            for (i = 0; i < part / 4; ++i)
                U32TO8_LITTLE(output + 4 * i, s[i]);
        }
        U32TO8_LITTLE(word, s[i]);
        for (i = 4 * i; i < part; ++i)
            output[i] = (u8)((input != 0 ? input[i] : 0) ^ word[i & 3]);
        if (input != 0)
            input += part;
    }
}

/* ------------------------------------------------------------------------- */
/* The API */

void ECRYPT_init(void)
{
}

/* Subkey i: words 4i .. 4i + 3 of Serpent's expansion, of which w holds the last eight. */
#define WORD(k, i)                                                                                \
    do {                                                                                          \
        const u32 t = w[(k) & 7] ^ w[((k) + 3) & 7] ^ w[((k) + 5) & 7] ^ w[((k) + 7) & 7]         \
                      ^ U32C(0x9E3779B9) ^ (u32)(i);                                              \
        w[(k) & 7] = ROTL32(t, 11);                                                               \
    } while (0)

#define SUBKEY(i, S)                                                                              \
    do {                                                                                          \
        u32 a;                                                                                    \
        u32 b;                                                                                    \
        u32 c;                                                                                    \
        u32 d;                                                                                    \
                                                                                                  \
        WORD(4 * (i), 4 * (i));                                                                   \
        WORD(4 * (i) + 1, 4 * (i) + 1);                                                           \
        WORD(4 * (i) + 2, 4 * (i) + 2);                                                           \
        WORD(4 * (i) + 3, 4 * (i) + 3);                                                           \
        a = w[(4 * (i)) & 7];                                                                     \
        b = w[(4 * (i) + 1) & 7];                                                                 \
        c = w[(4 * (i) + 2) & 7];                                                                 \
        d = w[(4 * (i) + 3) & 7];                                                                 \
        S(a, b, c, d);                                                                            \
        ctx->subkeys[i][0] = a;                                                                   \
        ctx->subkeys[i][1] = b;                                                                   \
        ctx->subkeys[i][2] = c;                                                                   \
        ctx->subkeys[i][3] = d;                                                                   \
    } while (0)

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u8 padded[32] = {0};
    u32 w[8];
    u32 i;

    ctx->ivsize = ivsize;
    for (i = 0; i < keysize / 8; ++i)
        padded[i] = key[i];
    if (i < 32)
        padded[i] = 1;
    for (i = 0; i < 8; ++i)
        w[i] = U8TO32_LITTLE(padded + 4 * i);

    SUBKEY(0, S3);
    SUBKEY(1, S2);
    SUBKEY(2, S1);
    SUBKEY(3, S0);
    SUBKEY(4, S7);
    SUBKEY(5, S6);
    SUBKEY(6, S5);
    SUBKEY(7, S4);
    SUBKEY(8, S3);
    SUBKEY(9, S2);
    SUBKEY(10, S1);
    SUBKEY(11, S0);
    SUBKEY(12, S7);
    SUBKEY(13, S6);
    SUBKEY(14, S5);
    SUBKEY(15, S4);
    SUBKEY(16, S3);
    SUBKEY(17, S2);
    SUBKEY(18, S1);
    SUBKEY(19, S0);
    SUBKEY(20, S7);
    SUBKEY(21, S6);
    SUBKEY(22, S5);
    SUBKEY(23, S4);
    SUBKEY(24, S3);
}

#define ROUND(i, S)                                                                               \
    do {                                                                                          \
        y0 ^= ctx->subkeys[i][0];                                                                 \
        y1 ^= ctx->subkeys[i][1];                                                                 \
        y2 ^= ctx->subkeys[i][2];                                                                 \
        y3 ^= ctx->subkeys[i][3];                                                                 \
        S(y0, y1, y2, y3);                                                                        \
        LINEAR_TRANSFORMATION(y0, y1, y2, y3);                                                    \
    } while (0)

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u8 padded[16] = {0};
    u32 y0;
    u32 y1;
    u32 y2;
    u32 y3;
    u32 i;

    for (i = 0; i < ctx->ivsize / 8; ++i)
        padded[i] = iv[i];
    y0 = U8TO32_LITTLE(padded);
    y1 = U8TO32_LITTLE(padded + 4);
    y2 = U8TO32_LITTLE(padded + 8);
    y3 = U8TO32_LITTLE(padded + 12);

    ROUND(0, S0);
    ROUND(1, S1);
    ROUND(2, S2);
    ROUND(3, S3);
    ROUND(4, S4);
    ROUND(5, S5);
    ROUND(6, S6);
    ROUND(7, S7);
    ROUND(8, S0);
    ROUND(9, S1);
    ROUND(10, S2);
    ROUND(11, S3);
    ctx->s[6] = y3;
    ctx->s[7] = y2;
    ctx->s[8] = y1;
    ctx->s[9] = y0;
    ROUND(12, S4);
    ROUND(13, S5);
    ROUND(14, S6);
    ROUND(15, S7);
    ROUND(16, S0);
    ROUND(17, S1);
    ctx->s[4] = y1;
    ctx->s[5] = y3;
    ctx->R1 = y0;
    ctx->R2 = y2;
    ROUND(18, S2);
    ROUND(19, S3);
    ROUND(20, S4);
    ROUND(21, S5);
    ROUND(22, S6);
    ROUND(23, S7);
    ctx->s[0] = y3 ^ ctx->subkeys[24][3];
    ctx->s[1] = y2 ^ ctx->subkeys[24][2];
    ctx->s[2] = y1 ^ ctx->subkeys[24][1];
    ctx->s[3] = y0 ^ ctx->subkeys[24][0];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    (void)action;
    stream(ctx, input, output, msglen);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    stream(ctx, 0, keystream, length);
}
