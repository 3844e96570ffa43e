/* Counts as a profile: see profile_counter.h. */
#include "counts/profile_counter.h"
#include "core/json_file.h"
#include "profile/counted.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One file of the source, split into lines in place. */
typedef struct source_text {
    char path[PATH_MAX], *text, **lines;
    uint32_t count;
} source_text;

static void close_source(source_text *s)
{
    free(s->lines);
    free(s->text);
    *s = (source_text){0};
}

static void open_source(source_text *s, const char *path)
{
    close_source(s);
    snprintf(s->path, sizeof s->path, "%s", path);
    if (text_file_read(path, &s->text, NULL, NULL) != ASSAY_OK)
        return;
    uint32_t lines = 1;
    for (const char *c = s->text; *c; c++)
        lines += *c == '\n';
    s->lines = calloc(lines, sizeof *s->lines);
    for (char *c = s->text; s->lines && c; c = strchr(c, '\n')) {
        if (s->count)
            *c++ = '\0';
        s->lines[s->count++] = c + strspn(c, " \t");
    }
}

/* Text of a line, "" where the file is not there: a toolkit's header. */
static const char *text_of(source_text *s, const char *root, const ptx_line *line)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, line->file);
    if (strcmp(path, s->path) != 0)
        open_source(s, path);
    return line->line > 0 && line->line <= s->count ? s->lines[line->line - 1] : "";
}

static counted_line profile_line_of(const ptx_line *l, const char *text)
{
    return (counted_line){.file = l->file,
                          .text = text,
                          .line = (int)l->line,
                          .instructions = l->instructions,
                          .lanes = l->lanes,
                          .tensor = l->tensor,
                          .barriers = l->barriers,
                          .atomics = l->atomics,
                          .branches = l->branches,
                          .divergent = l->divergent,
                          .global_requests = l->global_requests,
                          .global_sectors = l->global_sectors,
                          .global_ideal = l->global_ideal,
                          .shared_requests = l->shared_requests,
                          .shared_wavefronts = l->shared_wavefronts,
                          .shared_ideal = l->shared_ideal};
}

static assay_status add_kernel(const counts_kernel *k, const char *root, launch_profile *out,
                               assay_error *error)
{
    source_text source = {0};
    counted_line *lines = calloc(k->of.line_count + 1, sizeof *lines);
    assay_status status =
        lines ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a profile");
    /* Lines are sorted by file, but a text lives only as long as its file is open: one file at a time. */
    size_t at = 0;
    char **copies = calloc(k->of.line_count + 1, sizeof *copies);
    for (; lines && copies && at < k->of.line_count; at++) {
        copies[at] = strdup(text_of(&source, root, &k->lines[at]));
        lines[at] = profile_line_of(&k->lines[at], copies[at]);
    }
    if (status == ASSAY_OK)
        status = counted_add_kernel(out, k->of.name, k->of.grid, k->of.block, lines, (int)at, error);
    for (size_t i = 0; copies && i < at; i++)
        free(copies[i]);
    free(copies);
    free(lines);
    close_source(&source);
    return status;
}

assay_status counts_add_to_profile(const case_counts *counts, const char *root, launch_profile *out,
                                   assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < counts->count && status == ASSAY_OK; i++) {
        status = add_kernel(&counts->kernels[i], root, out, error);
        if (status == ASSAY_OK)
            metric_put(&out->kernels[out->count - 1].metrics, METRIC_LEAST_SECTORS, counts->bytes / 32.0,
                       METRIC_COUNTED);
    }
    return status;
}
