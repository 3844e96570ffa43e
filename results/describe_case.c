/* Filling a result with what is known before anything is timed: see describe_case.h. */
#include "results/describe_case.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include "results/problem_hash.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_dims(result_problem *problem, const opspec_dims *dims)
{
    for (int i = 0; dims && i < dims->count; i++)
        problem->dims[problem->dim_count++] = dims->dim[i];
}

/* Parameters as the size has them: its own value, else a dimension of an integer parameter's name, else
 * the default (opspec_build_problem). */
static void take_params(result_problem *problem, const opspec *spec, const opspec_dims *dims)
{
    for (int i = 0; i < spec->param_count; i++) {
        assay_param *p = &problem->params[problem->param_count++];
        *p = spec->params[i].value;
        for (int d = 0; dims && d < dims->count; d++)
            if (p->type == ASSAY_PARAM_INTEGER && strcmp(dims->dim[d].name, p->name) == 0)
                p->integer = dims->dim[d].value;
        for (int k = 0; dims && k < dims->param_count; k++)
            if (strcmp(dims->params[k].name, p->name) == 0)
                *p = dims->params[k];
    }
}

/* One distribution if all inputs share it, else one a name. */
static const char *describe_inputs(result *r, const opspec *spec)
{
    char text[ASSAY_MAX_TENSORS * (ASSAY_NAME_MAX + 20)] = "";
    int mixed = 0;
    for (int i = 1; i < spec->input_count; i++)
        mixed |= strcmp(spec->inputs[i].distribution, spec->inputs[0].distribution) != 0;
    for (int i = 0; i < (mixed ? spec->input_count : spec->input_count > 0); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s%s", i ? ", " : "",
                 mixed ? spec->inputs[i].name : "", mixed ? " " : "", spec->inputs[i].distribution);
    return result_text(r, text);
}

void reference_hash(const workspace_op *op, char out[65])
{
    char path[4200], *text = NULL;
    const char *end = strrchr(op->reference, '.');
    out[0] = '\0';
    snprintf(path, sizeof path, "%.*s.sha256", end ? (int)(end - op->reference) : 0, op->reference);
    if (!end || text_file_read(path, &text, NULL, NULL) != ASSAY_OK)
        return;
    const size_t length = strspn(text, "0123456789abcdef");
    if (length == 64)
        snprintf(out, 65, "%.64s", text);
    free(text);
}

assay_status describe_case(result *r, const workspace_op *op, const char *full_name, int unranked,
                           assay_dtype dtype, const char *size, const char *device_kind, assay_error *error)
{
    const opspec_size *found = opspec_find_size(op->spec, size);
    const opspec_dims *dims = found ? opspec_size_dims(found, device_kind) : NULL;
    char hash[HASH_TEXT_BYTES];
    result_split_name(full_name, unranked, &r->id);
    snprintf(r->id.op, sizeof r->id.op, "%s", op->spec->name);
    snprintf(r->id.size, sizeof r->id.size, "%s", size);
    r->id.dtype = dtype;
    take_dims(&r->problem, dims);
    take_params(&r->problem, op->spec, dims);
    r->problem.distribution = describe_inputs(r, op->spec);
    reference_hash(op, hash);
    r->hashes.reference = result_text(r, hash);
    const assay_status status = problem_hash(op->spec, dtype, size, device_kind, hash, error);
    r->hashes.op_json = result_text(r, hash);
    return status;
}

void describe_module(result *r, const module_record *module)
{
    const char *name;
    json_t *value;
    r->toolchain.compiler = result_text(r, module->compiler);
    r->toolchain.flags = result_text(r, module->flags);
    r->toolchain.arch = result_text(r, json_get_text(module->json, "arch", ""));
    r->hashes.kernel = result_text(r, module->source_sha256);
    r->hashes.code = result_text(r, json_get_text(module->json, "code_sha256", ""));
    json_object_foreach(json_object_get(module->json, "tunables"), name, value)
    {
        if (r->tunable_count == OPSPEC_MAX_TUNABLES)
            break;
        result_tunable *t = &r->tunables[r->tunable_count++];
        snprintf(t->name, sizeof t->name, "%s", name);
        t->value = json_integer_value(value);
    }
}

void describe_device(result *r, const assay_device_info *info)
{
    r->device = (result_device){.kind = result_text(r, info->kind),
                                .name = result_text(r, info->name),
                                .slug = result_text(r, info->slug),
                                .uuid = result_text(r, info->uuid),
                                .driver = result_text(r, info->driver),
                                .runtime = result_text(r, info->runtime),
                                .sm_count = info->sm_count,
                                .compute_major = info->compute_major,
                                .compute_minor = info->compute_minor,
                                .memory_bytes = info->memory_bytes,
                                .l2_bytes = info->l2_bytes,
                                .peak_gbs = info->peak_gbs};
}

static void read_processor(char *out, size_t bytes)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (file && out[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (colon)
            snprintf(out, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
    }
    if (file)
        fclose(file);
    out[strcspn(out, "\n")] = '\0';
    utf8_make_line(out);
}

void describe_host(result *r)
{
    char name[256] = "", cpu[256];
    gethostname(name, sizeof name - 1);
    utf8_make_line(name);
    read_processor(cpu, sizeof cpu);
    r->host = (result_host){.name = result_text(r, name),
                            .cpu = result_text(r, cpu),
                            .cpus = (int)sysconf(_SC_NPROCESSORS_ONLN),
                            .load = NAN};
    if (getloadavg(&r->host.load, 1) != 1)
        r->host.load = NAN;
}
