/* Memory, names and small questions of a result: see result.h. */
#include "results/result.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Texts and arrays come from chunks that are freed together. */
typedef struct result_chunk {
    struct result_chunk *next;
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
} result_chunk;
enum { CHUNK_BYTES = 4096 };

void *result_alloc(result *r, size_t bytes)
{
    const size_t align = _Alignof(max_align_t), rounded = (bytes + align - 1) / align * align;
    result_chunk *chunk = r->chunks;
    if (bytes == 0)
        return NULL;
    if (!chunk || chunk->size - chunk->used < rounded) {
        const size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
        chunk = rounded >= bytes ? calloc(1, sizeof *chunk + size) : NULL;
        r->no_memory |= chunk == NULL;
        if (!chunk)
            return NULL;
        chunk->size = size;
        chunk->next = r->chunks;
        r->chunks = chunk;
    }
    void *out = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return out;
}

const char *result_text(result *r, const char *text)
{
    if (!text || !text[0])
        return "";
    const size_t bytes = strlen(text) + 1;
    char *copy = result_alloc(r, bytes);
    if (!copy)
        return "";
    memcpy(copy, text, bytes);
    return copy;
}

static void set_unknown(result_times *t)
{
    double *const unknown[] = {&t->mean_us,
                               &t->median_us,
                               &t->min_us,
                               &t->p95_us,
                               &t->stddev_us,
                               &t->low_us,
                               &t->high_us,
                               &t->median_low_us,
                               &t->median_high_us,
                               &t->gbs,
                               &t->tflops,
                               &t->percent_of_roofline,
                               &t->quality.dip,
                               &t->quality.dip_critical,
                               &t->quality.low_us,
                               &t->quality.high_us,
                               &t->quality.share_high};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        *unknown[i] = NAN;
    for (int v = 0; v < RESULT_HEALTH_VALUES; v++)
        t->during.low[v] = t->during.median[v] = t->during.high[v] = NAN;
}

result *result_new(void)
{
    result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    const char **const texts[] = {&r->problem.distribution,
                                  &r->reason,
                                  &r->math_mode,
                                  &r->device.kind,
                                  &r->device.name,
                                  &r->device.slug,
                                  &r->device.uuid,
                                  &r->device.driver,
                                  &r->device.runtime,
                                  &r->host.name,
                                  &r->host.cpu,
                                  &r->toolchain.compiler,
                                  &r->toolchain.flags,
                                  &r->toolchain.arch,
                                  &r->hashes.kernel,
                                  &r->hashes.code,
                                  &r->hashes.reference,
                                  &r->hashes.op_json,
                                  &r->library_version,
                                  &r->choice,
                                  &r->launches,
                                  &r->verdict.status,
                                  &r->output_check,
                                  &r->rerun,
                                  &r->benchmark_report};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = "";
    r->flops = r->bytes = r->device.peak_gbs = r->host.load = NAN;
    for (int m = 0; m < TIMING_MODES; m++) {
        r->overhead_us[m] = NAN;
        set_unknown(&r->times[m]);
    }
    return r;
}

