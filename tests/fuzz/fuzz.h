/* What the fuzz targets share. A target is one file: it gives one reader whatever bytes come and checks what must hold for every
 * input. The same file is built as a fuzzer (libFuzzer) and as a test that replays its corpus (replay.c). */
#ifndef ASSAY_TESTS_FUZZ_H
#define ASSAY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory with these bytes, by its path. One file: the next call replaces it. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A path FOLDER/NAME that leads to the file above; missing folders of NAME are made. The folder is the process's own and is removed
 * at its end. Valid until the next call. */
const char *fuzz_link(const char *name);
/* The folder itself. */
const char *fuzz_folder(void);

/* From now on jansson's blocks lie on pages of their own, and a use after free is a crash with any compiler: jansson itself is not
 * instrumented. For readers that make few values. */
void fuzz_guard_json(void);

/* The bytes as a text that ends in NUL, in a buffer of exactly that size. Free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Abort with a message unless a condition holds. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

#endif
