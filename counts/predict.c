/* The model of predicted times: see predict.h. */
#include "counts/predict.h"
#include "core/json_file.h"
#include "results/results_folder.h"
#include "statistics/describe.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const predict_part_names[PREDICT_PARTS] = {
    "launch", "DRAM", "L2", "shared memory", "issue", "tensor", "latency", "memory latency", "barriers"};

/* What a multiprocessor of compute capability 9.0 holds (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"). Registers are not known without ptxas, so this bounds from above. */
enum { MOST_WARPS = 64, MOST_BLOCKS = 32, SHARED_BYTES = 228 * 1024, RESERVED_BYTES = 1024 };

/* ---- the card ---- */

static double ceiling(const json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (strcmp(json_get_text(item, "name", ""), name) == 0)
            return json_get_number(item, "median", 0);
    }
    return 0;
}

typedef struct overheads {
    double *us;
    int count;
} overheads;

static assay_status keep_overhead(void *context, results_item *item, assay_error *error)
{
    overheads *o = context;
    if (item->kind != RESULTS_RESULT)
        return ASSAY_OK;
    const double us = item->result->overhead_us[TIMING_COLD];
    result_free(item->result);
    if (!(us > 0))
        return ASSAY_OK;
    double *grown = realloc(o->us, (size_t)(o->count + 1) * sizeof *grown);
    if (!grown)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for launch overheads");
    o->us = grown;
    o->us[o->count++] = us;
    return ASSAY_OK;
}

static assay_status read_launch_overhead(const char *results, predict_card *card, assay_error *error)
{
    overheads o = {0};
    assay_status status =
        results_each(results, RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, keep_overhead, &o, error);
    if (status == ASSAY_OK && o.count == 0)
        status =
            assay_error_set(error, ASSAY_ERR_FORMAT,
                            "%s: no result has a cold launch overhead; assay bench measures it", results);
    if (status == ASSAY_OK)
        card->launch_us = stats_median(o.us, o.count);
    free(o.us);
    return status;
}

assay_status predict_card_read(const char *results, predict_card *card, assay_error *error)
{
    static const struct {
        const char *name;
        size_t offset;
    } needed[] = {{"read", offsetof(predict_card, read_gbs)},
                  {"l2", offsetof(predict_card, l2_gbs)},
                  {"shared", offsetof(predict_card, shared_gbs)},
                  {"fma_f32", offsetof(predict_card, fma_tflops)}};
    char path[PATH_MAX];
    json_t *root;
    snprintf(path, sizeof path, "%s/ceilings.json", results);
    assay_status status = json_file_read(path, &root, error);
    if (status != ASSAY_OK)
        return status;
    const json_t *list = json_object_get(root, "ceilings"), *device = json_object_get(root, "device");
    *card = (predict_card){.sm_count = (int)json_get_number(device, "sm_count", 0)};
    snprintf(card->name, sizeof card->name, "%s", json_get_text(device, "name", "?"));
    for (size_t i = 0; i < sizeof needed / sizeof *needed && status == ASSAY_OK; i++) {
        const double value = ceiling(list, needed[i].name);
        memcpy((char *)card + needed[i].offset, &value, sizeof value);
        if (!(value > 0))
            status = assay_error_set(error, ASSAY_ERR_FORMAT,
                                     "%s: no ceiling \"%s\" of a GPU; assay bench measures it", path,
                                     needed[i].name);
    }
    if (status == ASSAY_OK && card->sm_count <= 0)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: device.sm_count is missing", path);
    card->tensor_tflops[ASSAY_F16] = ceiling(list, "tensor_f16");
    card->tensor_tflops[ASSAY_BF16] = ceiling(list, "tensor_bf16");
    card->tensor_tflops[ASSAY_TF32] = card->tensor_tflops[ASSAY_F32] = ceiling(list, "tensor_tf32");
    json_decref(root);
    return status == ASSAY_OK ? read_launch_overhead(results, card, error) : status;
}

