/* What a run knows, in OUT/state.json: see loop.h. */
#include "core/json_file.h"
#include "optimize/loop.h"
#include <sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STOP_PERCENT = 95 };

void loop_say(const loop *l, const char *format, ...)
{
    va_list arguments;
    if (!l->options->progress)
        return;
    va_start(arguments, format);
    vfprintf(l->options->progress, format, arguments);
    va_end(arguments);
    fflush(l->options->progress);
}

void loop_path(const loop *l, int version, const char *file, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/v%d%s%s", l->out, version, file ? "/" : "", file ? file : "");
}

json_t *loop_current(const loop *l)
{
    const json_t *versions = json_object_get(l->state, "versions");
    json_t *last = json_array_get(versions, json_array_size(versions) - 1);
    return last && strcmp(json_get_text(last, "step", ""), "done") != 0 ? last : NULL;
}

int loop_best(const loop *l)
{
    return json_get_int(l->state, "best", 0);
}

assay_status loop_save(const loop *l, assay_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/state.json", l->out);
    return json_file_write(path, l->state, 0, error);
}

static json_t *make_state(const loop *l, const char *hash)
{
    const optimize_options *o = l->options;
    char name[400] = "tunables";
    if (o->provider.command)
        provider_describe(&o->provider, name, sizeof name);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:[], s:[]}", "schema", 1,
                     "op", o->op, "kernel", o->kernel, "kernel_sha256", hash, "dtypes",
                     o->request.dtypes ? o->request.dtypes : "", "sizes",
                     o->request.sizes ? o->request.sizes : "", "provider", name, "device", l->device.name,
                     "device_kind", l->device.kind, "iterations", o->iterations, "best", 0, "idle", 0,
                     "tried", "versions");
}

/* The iterations are fixed at the start, and so is what is optimised: another call is another run. */
static assay_status check_same(const loop *l, const json_t *now, assay_error *error)
{
    static const char *const keys[] = {"op", "kernel_sha256", "dtypes", "sizes", "provider", "device"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *then = json_get_text(l->state, keys[i], ""), *wanted = json_get_text(now, keys[i], "");
        if (strcmp(then, wanted) != 0)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "%s holds a run with another %s (\"%.60s\", now \"%.60s\"); give another --out", l->out,
                keys[i], then, wanted);
    }
    if (json_get_number(l->state, "iterations", 0) != l->options->iterations)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s holds a run of %d iterations, which are fixed at its start; give another "
                               "--out",
                               l->out, json_get_int(l->state, "iterations", 0));
    return ASSAY_OK;
}

assay_status loop_load(loop *l, int *resumed, assay_error *error)
{
    char path[PATH_MAX], hash[65], *text = NULL;
    size_t bytes;
    assay_error absent = {0};
    *resumed = 0;
    assay_status status = text_file_read(l->options->kernel, &text, &bytes, error);
    if (status != ASSAY_OK)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s", l->options->kernel);
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)text, bytes);
    SHA256End(&context, hash);
    json_t *now = make_state(l, hash);
    snprintf(path, sizeof path, "%s/state.json", l->out);
    status = json_file_read(path, &l->state, &absent);
    if (status == ASSAY_OK) {
        status = check_same(l, now, error);
        *resumed = (int)json_array_size(json_object_get(l->state, "versions"));
        json_decref(now);
    } else if (status == ASSAY_ERR_FORMAT) {
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s", absent.message);
        json_decref(now);
    } else {
        l->state = now;
        loop_path(l, 0, "kernel.cu", path);
        status = text_file_write(path, text, bytes, error);
        json_array_append_new(json_object_get(l->state, "versions"),
                              json_pack("{s:i, s:s, s:[]}", "version", 0, "step", "judge", "tries"));
        if (status == ASSAY_OK)
            status = loop_save(l, error);
    }
    free(text);
    return status;
}

const char *loop_stop_reason(const loop *l)
{
    const json_t *versions = json_object_get(l->state, "versions");
    const json_t *best = json_array_get(versions, (size_t)loop_best(l));
    if (json_get_text(l->state, "stopped", "")[0])
        return json_get_text(l->state, "stopped", "");
    const double percent = json_get_number(best, "percent_of_bound", 0);
    if (percent >= STOP_PERCENT &&
        percent <= 100) /* more is an error of measuring, or a cache: no reason to stop */
        return "the best version is at 95% of its roofline bound";
    if (json_get_number(l->state, "idle", 0) >= OPTIMIZE_IDLE_ROUNDS)
        return "nothing got faster in five rounds";
    if ((int)json_array_size(versions) > l->options->iterations)
        return "all iterations are done";
    return NULL;
}
