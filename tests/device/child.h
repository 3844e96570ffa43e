/* Runs a wrong kernel in a child process and judges the line it ends with. */
#ifndef ASSAY_TESTS_DEVICE_CHILD_H
#define ASSAY_TESTS_DEVICE_CHILD_H

#include "device_test.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DATA_BYTES = 1000 };

typedef struct launch {
    const char *name;
    probe_run run;
    uint32_t blocks, threads;
    size_t shared_bytes;
    int workers;
    int variant;
} launch;

#define LAUNCH(kernel, blocks, threads, shared) \
    ((launch){#kernel, kernel##_run, blocks, threads, shared, 1, 1})
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Everything the child writes to stderr goes to `text`. Returns waitpid's status. */
static inline int run_in_child(const launch *l, char *text, size_t text_bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        signal(SIGABRT, SIG_DFL); /* cmocka catches it */
        signal(SIGSEGV, SIG_DFL);
        fixture f;
        fixture_open(&f, DATA_BYTES);
        fixture_shape(&f, l->blocks, 1, 1, l->threads, 1, 1, l->shared_bytes);
        fixture_options(&f, l->workers, "forward", 0, 0);
        fixture_clear(&f);
        f.args.variant = l->variant;
        const assay_status status = l->run(&f.args, assay_device_stream(f.device));
        _exit(status ? 3 : 0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used + 1 < text_bytes && (n = read(ends[0], text + used, text_bytes - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static inline void expect_text(const char *name, const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s: \"%s\" is missing in: %s", name, part, text);
}

/* With one worker and with two, the report must be one line, start as documented, and hold all of `parts`. */
static inline void expect_report(launch l, const char *what, const char *const *parts)
{
    for (l.workers = 1; l.workers <= 2; l.workers++) {
        char text[8192], start[256];
        const int status = run_in_child(&l, text, sizeof text);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
            fail_msg("%s: ended with wait status 0x%x, not with SIGABRT: %s", l.name, (unsigned)status, text);
        snprintf(start, sizeof start, "assay-simt: error: %s in kernel %s", what, l.name);
        if (strncmp(text, start, strlen(start)) != 0)
            fail_msg("%s: \"%s\" does not start with \"%s\"", l.name, text, start);
        if (strchr(text, '\n') != text + strlen(text) - 1)
            fail_msg("%s: not one line: %s", l.name, text);
        for (const char *const *part = parts; *part; part++)
            expect_text(l.name, text, *part);
    }
}

#endif
