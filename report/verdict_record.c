/* See verdict_record.h. */
#include "report/verdict_record.h"
#include "core/json_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_known_status(const char *status)
{
    static const char *const known[] = {"pass", "fail", "crash", "timeout", "does not compile", "skipped"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(status, known[i]) == 0)
            return 1;
    return 0;
}

/* The largest of a number over the checks; NAN if no check has it. */
static double worst_of(const json_t *root, const char *key)
{
    size_t i;
    json_t *check;
    double worst = NAN;
    json_array_foreach(json_object_get(root, "checks"), i, check)
    {
        worst = fmax(worst, json_get_number(check, key, NAN)); /* fmax ignores a NAN */
    }
    return worst;
}

/* Every attempt; a file without a record of attempts is one attempt. */
static int read_attempts(verdict_record *v)
{
    const json_t *attempts = json_object_get(v->root, "attempts");
    const size_t count = json_array_size(attempts);
    v->attempts = calloc(count ? count : 1, sizeof *v->attempts);
    if (!v->attempts)
        return 0;
    v->attempt_count = (int)(count ? count : 1);
    for (int i = 0; i < v->attempt_count; i++) {
        const json_t *attempt = count ? json_array_get(attempts, (size_t)i) : v->root;
        v->attempts[i] =
            (verdict_attempt){json_get_text(attempt, "time", ""), json_get_text(attempt, "status", ""),
                              json_get_text(attempt, "reason", "")};
    }
    return 1;
}

verdict_record *verdict_record_read(json_t *root, char *reason, size_t reason_bytes)
{
    const json_t *schema = json_object_get(root, "schema"), *device = json_object_get(root, "device"),
                 *git = json_object_get(root, "git");
    const char *status = json_get_text(root, "status", "");
    verdict_record *v = NULL;
    if (!json_is_integer(schema))
        snprintf(reason, reason_bytes, "no schema number");
    else if (json_integer_value(schema) != 1)
        snprintf(reason, reason_bytes, "schema %lld; this program reads schema 1",
                 (long long)json_integer_value(schema));
    else if (!is_known_status(status))
        snprintf(reason, reason_bytes, "unknown status '%s'", status);
    else if (!(v = calloc(1, sizeof *v)))
        snprintf(reason, reason_bytes, "no memory");
    if (!v) {
        json_decref(root);
        return NULL;
    }
    *v = (verdict_record){.op = json_get_text(root, "op", ""),
                          .name = json_get_text(root, "variant", ""),
                          .dtype = json_get_text(root, "dtype", ""),
                          .size = json_get_text(root, "size", ""),
                          .status = status,
                          .reason = json_get_text(root, "reason", ""),
                          .rerun = json_get_text(root, "rerun", ""),
                          .kernel_hash = json_get_text(root, "source_sha256", ""),
                          .reference_hash = json_get_text(root, "reference_sha256", ""),
                          .op_json_hash = json_get_text(root, "op_json_sha256", ""),
                          .device_kind = json_get_text(device, "kind", ""),
                          .device_name = json_get_text(device, "name", ""),
                          .device_uuid = json_get_text(device, "uuid", ""),
                          .device_slug = json_get_text(device, "slug", ""),
                          .driver = json_get_text(device, "driver", ""),
                          .runtime = json_get_text(device, "runtime", ""),
                          .commit = json_get_text(git, "commit", ""),
                          .dirty = json_is_true(json_object_get(git, "dirty")),
                          .max_ulp = worst_of(root, "max_ulp"),
                          .worst_ratio = worst_of(root, "worst_ratio"),
                          .root = root};
    if (!read_attempts(v)) {
        snprintf(reason, reason_bytes, "no memory");
        verdict_record_free(v);
        return NULL;
    }
    return v;
}

void verdict_record_free(verdict_record *v)
{
    if (v) {
        json_decref(v->root);
        free(v->attempts);
    }
    free(v);
}

int verdict_record_is(const verdict_record *v, const char *status)
{
    return v && strcmp(v->status, status) == 0;
}

const char *verdict_record_time(const verdict_record *v)
{
    return v->attempt_count ? v->attempts[v->attempt_count - 1].time : "";
}
