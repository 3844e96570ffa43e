/* CTest measurements: see measurements.h. The format is CTest's own (cmake-properties and ctest(1),
 * "Additional Test Measurements"). */
#include "cli/measurements.h"
#include "core/json_file.h"
#include "core/list.h"
#include "results/results_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CTest sets this in the environment of every test; other programs look at it for the same reason. */
static int run_by_ctest(void)
{
    const char *version = getenv("DASHBOARD_TEST_FROM_CTEST");
    return version != NULL && version[0] != '\0';
}

static void put_number(const char *name, double value)
{
    if (isfinite(value))
        printf("<CTestMeasurement type=\"numeric/double\" name=\"%s\">%.9g</CTestMeasurement>\n", name,
               value);
}

static double largest(const json_t *checks, const char *key)
{
    double most = NAN;
    size_t i;
    const json_t *check;
    json_array_foreach(checks, i, check) most = fmax(most, json_get_number(check, key, NAN));
    return most;
}

void measurements_of_verdict(const workspace *ws, const case_filter *filter)
{
    assay_case *cases = NULL;
    int count = 0;
    json_t *verdict = NULL;
    char path[4400];
    if (!run_by_ctest() || workspace_list_cases(ws, filter, 1, &cases, &count, NULL) != ASSAY_OK)
        return;
    if (count == 1) {
        case_verdict_path(ws, &cases[0], path, sizeof path);
        json_file_read(path, &verdict, NULL);
    }
    if (verdict != NULL) {
        const json_t *checks = json_object_get(verdict, "checks");
        put_number("seconds", json_get_number(verdict, "seconds", NAN));
        put_number("max_ulp", largest(checks, "max_ulp"));
        put_number("error_over_bound", largest(checks, "worst_ratio"));
    }
    json_decref(verdict);
    free(cases);
}

static void put_result(const result *r, const char *name)
{
    char full[512];
    for (int mode = 0; mode < TIMING_MODES; mode++) {
        const result_times *times = result_get(r, (timing_mode)mode);
        if (!times)
            continue;
        const struct {
            const char *what;
            double value;
        } numbers[] = {{"mean_us", times->mean_us},
                       {"gbs", times->gbs},
                       {"tflops", times->tflops},
                       {"percent_of_bound", times->percent_of_roofline}};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            snprintf(full, sizeof full, "%s.%s.%s", name, timing_mode_name((timing_mode)mode),
                     numbers[i].what);
            put_number(full, numbers[i].value);
        }
    }
    printf("<CTestMeasurement type=\"text/string\" name=\"%s.status\">%s</CTestMeasurement>\n", name,
           result_status_name(r->status));
}

/* One word, and not a list, in each of op, dtype and size: names then need not say them. */
static int is_one_group(const case_filter *filter)
{
    return list_count(filter->ops) == 1 && list_count(filter->dtypes) == 1 && list_count(filter->sizes) == 1;
}

/* Baselines always belong. */
static int matches(const case_filter *filter, const result *r)
{
    return list_selects(filter->ops, r->id.op) &&
           list_selects(filter->dtypes, assay_dtype_name(r->id.dtype)) &&
           list_selects(filter->sizes, r->id.size) &&
           (r->id.kind != RESULT_VARIANT || list_selects_variant(filter->variants, r->id.name));
}

static assay_status put_item(void *context, results_item *item, assay_error *error)
{
    const case_filter *filter = context;
    (void)error;
    if (item->kind == RESULTS_RESULT && matches(filter, item->result)) {
        char name[512];
        if (is_one_group(filter))
            result_full_name(&item->result->id, name, sizeof name);
        else {
            result_file_name(&item->result->id, name, sizeof name);
            name[strlen(name) - strlen(".json")] = '\0';
        }
        put_result(item->result, name);
    }
    result_free(item->result);
    return ASSAY_OK;
}

void measurements_of_results(const workspace *ws, const case_filter *filter)
{
    char folder[4200];
    if (!run_by_ctest())
        return;
    snprintf(folder, sizeof folder, "%s/bench", ws->results);
    results_each(folder, RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, put_item, (void *)filter, NULL);
}
