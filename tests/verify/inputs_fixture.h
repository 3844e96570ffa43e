/* Two inputs of one shape, for tests of what they are filled with. */
#ifndef ASSAY_TESTS_VERIFY_INPUTS_FIXTURE_H
#define ASSAY_TESTS_VERIFY_INPUTS_FIXTURE_H

#include "tests/unit.h"
#include "verify/inputs.h"

typedef struct fixture {
    opspec spec;
    assay_problem problem;
} fixture;

/* The first is normal, the second uniform. */
static inline void make(fixture *f, assay_dtype dtype, int64_t rows, int64_t columns)
{
    memset(f, 0, sizeof *f);
    f->spec.input_count = f->problem.input_count = 2;
    f->problem.dtype = dtype;
    for (int i = 0; i < 2; i++) {
        strcpy(f->spec.inputs[i].distribution, i ? "uniform" : "normal");
        f->problem.inputs[i] = (assay_tensor){.dtype = dtype, .rank = 2, .shape = {rows, columns}};
        f->problem.inputs[i].data = calloc((size_t)(rows * columns) + 1, assay_dtype_bytes(dtype));
    }
}

static inline void release(fixture *f)
{
    for (int i = 0; i < 2; i++)
        free(f->problem.inputs[i].data);
}

static inline void fill(fixture *f, uint64_t seed, const char *special)
{
    assert_int_equal(inputs_fill(&f->problem, &f->spec, seed, special, NULL), ASSAY_OK);
}

#endif
