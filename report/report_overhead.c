/* See report_overhead.h. */
#include "report/report_overhead.h"
#include "results/launch_overhead.h"
#include <math.h>

/* The overhead of the fastest kernel, whose speedup is told. Kernels stand before baselines. NAN: unknown. */
static double overhead_of_kernels(const report_model *model, int first, const report_entry *baseline)
{
    double us = NAN, least = INFINITY;
    for (int i = first; &model->entries[i] < baseline; i++) {
        const report_entry *kernel = &model->entries[i];
        if (kernel->kind != RESULT_VARIANT || kernel->size != baseline->size || !kernel->result ||
            !(kernel->times[TIMING_COLD].mean_us < least))
            continue;
        us = kernel->result->overhead_us[TIMING_COLD];
        least = kernel->times[TIMING_COLD].mean_us;
    }
    return us;
}

static void shift_times(report_times *times, double us)
{
    times->mean_us += us; /* an unknown time stays NAN */
    times->low_us += us;
    times->high_us += us;
}

void report_correct_overhead(report_model *model)
{
    int first = 0; /* of the entry's op and dtype */
    for (int i = 0; i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        if (entry->op != model->entries[first].op || entry->dtype != model->entries[first].dtype)
            first = i;
        if (entry->kind != RESULT_BASELINE || !entry->result)
            continue;
        const double shift =
            overhead_shift_us(entry->result->overhead_us[TIMING_COLD],
                              overhead_of_kernels(model, first, entry), OVERHEAD_NOISE_OF_BASELINE_US);
        if (shift == 0.0 || !(entry->times[TIMING_COLD].mean_us + shift > 0.0))
            continue;
        shift_times(&entry->times[TIMING_COLD], shift);
        shift_times(&entry->times[TIMING_COLD_READ], shift);
        entry->overhead_shift_us = shift;
    }
}
