/* Values of tunables by the shape, from ops/OP/best/ARCH.json ("tables"): for tunables that a kernel's host code can choose when it is called
 * ("run_time" of op.json). Included by kernels that have such tunables.
 *
 *     const int tile = ASSAY_TUNED(TILE, args->m, args->n, args->k); // dimensions in op.json's order
 *
 * Without a table this is the macro's own value, a constant. With one, the build includes a header that defines ASSAY_TUNED_TABLE before the
 * kernel; the first row whose ranges hold the shape counts, and the macro's value where none does. */
#ifndef ASSAY_TUNED_H
#define ASSAY_TUNED_H

#include <stdint.h>

#ifdef ASSAY_TUNED_TABLE
namespace assay
{

struct tuned_row {
    int64_t least[ASSAY_TUNED_DIMS], most[ASSAY_TUNED_DIMS]; /* both within */
    int values[ASSAY_TUNED_VALUES];
};
static constexpr tuned_row tuned_rows[] = {ASSAY_TUNED_TABLE};

struct tuned_shape {
    int64_t dims[ASSAY_TUNED_DIMS];
};

inline int tuned_value(const tuned_shape &shape, int value, int otherwise)
{
    for (const tuned_row &row : tuned_rows) {
        bool holds = true;
        for (int d = 0; d < ASSAY_TUNED_DIMS; d++)
            holds = holds && row.least[d] <= shape.dims[d] && shape.dims[d] <= row.most[d];
        if (holds)
            return row.values[value];
    }
    return otherwise;
}

} // namespace assay
#define ASSAY_TUNED(NAME, ...) assay::tuned_value({{__VA_ARGS__}}, ASSAY_TUNED_INDEX_##NAME, NAME)
#else
#define ASSAY_TUNED(NAME, ...) (NAME)
#endif

#endif
