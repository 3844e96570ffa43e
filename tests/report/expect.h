/* Texts that reports are held to. */
#ifndef ASSAY_TESTS_REPORT_EXPECT_H
#define ASSAY_TESTS_REPORT_EXPECT_H

#include "tests/unit.h"
#include "core/json_file.h"
#include "fixture.h"
#include "report/report.h"

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

/* Compare with fixtures/expected/NAME. With ASSAY_WRITE_EXPECTED set the file is written instead, to be
 * looked at and committed. */
static inline void compare_expected(const char *text, const char *name)
{
    char path[1024], *expected = NULL;
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", FIXTURE_EXPECTED, name);
    if (getenv("ASSAY_WRITE_EXPECTED")) {
        assert_int_equal(text_file_write(path, text, strlen(text), &error), ASSAY_OK);
        return;
    }
    if (text_file_read(path, &expected, NULL, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    if (strcmp(text, expected) != 0) {
        size_t at = 0, line = 1;
        for (; text[at] == expected[at]; at++)
            line += text[at] == '\n';
        fail_msg("%s differs from line %zu on:\n--- expected\n%.300s\n--- got\n%.300s", path, line,
                 expected + at, text + at);
    }
    free(expected);
}

/* Not inlined: gcc 12 takes the text for one on the stack. */
static __attribute__((noinline, unused)) char *table_text(const fixture *f, int all)
{
    assay_error error = {0};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (report_table(f->ws, NULL, NULL, NULL, all, out, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

#endif
