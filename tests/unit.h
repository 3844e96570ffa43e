/* What unit tests include first: cmocka with the headers that it wants, and a temporary folder. */
#ifndef ASSAY_TESTS_UNIT_H
#define ASSAY_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A test's `state`, which cmocka passes to every one and few read. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define assert_near(a, b, tolerance) assert_true((a) - (b) <= (tolerance) && (b) - (a) <= (tolerance))

/* A fresh folder under $TMPDIR; removed by remove_folder(). */
static inline void make_folder(char out[256])
{
    const char *base = getenv("TMPDIR");
    snprintf(out, 256, "%s/assay-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(out));
}

static inline void remove_folder(const char *folder)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#endif
