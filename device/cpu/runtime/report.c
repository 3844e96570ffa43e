/* The one line that a wrong kernel ends with. Several workers may find an error at once: the first to report is heard. */
#include "device/cpu/runtime/simt.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t append(char *line, size_t used, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static size_t append(char *line, size_t used, size_t bytes, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(line + used, bytes - used, format, list);
    va_end(list);
    return n < 0 ? used : used + (size_t)n < bytes ? used + (size_t)n : bytes - 1;
}

/* `w` NULL: the error belongs to the block as a whole; the details name it. */
void simt_report(simt_worker *w, const char *what, const char *format, ...)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    static char line[4096];
    while (atomic_flag_test_and_set(&reported))
        pause();
    simt_host_stack_open();

    char kernel[512] = "?";
    const simt_worker *at = w ? w : assay_simt_current.worker;
    size_t used = append(line, 0, sizeof line, "assay-simt: error: %s", what);
    if (at && at->job) {
        simt_config_name(&at->job->config, kernel, sizeof kernel);
        used = append(line, used, sizeof line, " in kernel %s", kernel);
    }
    if (w && w->job) {
        const assay_simt_uint3 b = w->context->block_index, t = w->context->self.at;
        used = append(line, used, sizeof line, ", block (%u,%u,%u), thread (%u,%u,%u)", b.x, b.y, b.z, t.x,
                      t.y, t.z);
    }
    used = append(line, used, sizeof line, ": ");
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(line + used, sizeof line - used - 1, format, list);
    va_end(list);
    used = strlen(line);
    (void)n;
    line[used++] = '\n';
    for (size_t done = 0; done < used;) {
        const ssize_t written = write(STDERR_FILENO, line + done, used - done);
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    signal(SIGABRT, SIG_DFL);
    abort();
}

void assay_simt_misaligned(const void *pointer, size_t alignment, const char *op, const char *file, int line)
{
    simt_report(assay_simt_current.worker, "misaligned access",
                "%s at %s:%d of address %p, which is not a multiple of %zu bytes", op, simt_file_name(file),
                line, pointer, alignment);
}

void assay_simt_trap(const char *what, const char *file, int line)
{
    simt_report(assay_simt_current.worker, "trap", "%s at %s:%d", what, simt_file_name(file), line);
}
