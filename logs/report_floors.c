/* See report_floors.h. */
#include "report_floors.h"
#include "floor_rule.h"
#include "json_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct group_floor {
    double us; /* 0: unknown */
    const char *time;
} group_floor;

static group_floor *floor_at(group_floor *floors, const report_entry *entry)
{
    const size_t row = (size_t)entry->op * ASSAY_DTYPE_COUNT + (size_t)entry->dtype;
    return &floors[row * OPSPEC_MAX_SIZES + (size_t)entry->size];
}

static int has_cold(const report_entry *entry)
{
    return entry->size < OPSPEC_MAX_SIZES && entry->dtype < ASSAY_DTYPE_COUNT &&
           entry->figures[REPORT_COLD].present && isfinite(entry->floor_cold_us) &&
           entry->floor_cold_us > 0.0;
}

/* That of the kernel timed last: kernels that were not timed again may stem from another host. */
static void take_floor(group_floor *floors, const report_entry *entry)
{
    group_floor *floor = floor_at(floors, entry);
    const char *time = json_get_text(entry->result, "time", "");
    if (floor->us > 0.0 && strcmp(time, floor->time) <= 0)
        return;
    *floor = (group_floor){entry->floor_cold_us, time};
}

static void move_figure(report_figure *figure, double us)
{
    if (!figure->present || !(figure->mean_us + us > 0.0))
        return;
    const double scale = figure->mean_us / (figure->mean_us + us);
    double *const times[] = {&figure->mean_us, &figure->median_us, &figure->min_us,
                             &figure->p95_us,  &figure->low_us,    &figure->high_us};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] += us; /* an unknown one stays NAN */
    figure->gbs *= scale;
    figure->tflops *= scale;
}

void report_level_floors(report_model *model)
{
    group_floor *floors =
        calloc((size_t)model->ws->op_count * ASSAY_DTYPE_COUNT * OPSPEC_MAX_SIZES + 1, sizeof *floors);
    for (int i = 0; floors && i < model->count; i++)
        if (model->entries[i].kind == REPORT_VARIANT && has_cold(&model->entries[i]))
            take_floor(floors, &model->entries[i]);
    for (int i = 0; floors && i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        if (entry->kind != REPORT_PEER || !has_cold(entry))
            continue;
        const double shift =
            floor_shift_us(entry->floor_cold_us, floor_at(floors, entry)->us, FLOOR_NOISE_PEER_US);
        if (shift == 0.0)
            continue;
        entry->floor_shift_us = shift;
        move_figure(&entry->figures[REPORT_COLD], shift);
        move_figure(&entry->figures[REPORT_COLD_READ], shift);
    }
    free(floors);
}
