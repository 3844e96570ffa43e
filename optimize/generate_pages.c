/* Logs of generated ops: see generate_pages.h. A box of a checklist is ticked by what the state holds, never by having come this far. */
#include "optimize/generate_pages.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int generate_count(const json_t *state, const char *outcome)
{
    const char *name;
    json_t *entry;
    int count = 0;
    json_object_foreach(json_object_get(state, "variants"), name, entry) count +=
        strcmp(json_get_text(entry, "outcome", ""), outcome) == 0;
    return count;
}

static double cold_of(const json_t *r)
{
    return json_get_number(json_object_get(json_object_get(r, "modes"), "cold"), "mean_us", NAN);
}

/* The time of a name in the case of another result; NAN: none. */
static double time_beside(const json_t *results, const json_t *of, const char *name)
{
    size_t i;
    const json_t *r;
    json_array_foreach(results, i, r)
    {
        if (strcmp(json_get_text(r, "name", ""), name) == 0 &&
            strcmp(json_get_text(r, "dtype", ""), json_get_text(of, "dtype", "")) == 0 &&
            strcmp(json_get_text(r, "size", ""), json_get_text(of, "size", "")) == 0)
            return cold_of(r);
    }
    return NAN;
}

static int is_variant(const json_t *r)
{
    return strcmp(json_get_text(r, "kind", ""), "variant") == 0;
}

/* The fastest variant of this case? */
static int is_fastest(const json_t *results, const json_t *of)
{
    size_t i;
    const json_t *r;
    json_array_foreach(results, i, r)
    {
        if (is_variant(r) && strcmp(json_get_text(r, "dtype", ""), json_get_text(of, "dtype", "")) == 0 &&
            strcmp(json_get_text(r, "size", ""), json_get_text(of, "size", "")) == 0 &&
            cold_of(r) < cold_of(of))
            return 0;
    }
    return isfinite(cold_of(of));
}

static void put_ratio(FILE *out, double baseline_us, double us)
{
    if (isfinite(baseline_us) && isfinite(us))
        fprintf(out, " %.2fx |", baseline_us / us);
    else
        fputs(" - |", out);
}

/* A shrunk size is its dimensions; say in whose place they are. */
static void put_size(FILE *out, const json_t *state, const json_t *result)
{
    const char *size = json_get_text(result, "size", "");
    size_t i;
    json_t *one;
    fputs(size, out);
    json_array_foreach(json_object_get(state, "shrunk"), i,
                       one) if (strcmp(json_get_text(one, "name", ""), size) == 0)
        fprintf(out, " (shrunk from %s)", json_get_text(one, "size", ""));
}

/* Why a size is not what op.json says. */
static void put_shrunk(FILE *out, const json_t *state)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(state, "shrunk"), i, one) fprintf(
        out, "\n`%s` needs %.3g GB, and %.3g GB are free: %s was added.\n", json_get_text(one, "size", ""),
        (double)json_integer_value(json_object_get(one, "need_bytes")) * 1e-9,
        (double)json_integer_value(json_object_get(one, "free_bytes")) * 1e-9,
        json_get_text(one, "name", ""));
}

static void put_results(FILE *out, const json_t *state)
{
    const json_t *results = json_object_get(state, "results");
    size_t i;
    json_t *r;
    fputs("\n## Benchmark\n\n", out);
    if (json_array_size(results) == 0) {
        fputs("Nothing was timed: no variant is proven right.\n", out);
        return;
    }
    fputs("| kernel | dtype | size | status | cold mean us | Speedup vs torch (eager) | vs reference |\n"
          "|---|---|---|---|---|---|---|\n",
          out);
    json_array_foreach(results, i, r)
    {
        const double us = cold_of(r);
        fprintf(out, "| %s%s | %s | ", json_get_text(r, "name", ""),
                is_variant(r) && is_fastest(results, r) ? " (fastest)" : "", json_get_text(r, "dtype", ""));
        put_size(out, state, r);
        fprintf(out, " | %s | ", json_get_text(r, "status", ""));
        if (isfinite(us))
            fprintf(out, "%.4g |", us);
        else
            fputs("- |", out);
        put_ratio(out, time_beside(results, r, "baseline_torch_eager"), us);
        put_ratio(out, time_beside(results, r, "baseline_reference"), us);
        fputc('\n', out);
    }
}

/* Grid, block and dynamic shared memory of each kernel that was timed. */
static void put_launches(FILE *out, const json_t *state)
{
    size_t i;
    json_t *r;
    int count = 0;
    json_array_foreach(json_object_get(state, "results"), i, r)
    {
        const char *launches = json_get_text(r, "launches", "");
        if (!is_variant(r) || !launches[0])
            continue;
        if (count++ == 0)
            fputs("\n## Launches\n\nShared memory is what the launch adds to that of the source.\n\n"
                  "| kernel | dtype | size | kernels launched |\n|---|---|---|---|\n",
                  out);
        fprintf(out, "| %s | %s | ", json_get_text(r, "name", ""), json_get_text(r, "dtype", ""));
        put_size(out, state, r);
        fprintf(out, " | %s |\n", launches);
    }
}

/* The fastest variant of each dtype and size alone, in the units that people ask for. */
static void put_finals(FILE *out, const json_t *state)
{
    const json_t *results = json_object_get(state, "results");
    size_t i;
    json_t *r;
    int count = 0;
    json_array_foreach(results, i, r)
    {
        if (!is_variant(r) || !is_fastest(results, r))
            continue;
        if (count++ == 0)
            fputs("\n## Final\n\n| size | dtype | kernel | us | ms | Speedup vs torch (eager) "
                  "|\n|---|---|---|---|---|---|\n",
                  out);
        fputs("| ", out);
        put_size(out, state, r);
        fprintf(out, " | %s | %s | %.4g | %.4g |", json_get_text(r, "dtype", ""),
                json_get_text(r, "name", ""), cold_of(r), cold_of(r) / 1000);
        put_ratio(out, time_beside(results, r, "baseline_torch_eager"), cold_of(r));
        fputc('\n', out);
    }
}