void result_free(result *r)
{
    for (result_chunk *chunk = r ? r->chunks : NULL, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(r);
}

void result_add_fact(result *r, result_facts *facts, const char *name, double number, const char *text)
{
    /* Facts are few, so the list may leave its former places in the chunks behind. */
    result_fact *grown = result_alloc(r, (size_t)(facts->count + 1) * sizeof *grown);
    if (!grown)
        return;
    if (facts->count > 0)
        memcpy(grown, facts->facts, (size_t)facts->count * sizeof *grown);
    grown[facts->count] =
        (result_fact){result_text(r, name), result_text(r, text), text && text[0] ? NAN : number};
    facts->facts = grown;
    facts->count++;
}

static const result_fact *find_fact(const result_facts *facts, const char *name)
{
    for (int i = 0; i < facts->count; i++)
        if (strcmp(facts->facts[i].name, name) == 0)
            return &facts->facts[i];
    return NULL;
}

double result_fact_number(const result_facts *facts, const char *name, double fallback)
{
    const result_fact *fact = find_fact(facts, name);
    return fact && !isnan(fact->number) ? fact->number : fallback;
}

const char *result_fact_text(const result_facts *facts, const char *name)
{
    const result_fact *fact = find_fact(facts, name);
    return fact ? fact->text : "";
}

const char *result_kind_name(result_kind kind)
{
    static const char *const names[] = {"variant", "baseline", "unranked baseline"};
    return names[kind];
}

static const char *const status_names[] = {"ok", "unstable", "not timed", "unavailable"};

const char *result_status_name(result_status status)
{
    return status_names[status];
}

int result_status_parse(const char *name, result_status *status)
{
    for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
        if (strcmp(name, status_names[i]) == 0) {
            *status = (result_status)i;
            return 1;
        }
    return 0;
}

int result_is_timed(const result *r)
{
    return r->status == RESULT_OK || r->status == RESULT_UNSTABLE;
}

int result_has(const result *r, timing_mode mode)
{
    return r->times[mode].present;
}

const result_times *result_get(const result *r, timing_mode mode)
{
    return r->times[mode].present ? &r->times[mode] : NULL;
}

static int64_t known(int64_t reasons)
{
    return reasons > 0 ? reasons : 0;
}

int64_t result_reasons(const result_times *times)
{
    int64_t all = 0;
    for (int i = 0; i < times->repetition_count; i++)
        all |= known(times->repetitions[i].before.reasons) | known(times->repetitions[i].after.reasons);
    for (int bit = 0; bit < RESULT_REASON_BITS; bit++)
        if (times->during.reason_share[bit] > 0)
            all |= (int64_t)1 << bit;
    return all;
}

int result_is_too_large(const result *r)
{
    return strncmp(r->reason, RESULT_TOO_LARGE, strlen(RESULT_TOO_LARGE)) == 0;
}

int result_is_not_offered(const result *r)
{
    return strncmp(r->reason, RESULT_NOT_OFFERED, strlen(RESULT_NOT_OFFERED)) == 0;
}

const char *result_flaw_name(unsigned flaw)
{
    static const char *const names[] = {"warm-up", "drift", "outliers", "bimodal", "dependent"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flaw == 1u << i)
            return names[i];
    return NULL;
}

const char *result_baseline_in(const char *full)
{
    const size_t length = strlen(RESULT_BASELINE_PREFIX);
    return strncmp(full, RESULT_BASELINE_PREFIX, length) == 0 ? full + length : NULL;
}

void result_full_name(const result_case *id, char *out, size_t bytes)
{
    snprintf(out, bytes, "%s%s", id->kind == RESULT_VARIANT ? "" : RESULT_BASELINE_PREFIX, id->name);
}

void result_split_name(const char *full, int unranked, result_case *id)
{
    const char *baseline = result_baseline_in(full);
    id->kind = !baseline ? RESULT_VARIANT : unranked ? RESULT_UNRANKED_BASELINE : RESULT_BASELINE;
    snprintf(id->name, sizeof id->name, "%s", baseline ? baseline : full);
}

void result_file_name(const result_case *id, char *out, size_t bytes)
{
    char name[RESULT_FULL_NAME_MAX];
    result_full_name(id, name, sizeof name);
    snprintf(out, bytes, "%s.%s.%s.%s.json", id->op, name, assay_dtype_name(id->dtype), id->size);
}

int64_t result_time_parse(const char *text)
{
    struct tm t = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &t);
    const int day = t.tm_mday;
    const time_t time = end && *end == '\0' ? timegm(&t) : 0;
    return t.tm_mday == day ? (int64_t)time : 0; /* the 31st of February would become the 3rd of March */
}

void result_time_text(int64_t time, char out[32])
{
    struct tm t;
    const time_t seconds = (time_t)time;
    out[0] = '\0';
    if (time != 0 && gmtime_r(&seconds, &t))
        strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &t);
}
