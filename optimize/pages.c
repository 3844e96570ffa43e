/* Pages of a run: see pages.h. */
#include "optimize/pages.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
    FILE *out;
    char *text;
    size_t bytes;
} page;

static assay_status begin(page *p, assay_error *error)
{
    *p = (page){.text = NULL};
    p->out = open_memstream(&p->text, &p->bytes);
    return p->out ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a page");
}

static assay_status end(page *p, const char *folder, const char *name, assay_error *error)
{
    char path[4400];
    assay_status status = ASSAY_OK;
    if (fclose(p->out) != 0)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for %s", name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (status == ASSAY_OK)
        status = text_file_write(path, p->text, p->bytes, error);
    free(p->text);
    return status;
}

/* A text of a provider or compiler in a cell of a table: one line, no bars. */
static void put_cell(FILE *out, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++)
        fputc(text[i] == '\n' || text[i] == '\r' || text[i] == '|' || text[i] == '`' ? ' ' : text[i], out);
    if (strlen(text) > most)
        fputs(" ...", out);
}

/* In a block of its own: longer fences than any that the text has. */
static void put_block(FILE *out, const char *text)
{
    fprintf(out, "~~~~~~text\n%s%s~~~~~~\n", text, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
}

static void put_number(FILE *out, const char *format, double value)
{
    if (isfinite(value))
        fprintf(out, format, value);
    else
        fputs("-", out);
}

static void put_mismatches(FILE *out, const json_t *mismatches)
{
    size_t i;
    json_t *m;
    if (json_array_size(mismatches) == 0)
        return;
    fputs("\nFirst wrong elements:\n\n| output | index | got | expected |\n|---|---|---|---|\n", out);
    json_array_foreach(mismatches, i, m)
    {
        char *index = json_dumps(json_object_get(m, "index"), JSON_ENCODE_ANY | JSON_COMPACT);
        char *got = json_dumps(json_object_get(m, "got"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
        char *expected = json_dumps(json_object_get(m, "expected"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
        fprintf(out, "| %s | %s | %s | %s |\n", json_get_text(m, "output", ""), index ? index : "",
                got ? got : "", expected ? expected : "");
        free(index);
        free(got);
        free(expected);
    }
}

assay_status page_correctness(const char *folder, const attempt *a, const json_t *tries, assay_error *error)
{
    page p;
    size_t i;
    json_t *item;
    assay_status status = begin(&p, error);
    if (status != ASSAY_OK)
        return status;
    fprintf(p.out, "# Correctness\n\n**%s**\n", a->error_class);
    if (json_array_size(a->verdicts) > 0)
        fputs("\n| case | verdict | reason |\n|---|---|---|\n", p.out);
    json_array_foreach(a->verdicts, i, item)
    {
        fprintf(p.out, "| %s | %s | ", json_get_text(item, "name", ""), json_get_text(item, "status", ""));
        put_cell(p.out, json_get_text(item, "reason", ""), 300);
        fputs(" |\n", p.out);
    }
    if (!a->passed && a->message && a->message[0]) {
        fputc('\n', p.out);
        put_block(p.out, a->message);
    }
    put_mismatches(p.out, a->mismatches);
    if (json_array_size(tries) > 0)
        fputs("\n## Tries before this one\n\n| try | what was wrong | message |\n|---|---|---|\n", p.out);
    json_array_foreach(tries, i, item)
    {
        fprintf(p.out, "| %zu | %s | ", i + 1, json_get_text(item, "error_class", ""));
        put_cell(p.out, json_get_text(item, "message", ""), 300);
        fputs(" |\n", p.out);
    }
    return end(&p, folder, "correctness.md", error);
}

assay_status page_hypothesis(const char *folder, const json_t *version, assay_error *error)
{
    page p;
    const json_t *changes = json_object_get(version, "changes");
    assay_status status = begin(&p, error);
    if (status != ASSAY_OK)
        return status;
    fprintf(p.out, "Hypothesis: %s\nRationale: %s\nExpected: %s",
            json_get_text(version, "hypothesis", "none given"),
            json_get_text(version, "rationale", "none given"),
            json_get_text(version, "expected", "none given"));
    if (json_is_number(json_object_get(version, "expected_speedup")))
        fprintf(p.out, " (%.3gx)", json_get_number(version, "expected_speedup", NAN));
    fputs("\nChange: ", p.out);
    for (size_t i = 0; i < json_array_size(changes); i++)
        fprintf(p.out, "%s%s", i ? ", " : "", json_string_value(json_array_get(changes, i)));
    fputc('\n', p.out);
    return end(&p, folder, "hypothesis.txt", error);
}

assay_status page_environment(const char *folder, const json_t *gate, int missing, assay_error *error)
{
    page p;
    size_t i;
    json_t *item;
    assay_status status = begin(&p, error);
    if (status != ASSAY_OK)
        return status;
    fprintf(p.out,
            "# Environment\n\n%s\n\n| what | needed | found | used here | passes |\n|---|---|---|---|---|\n",
            missing ? "**Not enough: the run did not begin.**" : "All that is used here is new enough.");
    json_array_foreach(gate, i, item)
    {
        const char *found = json_get_text(item, "found", "");
        fprintf(p.out, "| %s | %s | %s | %s | %s |\n", json_get_text(item, "name", ""),
                json_get_text(item, "needed", ""), found[0] ? found : "none",
                json_is_true(json_object_get(item, "used")) ? "yes" : "no",
                json_is_true(json_object_get(item, "passed")) ? "yes" : "no");
    }
    return end(&p, folder, "env_check.md", error);
}

/* ---- the end ---- */

static void put_version(FILE *out, const json_t *v)
{
    const json_t *tries = json_object_get(v, "tries");
    const int number = json_get_int(v, "version", 0);
    fprintf(out, "| v%d | ", number);
    put_cell(
        out,
        json_get_text(v, "hypothesis", number == 0 ? "the kernel as given" : "no answer that could be taken"),
        160);
    fprintf(out, " | %s | ", json_get_text(v, "outcome", ""));
    put_number(out, "%.3fx", json_get_number(v, "speedup", NAN));
    if (isfinite(json_get_number(v, "low", NAN)))
        fprintf(out, " (%.3f to %.3f)", json_get_number(v, "low", NAN), json_get_number(v, "high", NAN));
    fprintf(out, " | %s | %s | %zu |\n", json_get_text(v, "verdict", "-"),
            json_get_text(v, "expectation", "-"), json_array_size(tries));
}

/* What each kept version bought, from the first to the best. */
static void put_path(FILE *out, const json_t *state)
{
    const json_t *versions = json_object_get(state, "versions");
    double product = 1;
    size_t i;
    json_t *v;
    fputs("\n## The path\n\n", out);
    json_array_foreach(versions, i, v)
    {
        if (i == 0 || strcmp(json_get_text(v, "outcome", ""), "kept") != 0)
            continue;
        product *= json_get_number(v, "speedup", 1);
        fprintf(out, "- v%zu: ", i);
        put_cell(out, json_get_text(v, "hypothesis", ""), 200);
        fprintf(out, " %.3fx over v%d, %.3fx in all.\n", json_get_number(v, "speedup", NAN),
                json_get_int(v, "base", 0), product);
    }
    if (product == 1)
        fputs("No version was kept: the kernel as given is the best known.\n", out);
}

assay_status page_final_report(const char *folder, const json_t *state, assay_error *error)
{
    page p;
    size_t i;
    json_t *v;
    const int best = json_get_int(state, "best", 0);
    assay_status status = begin(&p, error);
    if (status != ASSAY_OK)
        return status;
    fprintf(p.out,
            "# %s: %d versions\n\nBest: **v%d** (`v%d/kernel.cu`), on %s. Versions came from: `%s`.\n"
            "The run ended because %s.\n",
            json_get_text(state, "op", ""), (int)json_array_size(json_object_get(state, "versions")) - 1,
            best, best, json_get_text(state, "device", ""), json_get_text(state, "provider", ""),
            json_get_text(state, "stopped", "it was interrupted"));
    if (strncmp(json_get_text(state, "device_kind", ""), "cpu", 3) == 0)
        fputs("Times are those of the CPU device, never comparable with a GPU's.\n", p.out);
    fputs("\n| version | hypothesis | outcome | speedup over the best before (95%) | verdict | expectation | "
          "failed tries |\n"
          "|---|---|---|---|---|---|---|\n",
          p.out);
    json_array_foreach(json_object_get(state, "versions"), i, v) put_version(p.out, v);
    put_path(p.out, state);
    return end(&p, folder, "final_report.md", error);
}

assay_status page_benchmark(const char *folder, const json_t *state, assay_error *error)
{
    page p;
    size_t i;
    json_t *r;
    assay_status status = begin(&p, error);
    if (status != ASSAY_OK)
        return status;
    fprintf(
        p.out,
        "# Benchmark of %s\n\nTimed together on %s: the kernel as given (k0), the best version (k%d) and the "
        "baselines that this machine has.\n\n| kernel | dtype | size | status | cold mean us | 95%% interval "
        "| "
        "%% of the roofline bound |\n|---|---|---|---|---|---|---|\n",
        json_get_text(state, "op", ""), json_get_text(state, "device", ""), json_get_int(state, "best", 0));
    json_array_foreach(json_object_get(state, "results"), i, r)
    {
        const json_t *cold = json_object_get(json_object_get(r, "modes"), "cold");
        fprintf(p.out, "| %s | %s | %s | %s | ", json_get_text(r, "name", ""), json_get_text(r, "dtype", ""),
                json_get_text(r, "size", ""), json_get_text(r, "status", ""));
        put_number(p.out, "%.4g", json_get_number(cold, "mean_us", NAN));
        fputs(" | ", p.out);
        put_number(p.out, "%.4g to ", json_get_number(cold, "low_us", NAN));
        put_number(p.out, "%.4g", json_get_number(cold, "high_us", NAN));
        fputs(" | ", p.out);
        put_number(p.out, "%.0f", json_get_number(cold, "percent_of_bound", NAN));
        fputs(" |\n", p.out);
    }
    return end(&p, folder, "benchmark.md", error);
}
