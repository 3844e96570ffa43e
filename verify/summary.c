/* Lines and counts of a correctness run. */
#include "verify/summary.h"
#include "core/utf8.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements compared in one run of a sized case, in all runs of the edge cases; the largest ULP distance of all checks. */
static void statistics(const json_t *verdict, double *elements, double *max_ulp)
{
    size_t i;
    json_t *check;
    const int is_edge = strcmp(json_get_text(verdict, "size", ""), "edge") == 0;
    *elements = *max_ulp = 0;
    json_array_foreach(json_object_get(verdict, "checks"), i, check)
    {
        const double n = json_get_number(check, "elements", 0);
        *elements = is_edge ? *elements + n : fmax(*elements, n);
        *max_ulp = fmax(*max_ulp, json_get_number(check, "max_ulp", 0));
    }
}

void summary_format(const char *name, const json_t *verdict, char *out, size_t out_bytes)
{
    const char *status = json_get_text(verdict, "status", "fail"),
               *reason = json_get_text(verdict, "reason", "");
    double elements, max_ulp;
    statistics(verdict, &elements, &max_ulp);
    if (strcmp(status, "pass") == 0)
        snprintf(out, out_bytes, "PASS %s %.0f elements, max ulp %.0f, %.2f s", name, elements, max_ulp,
                 json_get_number(verdict, "seconds", 0));
    else if (strcmp(status, "skipped") == 0)
        snprintf(out, out_bytes, "SKIP %s: %s", name, reason);
    else if (strcmp(status, "fail") == 0)
        snprintf(out, out_bytes, "FAIL %s: %s", name, reason);
    else
        snprintf(out, out_bytes, "FAIL %s (%s): %s", name, status, reason);
}

void summary_add_verdict(verify_summary *summary, const char *name, const json_t *verdict, int quiet)
{
    const char *status = json_get_text(verdict, "status", "fail");
    json_t *entry = json_object();
    char line[1200];
    if (strcmp(status, "pass") == 0)
        summary->passed++;
    else if (strcmp(status, "skipped") == 0)
        summary->skipped++;
    else
        summary->failed++;
    json_object_set_new(entry, "name", json_string(name));
    for (size_t i = 0; i < 3; i++) {
        static const char *const keys[] = {"status", "reason", "seconds"};
        json_object_set(entry, keys[i], json_object_get(verdict, keys[i]));
    }
    json_array_append_new(summary->cases, entry);
    if (quiet)
        return;
    summary_format(name, verdict, line, sizeof line);
    clean_printf(stdout, "%s\n", line);
    fflush(stdout);
}

void summary_add_error(verify_summary *summary, const char *name, const char *reason, int exit_status)
{
    json_t *entry = json_object();
    if (summary->errors++ == 0)
        summary->error_exit = exit_status == ASSAY_EXIT_USAGE ? ASSAY_EXIT_USAGE : ASSAY_EXIT_ENVIRONMENT;
    json_object_set_new(entry, "name", json_string(name));
    json_object_set_new(entry, "status", json_string("error"));
    json_object_set_new(entry, "reason", json_string(reason));
    json_array_append_new(summary->cases, entry);
    fflush(stdout);
    clean_printf(stderr, "%s could not be judged: %s\n", name, reason);
}

void verify_summary_release(verify_summary *summary)
{
    json_decref(summary->cases);
    *summary = (verify_summary){0};
}

int verify_summary_exit(const verify_summary *summary)
{
    enum { INTERRUPTED = 130 }; /* what shells report for a program ended by SIGINT */
    if (summary->interrupted)
        return INTERRUPTED;
    if (summary->failed > 0)
        return ASSAY_EXIT_CHECK;
    if (summary->errors > 0)
        return summary->error_exit ? summary->error_exit : ASSAY_EXIT_ENVIRONMENT;
    return summary->passed == 0 && summary->skipped > 0 ? ASSAY_EXIT_SKIPPED : ASSAY_EXIT_OK;
}
