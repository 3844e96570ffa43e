/* assay-clock-guard: lock a card's clock, wait for standard input to end, give the clock back. See clock_lock.h for why it is a process of
 * its own. Started by `assay bench --lock-clocks`; nothing else in Assay changes a setting of a card. */
#include "device/cuda/nvml_clocks.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: assay-clock-guard --uuid GPU-... --mhz N | --restore\n"
    "Locks the card's clock, prints \"locked N\" and gives the clock back when standard input ends.\n"
    "--restore only gives it back.\n";

typedef struct options {
    const char *uuid;
    long mhz;
    int restore;
} options;

static int parse(int argc, char **argv, options *o)
{
    char *end = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--restore") == 0)
            o->restore = 1;
        else if (value && strcmp(argv[i], "--uuid") == 0)
            o->uuid = argv[++i];
        else if (value && strcmp(argv[i], "--mhz") == 0) {
            o->mhz = strtol(argv[++i], &end, 10);
            if (*end)
                return 0;
        } else
            return 0;
    }
    return o->uuid && (o->restore ? o->mhz == 0 : o->mhz > 0);
}

/* What ends the process that asked must not end this one: it has something to put right first. */
static void outlive_the_terminal(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
    (void)setsid();
}

static void wait_for_end(void)
{
    char ignored[64];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, ignored, sizeof ignored);
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
    }
}

int main(int argc, char **argv)
{
    options o = {0};
    assay_error error = {0};
    nvml_session session;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return ASSAY_EXIT_OK;
    }
    if (!parse(argc, argv, &o)) {
        fputs(usage, stderr);
        return ASSAY_EXIT_USAGE;
    }
    outlive_the_terminal();
    nvml_open(&session, o.uuid);
    assay_status status = ASSAY_OK;
    if (!o.restore) {
        status = nvml_lock_clocks(&session, (unsigned)o.mhz, &error);
        if (status == ASSAY_OK) {
            printf("locked %ld\n", o.mhz);
            fflush(stdout);
            wait_for_end();
        }
    }
    if (status == ASSAY_OK)
        status = nvml_restore_clocks(&session, &error);
    nvml_close(&session);
    if (status != ASSAY_OK)
        printf("%s\n", error.message);
    return assay_status_exit(status);
}
