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
        if (json_is_false(json_object_get(check, "required")))
            continue;
        *max_ulp = fmax(*max_ulp, json_get_number(check, "max_ulp", 0));
    }
}

/* "; not met and not claimed: overflowing_squares (5 cases)" */
static void list_unmet(const json_t *verdict, char *out, size_t out_bytes)
{
    const char *name;
    json_t *extra;
    size_t used = 0;
    out[0] = '\0';
    json_object_foreach(json_object_get(verdict, "extras"), name, extra)
    {
        const long long failed = json_integer_value(json_object_get(extra, "failed"));
        if (failed > 0 && !json_is_true(json_object_get(extra, "claimed")) && used < out_bytes)
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%s (%lld case%s)",
                                     used ? ", " : "; not met and not claimed: ", name, failed,
                                     failed == 1 ? "" : "s");
    }
}

void summary_format(const char *name, const json_t *verdict, char *out, size_t out_bytes)
{
    const char *status = json_get_text(verdict, "status", "fail"),
               *reason = json_get_text(verdict, "reason", "");
    double elements, max_ulp;
    char unmet[400];
    statistics(verdict, &elements, &max_ulp);
    list_unmet(verdict, unmet, sizeof unmet);
    if (strcmp(status, "pass") == 0)
        snprintf(out, out_bytes, "PASS %s %.0f elements, max ulp %.0f, %.2f s%s%s", name, elements, max_ulp,
                 json_get_number(verdict, "seconds", 0),
                 json_is_true(json_object_get(verdict, "scaled")) ? " (scaled size)" : "", unmet);
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
    if (json_is_true(json_object_get(verdict, "unsupported")))
        json_object_set_new(entry, "unsupported", json_true());
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

/* 1 if both are cases of one variant and dtype: their names differ in the size alone. */
static int same_kernel(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '.'), *end_b = strrchr(b, '.');
    return end_a && end_b && end_a - a == end_b - b && strncmp(a, b, (size_t)(end_a - a)) == 0;
}

/* The first case of the kernel's, or NULL: `passed`: that passed, else that it refused. */
static const char *find_case(const verify_summary *summary, const char *name, int passed)
{
    size_t i;
    json_t *entry;
    json_array_foreach(summary->cases, i, entry)
    {
        const char *other = json_get_text(entry, "name", "");
        const int wanted = passed ? strcmp(json_get_text(entry, "status", ""), "pass") == 0
                                  : json_is_true(json_object_get(entry, "unsupported"));
        if (wanted && same_kernel(name, other))
            return other;
    }
    return NULL;
}

void summary_fail_partly_refused(verify_summary *summary, int quiet)
{
    const size_t count = json_array_size(summary->cases);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(summary->cases, i);
        const char *name = json_get_text(entry, "name", ""), *passed = find_case(summary, name, 1);
        if (!json_is_true(json_object_get(entry, "unsupported")) || !passed ||
            find_case(summary, name, 0) != name)
            continue;
        char kernel[400], reason[900];
        snprintf(kernel, sizeof kernel, "%.*s", (int)(strrchr(name, '.') - name), name);
        snprintf(reason, sizeof reason, "not verified: it refuses %s as unsupported and computes %s", name,
                 passed);
        summary->failed++;
        json_array_append_new(
            summary->cases, json_pack("{s:s, s:s, s:s}", "name", kernel, "status", "fail", "reason", reason));
        if (!quiet)
            clean_printf(stdout, "FAIL %s: %s\n", kernel, reason);
    }
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
