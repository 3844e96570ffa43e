/* CTest measurements: see measurements.h. The format is CTest's own (cmake-properties and ctest(1), "Additional Test Measurements"). */
#include "cli/measurements.h"
#include "core/json_file.h"
#include "core/list.h"
#include <dirent.h>
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

static void put_result(const json_t *assay, const char *name)
{
    static const char *const keys[] = {"mean_us", "gbs", "tflops", "percent_of_roof"};
    const char *figure_name;
    const json_t *figure;
    char full[512];
    json_object_foreach((json_t *)json_object_get(assay, "figures"), figure_name, figure)
    {
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            snprintf(full, sizeof full, "%s.%s.%s", name, figure_name, keys[i]);
            put_number(full, json_get_number(figure, keys[i], NAN));
        }
    }
    printf("<CTestMeasurement type=\"text/string\" name=\"%s.status\">%s</CTestMeasurement>\n", name,
           json_get_text(assay, "status", ""));
}

/* One word, and not a list, in each of op, dtype and size: names then need not say them. */
static int is_one_group(const case_filter *filter)
{
    const char *const lists[] = {filter->ops, filter->dtypes, filter->sizes};
    for (int i = 0; i < 3; i++)
        if (list_count(lists[i]) != 1)
            return 0;
    return 1;
}

static int is_result(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

/* Variants match in full or up to a "_", as everywhere; peers always belong. */
static int matches(const case_filter *filter, const json_t *assay)
{
    return list_selects(filter->ops, json_get_text(assay, "op", "")) &&
           list_selects(filter->dtypes, json_get_text(assay, "dtype", "")) &&
           list_selects(filter->sizes, json_get_text(assay, "size", "")) &&
           (strcmp(json_get_text(assay, "kind", ""), "variant") != 0 ||
            list_selects_variant(filter->variants, json_get_text(assay, "variant", "")));
}

void measurements_of_results(const workspace *ws, const case_filter *filter)
{
    char folder[4200], path[4500], name[512];
    struct dirent **entries = NULL;
    if (!run_by_ctest())
        return;
    snprintf(folder, sizeof folder, "%s/bench", ws->results);
    const int count = scandir(folder, &entries, is_result, alphasort);
    for (int i = 0; i < count; i++) {
        json_t *file = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        json_file_read(path, &file, NULL);
        const json_t *assay = json_object_get(file, "assay");
        if (assay != NULL && matches(filter, assay)) {
            snprintf(name, sizeof name, "%s", json_get_text(assay, "variant", ""));
            if (!is_one_group(filter))
                snprintf(name, sizeof name, "%.*s", (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
            put_result(assay, name);
        }
        json_decref(file);
        free(entries[i]);
    }
    free(entries);
}
