/* See fatbin.h. A fat binary is a header and entries one behind the other, each with a header of its own; all values are little-endian.
 * NVIDIA documents none of it: the offsets below were read off what nvcc 13.0 writes in all its compression modes. */
#include "device/ptx/fatbin.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef ASSAY_WITH_ZSTD
#include <zstd.h>
#endif
#ifdef ASSAY_WITH_LZ4
#include <lz4.h>
#endif

enum { KIND_PTX = 1, KIND_ELF = 2, LEAST_ENTRY_HEADER = 64, MOST_TEXT = 1 << 30 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static const uint64_t magic = 0xba55ed50;

typedef struct entry {
    unsigned kind, arch;
    uint64_t flags, packed_bytes, bytes; /* bytes: once unpacked */
    const unsigned char *data;
} entry;

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

/* The entry at `at`; returns where the next one starts, or NULL if this one does not fit before `end`. */
static const unsigned char *read_entry(const unsigned char *at, const unsigned char *end, entry *e)
{
    if (end - at < LEAST_ENTRY_HEADER)
        return NULL;
    const uint64_t header = get(at + 4, 4), payload = get(at + 8, 8);
    if (header < LEAST_ENTRY_HEADER || header > (uint64_t)(end - at) ||
        payload > (uint64_t)(end - at) - header)
        return NULL;
    e->kind = (unsigned)get(at, 2);
    e->arch = (unsigned)get(at + 28, 4);
    e->flags = get(at + 40, 8);
    e->data = at + header;
    const int packed = (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    e->packed_bytes = packed ? get(at + 16, 4) : payload;
    e->bytes = packed ? get(at + 56, 8) : payload;
    return e->packed_bytes <= payload && e->bytes <= MOST_TEXT ? at + header + payload : NULL;
}

/* 1 if all of the text came out. */
static int unpack_into(const entry *e, char *text)
{
    if (e->flags & FLAG_ZSTD) {
#ifdef ASSAY_WITH_ZSTD
        return ZSTD_decompress(text, e->bytes, e->data, e->packed_bytes) == e->bytes;
#endif
    } else if (e->flags & FLAG_LZ4) {
#ifdef ASSAY_WITH_LZ4
        return LZ4_decompress_safe((const char *)e->data, text, (int)e->packed_bytes, (int)e->bytes) ==
               (int)e->bytes;
#endif
    } else {
        memcpy(text, e->data, e->bytes);
        return 1;
    }
    return 0;
}

static char *unpack(const entry *e, char *reason, size_t reason_bytes)
{
    char *text = malloc(e->bytes + 1);
    if (text && unpack_into(e, text)) {
        text[e->bytes] = '\0';
        return text;
    }
    free(text);
    snprintf(reason, reason_bytes, "its PTX is packed with %s and cannot be unpacked%s",
             e->flags & FLAG_ZSTD ? "zstd" : "LZ4",
#if defined(ASSAY_WITH_ZSTD) && defined(ASSAY_WITH_LZ4)
             ": it is damaged"
#else
             ": compile with --compress-mode=none, or build Assay with libzstd-dev and liblz4-dev"
#endif
    );
    return NULL;
}

/* "sm_90a" -> 90 and 'a'; 0 if it is none. */
static int read_target(const char *text, char *suffix)
{
    int number = 0, used = 0;
    *suffix = '\0';
    if (sscanf(text, "sm_%d%n", &number, &used) != 1)
        return 0;
    if (text[used] == 'a' || text[used] == 'f')
        *suffix = text[used];
    return number;
}

/* How well PTX fits: 0 not at all, else more is better. */
static int rate(const char *text, const char *arch, char target[16])
{
    char has, wants;
    const char *line = strstr(text, ".target");
    line = line ? strstr(line, "sm_") : NULL;
    snprintf(target, 16, "%.*s", line ? (int)strcspn(line, " ,\t\r\n") : 1, line ? line : "?");
    const int number = line ? read_target(line, &wants) : 0, here = read_target(arch, &has);
    if (number == 0 || number > here || (wants == 'a' && (number != here || has != 'a')) ||
        (wants == 'f' && number / 10 != here / 10))
        return 0;
    return number * 2 + (wants != '\0');
}

fatbin_choice fatbin_choose_ptx(const void *image, const char *arch)
{
    fatbin_choice choice = {.text = NULL, .reason = "it holds no device code"};
    const unsigned char *at = image, *end;
    int best = 0;
    entry e;
    if (get(at, 4) != magic) {
        snprintf(choice.reason, sizeof choice.reason, "it is no fat binary");
        return choice;
    }
    end = at + get(at + 6, 2) + get(at + 8, 8);
    for (at += get(at + 6, 2); at && at < end;) {
        at = read_entry(at, end, &e);
        if (at == NULL) {
            snprintf(choice.reason, sizeof choice.reason, "its fat binary is damaged");
        } else if (e.kind == KIND_PTX) {
            char target[16] = "?";
            char *text = unpack(&e, choice.reason, sizeof choice.reason);
            const int rated = text ? rate(text, arch, target) : 0;
            if (text && rated == 0)
                snprintf(choice.reason, sizeof choice.reason, "its PTX is for %s, which does not run on %s",
                         target, arch);
            if (rated > best) {
                best = rated;
                free(choice.text);
                choice.text = text;
            } else {
                free(text);
            }
        } else if (e.kind == KIND_ELF && best == 0 && strncmp(choice.reason, "its PTX", 7) != 0) {
            snprintf(choice.reason, sizeof choice.reason,
                     "it holds machine code for sm_%u and no PTX; compile with -gencode "
                     "arch=compute_%s,code=compute_%s",
                     e.arch, arch + 3, arch + 3);
        }
    }
    return choice;
}
