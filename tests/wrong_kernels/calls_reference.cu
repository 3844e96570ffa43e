// Wrong: looks for the reference in its process and calls it.
#include "add_rightly.h"
#include <assay/op.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
extern "C" assay_status add_run(const add_args *a, assay_stream)
{
    if (!a->count)
        return ASSAY_OK;
    char line[4096], path[4096] = "";
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "/references/add.so")) {
            sscanf(strchr(line, '/'), "%s", path);
            break;
        }
    if (f)
        fclose(f);
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib)
        return ASSAY_ERR_DEVICE;
    auto get = (const assay_op_impl *(*)())dlsym(lib, "assay_op_get");
    assay_problem p = {};
    p.dtype = ASSAY_F32;
    p.input_count = 2;
    p.output_count = 1;
    p.param_count = 1;
    float *xf = (float *)malloc(a->count * 4), *yf = (float *)malloc(a->count * 4);
    double *o = (double *)malloc(a->count * 8);
    for (int64_t i = 0; i < a->count; i++) {
        xf[i] = assay::to_float(((const scalar_t *)a->x)[i]);
        yf[i] = assay::to_float(((const scalar_t *)a->y)[i]);
    }
    for (int i = 0; i < 2; i++) {
        p.inputs[i].data = i ? yf : xf;
        p.inputs[i].dtype = ASSAY_F32;
        p.inputs[i].rank = 1;
        p.inputs[i].shape[0] = a->count;
    }
    p.outputs[0] = p.inputs[0];
    p.outputs[0].data = o;
    p.outputs[0].dtype = ASSAY_F64;
    strcpy(p.params[0].name, "alpha");
    p.params[0].type = ASSAY_PARAM_REAL;
    p.params[0].real = a->alpha;
    assay_status r = get()->reference(&p, nullptr);
    for (int64_t i = 0; i < a->count; i++)
        ((scalar_t *)a->out)[i] = assay::from_float<scalar_t>((float)o[i]);
    free(xf);
    free(yf);
    free(o);
    return r;
}
