/* See task_workspace.h. */
#include "tune/executor/task_workspace.h"
#include "core/json_file.h"
#include <limits.h>
#include <stdio.h>

/* A path that is relative is so to the build folder, and the task's is another. */
static void make_absolute(const workspace *ws, json_t *object, const char *key)
{
    const char *path = json_get_text(object, key, "");
    if (path[0] != '\0' && path[0] != '/')
        json_object_set_new(object, key, json_sprintf("%s/%s", ws->path, path));
}

assay_status task_workspace_write(const workspace *ws, const char *folder, assay_error *error)
{
    static const char *const shared[] = {"source", "modules", "baselines", "libexec", "templates"},
                             *const own[] = {"results", "logs", "plots"};
    json_t *manifest = json_deep_copy(ws->manifest), *op;
    char path[PATH_MAX + 16];
    size_t index;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        make_absolute(ws, manifest, shared[i]);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        json_object_set_new(manifest, own[i], json_sprintf("%s/%s", folder, own[i]));
    json_array_foreach(json_object_get(manifest, "ops"), index, op)
    {
        make_absolute(ws, op, "directory");
        make_absolute(ws, op, "reference");
    }
    snprintf(path, sizeof path, "%.4000s/assay.json", folder);
    const assay_status status = json_file_write(path, manifest, 0, error);
    json_decref(manifest);
    return status;
}