static void put_attempts(FILE *out, const json_t *state)
{
    const char *name;
    json_t *entry, *a;
    size_t i;
    int tries = 0;
    fputs("\n## Attempts\n\n| variant | attempt | outcome | message |\n|---|---|---|---|\n", out);
    json_object_foreach(json_object_get(state, "variants"), name, entry)
    {
        json_array_foreach(json_object_get(entry, "attempts"), i, a)
        {
            fprintf(out, "| %s | %zu | %s | ", name, i + 1, json_get_text(a, "error_class", ""));
            const char *message = json_get_text(a, "message", "");
            for (int c = 0; message[c] && c < 240; c++)
                fputc(message[c] == '\n' || message[c] == '|' || message[c] == '`' ? ' ' : message[c], out);
            fputs(" |\n", out);
            tries += i > 0;
        }
    }
    fprintf(out, "\n%d of these are retries.\n", tries);
}

static void put_box(FILE *out, int ticked, const char *text, int count, int of)
{
    fprintf(out, "- [%c] %s (%d of %d)\n", ticked ? 'x' : ' ', text, count, of);
}

static int count_timed(const json_t *state)
{
    size_t i;
    const json_t *r;
    const char *name;
    json_t *entry;
    int count = 0;
    json_object_foreach(json_object_get(state, "variants"), name, entry)
    {
        int timed = 0;
        json_array_foreach(json_object_get(state, "results"), i, r)
        {
            timed |= strcmp(json_get_text(r, "name", ""), name) == 0 && isfinite(cold_of(r));
        }
        count += timed;
    }
    return count;
}

static int count_in_place(const char *folder, const json_t *state)
{
    const char *name;
    json_t *entry;
    int count = 0;
    json_object_foreach(json_object_get(state, "variants"), name, entry)
    {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s.cu", folder, name);
        count += strcmp(json_get_text(entry, "outcome", ""), "right") == 0 && access(path, R_OK) == 0;
    }
    return count;
}

static void put_checklist(FILE *out, const char *folder, const json_t *state)
{
    const int in_place = count_in_place(folder, state);
    const char *name;
    json_t *entry, *a;
    size_t i;
    int written = 0, compiled = 0, fastest = 0;
    const int right = generate_count(state, "right"), timed = count_timed(state);
    json_object_foreach(json_object_get(state, "variants"), name, entry)
    {
        int came = 0, compiles = 0;
        json_array_foreach(json_object_get(entry, "attempts"), i, a)
        {
            const char *class = json_get_text(a, "error_class", "");
            came |= strcmp(class, "provider") != 0;
            compiles |= strcmp(class, "provider") != 0 && strcmp(class, "does not compile") != 0;
        }
        written += came;
        compiled += compiles;
    }
    json_array_foreach(json_object_get(state, "results"), i, a) fastest +=
        is_variant(a) && is_fastest(json_object_get(state, "results"), a);
    fputs("\n## Checklist\n\n", out);
    put_box(out, written == GENERATE_VARIANTS, "four variants were written", written, GENERATE_VARIANTS);
    put_box(out, compiled == GENERATE_VARIANTS, "they compile", compiled, GENERATE_VARIANTS);
    put_box(out, right == GENERATE_VARIANTS, "they are proven right at all cases asked for", right,
            GENERATE_VARIANTS);
    put_box(out, right > 0 && timed == right, "all that are right are timed", timed, right);
    fprintf(out, "- [%c] the fastest of each case is known (%d cases)\n", fastest > 0 ? 'x' : ' ', fastest);
    put_box(out, right > 0 && in_place == right, "sources of all that are right are in their place", in_place,
            right);
}

assay_status page_generate_log(const char *folder, const opspec *spec, const json_t *state,
                               assay_error *error)
{
    char *text = NULL, path[4400];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a log");
    fprintf(out,
            "# %s: `%s`, generated\n\nOn %s, by the provider `%s`. %d of %d variants are proven right; the "
            "others were "
            "skipped after %d attempts, and never timed.\n",
            spec->name, spec->torch, json_get_text(state, "device", ""), json_get_text(state, "provider", ""),
            generate_count(state, "right"), GENERATE_VARIANTS, GENERATE_ATTEMPTS);
    if (spec->formula[0])
        fprintf(out, "\n## Analysis\n\nDefinition: `%s`\n\n%s\n\n%s\n", spec->formula, spec->complexity,
                spec->access);
    put_shrunk(out, state);
    put_attempts(out, state);
    put_results(out, state);
    put_finals(out, state);
    put_launches(out, state);
    put_checklist(out, folder, state);
    fclose(out);
    snprintf(path, sizeof path, "%s/%s_log.md", folder, spec->name);
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

assay_status page_generate_summary(const char *folder, const json_t *states, assay_error *error)
{
    char *text = NULL, path[4400];
    size_t bytes = 0, i;
    json_t *state;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a summary");
    fputs("# Generated ops\n\n| op | right | skipped | timed | log |\n|---|---|---|---|---|\n", out);
    json_array_foreach(states, i, state)
    {
        const char *op = json_get_text(state, "op", "");
        fprintf(out, "| %s | %d | %d | %d | [%s_log.md](%s/%s_log.md) |\n", op,
                generate_count(state, "right"), generate_count(state, "skipped"), count_timed(state), op, op,
                op);
    }
    fclose(out);
    snprintf(path, sizeof path, "%s/summary.md", folder);
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}
