/* Signatures of what is being written; each goes when its own file comes. */
#include "device/ptx/device.h"
#include <stdio.h>
#include <stdlib.h>

static ptx_report *skeleton_report(void)
{
    ptx_report *r = calloc(1, sizeof *r);
    r->status = PTX_UNSUPPORTED;
    snprintf(r->text, sizeof r->text, "the executor is not part of this build");
    return r;
}
ptx_status ptx_module_load(ptx_device *device, const char *text, size_t bytes, const char *name,
                           ptx_module **module, ptx_error *error)
{
    (void)device, (void)text, (void)bytes;
    *module = NULL;
    return ptx_fail(error, PTX_UNSUPPORTED, "%s: the reader is not part of this build", name);
}
void ptx_module_free(ptx_module *module)
{
    (void)module;
}
ptx_function *ptx_module_function(ptx_module *m, const char *n)
{
    (void)m, (void)n;
    return NULL;
}
ptx_function *ptx_module_function_at(ptx_module *m, size_t n)
{
    (void)m, (void)n;
    return NULL;
}
int ptx_module_global(ptx_module *m, const char *n, ptx_address *a, uint64_t *b)
{
    (void)m, (void)n, (void)a, (void)b;
    return 0;
}
int ptx_module_global_at(ptx_module *m, size_t k, const char **n, ptx_address *a, uint64_t *b)
{
    (void)m, (void)k, (void)n, (void)a, (void)b;
    return 0;
}
const ptx_function_info *ptx_function_describe(const ptx_function *f)
{
    (void)f;
    return NULL;
}
ptx_module *ptx_function_module(const ptx_function *f)
{
    (void)f;
    return NULL;
}
uint32_t ptx_function_blocks_per_sm(const ptx_function *f, uint32_t t, uint32_t d)
{
    (void)f, (void)t, (void)d;
    return 0;
}
ptx_status ptx_texture_create(ptx_device *d, const ptx_texture *t, uint64_t *h, ptx_error *error)
{
    (void)d, (void)t, (void)h;
    return ptx_fail(error, PTX_UNSUPPORTED, "no textures");
}
void ptx_texture_free(ptx_device *d, uint64_t h)
{
    (void)d, (void)h;
}
ptx_status ptx_launch_run(const ptx_launch *l, ptx_report **r)
{
    (void)l;
    *r = skeleton_report();
    return (*r)->status;
}
void ptx_report_free(ptx_report *r)
{
    free(r);
}