/* ---- the model ---- */

static double counter(const result *r, const char *name)
{
    return result_fact_number(&r->counters, name, 0);
}

const char *predict_missing_fact(const result *r)
{
    static const char *const needed[] = {"blocks",
                                         "warps",
                                         "launches",
                                         "block_threads",
                                         "dynamic_shared_bytes",
                                         "global_sectors",
                                         "shared_wavefronts",
                                         "instructions",
                                         "tensor_flops",
                                         "warp_instructions",
                                         "warp_requests",
                                         "warp_barriers"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(result_fact_number(&r->counters, needed[i], NAN)))
            return needed[i];
    return NULL;
}

/* Warps that a multiprocessor holds at most, by the block's threads and dynamic shared memory. */
static double resident_warps(const result *r)
{
    const double block_warps = fmax(1, ceil(counter(r, "block_threads") / 32));
    const double by_warps = floor(MOST_WARPS / block_warps),
                 by_shared = floor(SHARED_BYTES / (counter(r, "dynamic_shared_bytes") + RESERVED_BYTES));
    return block_warps * fmax(1, fmin(MOST_BLOCKS, fmin(by_warps, by_shared)));
}

/* Times of the parts before their factors. What a multiprocessor does alone takes longer where blocks are fewer than these. */
void predict_find_parts(const result *r, const predict_card *card, double part[PREDICT_PARTS])
{
    const double warps = fmax(1, counter(r, "warps")), launches = fmax(1, counter(r, "launches"));
    const double busy = fmin(1, counter(r, "blocks") / launches / card->sm_count);
    const double issue_s = card->fma_tflops * 1e12 / 64,
                 cycle_us = 1e6 * card->sm_count * 256 / (card->fma_tflops * 1e12);
    const double waves = fmax(1, warps / launches / (card->sm_count * resident_warps(r)));
    const double tensor = card->tensor_tflops[r->id.dtype];
    part[PREDICT_LAUNCH] = card->launch_us * launches;
    part[PREDICT_DRAM] = r->bytes / card->read_gbs * 1e-3;
    part[PREDICT_L2] = counter(r, "global_sectors") * 32 / card->l2_gbs * 1e-3 / busy;
    part[PREDICT_SHARED] = counter(r, "shared_wavefronts") * 128 / card->shared_gbs * 1e-3 / busy;
    part[PREDICT_ISSUE] = counter(r, "instructions") / issue_s * 1e6 / busy;
    part[PREDICT_TENSOR] = tensor > 0 ? counter(r, "tensor_flops") / tensor * 1e-6 / busy : 0;
    part[PREDICT_LATENCY] = counter(r, "warp_instructions") * cycle_us * waves;
    part[PREDICT_MEMORY_LATENCY] = counter(r, "warp_requests") * cycle_us * waves;
    part[PREDICT_BARRIERS] = counter(r, "warp_barriers") * cycle_us * waves;
}

void predict_combine(const double part[PREDICT_PARTS], const predict_model *model, prediction *out)
{
    double sum = 0;
    *out = (prediction){.most = PREDICT_DRAM};
    for (int i = 0; i < PREDICT_PARTS; i++) {
        out->part_us[i] = part[i] * model->factor[i];
        if (i == PREDICT_LAUNCH)
            continue;
        sum += pow(out->part_us[i], model->norm);
        if (out->part_us[i] > out->part_us[out->most])
            out->most = (predict_part)i;
    }
    out->us = out->part_us[PREDICT_LAUNCH] + pow(sum, 1 / model->norm);
    out->low_us = out->us * model->low;
    out->high_us = out->us * model->high;
}

void predict_time(const result *counted, const predict_card *card, const predict_model *model,
                  prediction *out)
{
    double part[PREDICT_PARTS];
    predict_find_parts(counted, card, part);
    predict_combine(part, model, out);
}
