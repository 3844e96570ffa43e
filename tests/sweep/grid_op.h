/* An op for tests of the sweep: y of [A, B, C / parts], with a few parameters, and its implementation. */
#ifndef ASSAY_TESTS_SWEEP_GRID_OP_H
#define ASSAY_TESTS_SWEEP_GRID_OP_H

#include "tests/unit.h"
#include "core/opspec_sweep.h"
#include <sys/stat.h>

static char base[256]; /* the folder of the op */

static inline int setup(void **state)
{
    make_folder(base);
    return 0;
}

static inline int teardown(void **state)
{
    remove_folder(base);
    return 0;
}

/* `sweep` is the text behind "sweep":, NULL for an op.json without it. */
static inline assay_status grid_load(const char *sweep, opspec **spec, assay_error *error)
{
    static const char text[] =
        "{\"schema\":1,\"name\":\"grid\",\"family\":\"elementwise\",\"torch\":\"t\",\"formula\":\"f\","
        "\"complexity\":\"c\","
        "\"access\":\"a\",\"dtypes\":[\"bf16\",\"f32\"],\"inputs\":[{\"name\":\"x\",\"shape\":[\"A\",\"B\","
        "\"C\"]}],"
        "\"outputs\":[{\"name\":\"y\"}],\"params\":[{\"name\":\"parts\",\"type\":\"integer\",\"default\":1},{"
        "\"name\":\"last\","
        "\"type\":\"boolean\",\"default\":false},{\"name\":\"mode\",\"type\":\"text\",\"default\":\"a\","
        "\"choices\":[\"a\",\"b\"]},"
        "{\"name\":\"eps\",\"type\":\"real\",\"default\":0.5,\"min\":0,\"max\":1}],"
        "\"sizes\":{\"small\":{\"A\":4,\"B\":4,\"C\":4},\"medium\":{\"A\":8,\"B\":8,\"C\":8},\"large\":{"
        "\"A\":8,\"B\":100,\"C\":16}},"
        "\"tolerances\":{\"f32\":{\"atol\":0,\"rtol\":0},\"bf16\":{\"atol\":0,\"rtol\":0}}%s%s}";
    char folder[300], all[6000];
    snprintf(folder, sizeof folder, "%s/grid", base);
    mkdir(folder, 0777);
    snprintf(all, sizeof all, text, sweep ? ",\"sweep\":" : "", sweep ? sweep : "");
    write_text(folder, "op.json", all);
    return opspec_load(folder, spec, error);
}

/* A problem whose first axis is 13 is none. */
static assay_status grid_infer(const assay_problem *p, assay_tensor *outputs, assay_error *error)
{
    outputs[0].rank = p->inputs[0].rank;
    memcpy(outputs[0].shape, p->inputs[0].shape, sizeof outputs[0].shape);
    return p->inputs[0].shape[0] == 13 ? assay_error_set(error, ASSAY_ERR_INVALID, "grid: unlucky")
                                       : ASSAY_OK;
}

static double grid_bytes(const assay_problem *p)
{
    return 2.0 * (double)assay_tensor_count(&p->inputs[0]) * (double)assay_dtype_bytes(p->inputs[0].dtype);
}

static double grid_flops(const assay_problem *p)
{
    return (double)assay_tensor_count(&p->inputs[0]);
}

static const assay_op_impl grid_impl = {.infer = grid_infer, .flops = grid_flops, .bytes = grid_bytes};

#endif
