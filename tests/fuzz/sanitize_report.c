/* Fuzz target: what compute-sanitizer prints (verify/sanitize_report.h). */
#include "verify/sanitize_report.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sanitize_report report;
    char *text = fuzz_text(data, size);
    sanitize_read_report(text, &report);
    FUZZ_CHECK(memchr(report.first, '\0', sizeof report.first) &&
               memchr(report.step, '\0', sizeof report.step));
    FUZZ_CHECK(report.found || report.errors == 0);
    free(text);
    return 0;
}
