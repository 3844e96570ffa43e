/* See report_floors.h. */
#include "report/report_floors.h"
#include "core/floor_rule.h"
#include "core/json_file.h"
#include <math.h>
#include <string.h>

static int has_cold(const report_entry *entry)
{
    return entry->figures[REPORT_COLD].present && isfinite(entry->floor_cold_us) &&
           entry->floor_cold_us > 0.0;
}

static int is_of_case(const report_entry *kernel, const report_entry *peer)
{
    return kernel->dtype == peer->dtype && kernel->size == peer->size && has_cold(kernel) &&
           report_same_method(kernel, peer, REPORT_COLD);
}

/* That of the fastest kernel, whose speedup is told: kernels may stem from several processes and hosts, and one that was timed again by itself must
 * not move a peer away from the kernel it took turns with. Of those of the peer's method, by another of which an empty kernel takes another time on
 * one host too. 0: unknown. `op` is the first entry of the peer's op: kernels stand before peers. */
static double floor_for(const report_entry *op, const report_entry *peer)
{
    double us = 0.0, least = INFINITY;
    for (const report_entry *kernel = op; kernel < peer && kernel->kind == REPORT_VARIANT; kernel++) {
        if (!is_of_case(kernel, peer) || !(kernel->figures[REPORT_COLD].mean_us < least))
            continue;
        us = kernel->floor_cold_us;
        least = kernel->figures[REPORT_COLD].mean_us;
    }
    return us;
}

/* 1: moved. */
static int move_figure(report_figure *figure, double us)
{
    if (!figure->present || !(figure->mean_us + us > 0.0))
        return 0;
    const double scale = figure->mean_us / (figure->mean_us + us);
    double *const times[] = {&figure->mean_us, &figure->median_us, &figure->min_us,
                             &figure->p95_us,  &figure->low_us,    &figure->high_us};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] += us; /* an unknown one stays NAN */
    figure->gbs *= scale;
    figure->tflops *= scale;
    return 1;
}

void report_level_floors(report_model *model)
{
    const report_entry *op = model->entries;
    for (int i = 0; i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        if (entry->op != op->op)
            op = entry;
        if (entry->kind != REPORT_PEER || !has_cold(entry))
            continue;
        const double noise = floor_noise_of_peer_us(json_object_get(entry->result, "method"));
        const double shift = floor_shift_us(entry->floor_cold_us, floor_for(op, entry), noise);
        if (shift == 0.0)
            continue;
        const int moved = move_figure(&entry->figures[REPORT_COLD], shift);
        if (move_figure(&entry->figures[REPORT_COLD_READ], shift) || moved)
            entry->floor_shift_us = shift;
    }
}
