/* Write the recorded spaces of the models as T4 files: assay-make-recorded-spaces FOLDER. */
#include "core/json_file.h"
#include "statistics/random.h"
#include "tools/tuning/recorded_spaces.h"
#include <math.h>
#include <stdio.h>

/* What neighbouring configurations differ by for reasons that no model has: 1.5% of deviation, a function of the values. */
static double jitter(const char *name, const int *v, int count)
{
    uint64_t key = 1469598103934665603u;
    for (; *name; name++)
        key = (key ^ (unsigned char)*name) * 1099511628211u;
    for (int i = 0; i < count; i++)
        key = (key ^ (uint64_t)v[i]) * 1099511628211u;
    return exp(0.015 * stats_random_normal(key, 0));
}

static json_t *make_result(const kernel_model *model, const int *v)
{
    static const char *const invalidity[EVALUATION_STATUS_COUNT] = {[EVALUATION_SUCCESS] = "correct",
                                                                    [EVALUATION_FAILED_COMPILE] = "compile",
                                                                    [EVALUATION_FAILED_CORRECTNESS] =
                                                                        "correctness",
                                                                    [EVALUATION_CRASHED] = "runtime",
                                                                    [EVALUATION_TIMEOUT] = "timeout",
                                                                    [EVALUATION_CONSTRAINTS] = "constraints"};
    evaluation_status status = EVALUATION_SUCCESS;
    /* Rounded to a nanosecond: libraries' last digits of exp and log differ from machine to machine. */
    const double time_us =
        round(model->time_us(v, &status) * jitter(model->name, v, model->parameter_count) * 1000) / 1000;
    json_t *values = json_object(), *measurements = json_array();
    for (int i = 0; i < model->parameter_count; i++)
        json_object_set_new(values, model->parameters[i].name, json_integer(v[i]));
    if (status == EVALUATION_SUCCESS)
        json_array_append_new(measurements,
                              json_pack("{s:s, s:f, s:s}", "name", "time", "value", time_us, "unit", "us"));
    return json_pack("{s:o, s:[s], s:{s:f, s:f}, s:s, s:i, s:o}", "configuration", values, "objectives",
                     "time", "times", "compilation_time", 4.0, "benchmark", 0.25, "invalidity",
                     invalidity[status], "correctness", status == EVALUATION_SUCCESS, "measurements",
                     measurements);
}

static json_t *make_results(const kernel_model *model)
{
    json_t *results = json_array();
    long count = 1;
    for (int i = 0; i < model->parameter_count; i++)
        count *= model->parameters[i].count;
    for (long n = 0; n < count; n++) {
        int v[MODEL_MAX_PARAMETERS];
        long rest = n;
        for (int i = model->parameter_count - 1; i >= 0; i--) {
            v[i] = model->parameters[i].values[rest % model->parameters[i].count];
            rest /= model->parameters[i].count;
        }
        json_array_append_new(results, make_result(model, v));
    }
    return results;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return ASSAY_EXIT_USAGE;
    }
    for (int i = 0; kernel_model_at(i); i++) {
        const kernel_model *model = kernel_model_at(i);
        char path[4200];
        assay_error error = {0};
        snprintf(path, sizeof path, "%s/%s.t4.json", argv[1], model->name);
        json_t *root = json_pack(
            "{s:s, s:{s:s, s:s}, s:o}", "schema_version", "1.0.0", "metadata", "name", model->about, "origin",
            "computed by assay-make-recorded-spaces, not measured", "results", make_results(model));
        if (json_file_write(path, root, 1, &error) != ASSAY_OK) {
            fprintf(stderr, "%s: %s\n", argv[0], error.message);
            return assay_status_exit(error.status);
        }
        json_decref(root);
        puts(path);
    }
    return ASSAY_EXIT_OK;
}
