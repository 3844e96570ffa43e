/* By which methods an op's cold figures were taken, and which results by which. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <string.h>

static int is_timed(const report_model *model, int op, int i)
{
    const report_entry *entry = &model->entries[i];
    return entry->op == op && json_object_get(entry->result, "method") && report_has_time(entry, REPORT_COLD);
}

/* One result of each method, in the order of the entries. */
static int collect_methods(const report_model *model, int op, const report_entry *found[REPORT_MAX_METHODS])
{
    int count = 0;
    for (int i = 0; i < model->count && count < REPORT_MAX_METHODS; i++) {
        int known = !is_timed(model, op, i);
        for (int k = 0; k < count; k++)
            known |= report_same_method(found[k], &model->entries[i], REPORT_COLD);
        if (!known)
            found[count++] = &model->entries[i];
    }
    return count;
}

static void say_method(const report_entry *entry, text_buffer *text)
{
    const json_t *method = json_object_get(entry->result, "method");
    char words[METHOD_LABEL_BYTES];
    report_method_words(entry, REPORT_COLD, words, sizeof words);
    text_printf(text,
                "%.0f repetitions a size, each %.0f ms of warm-up and %.0f ms of samples; cold figures: %s",
                json_get_number(method, "repetitions", 0), json_get_number(method, "warmup_ms", 0),
                json_get_number(method, "sample_ms", 0), words);
}

/* The entries of one kernel, from `first` up to `end`, of which those of `like`'s method are looked for. */
typedef struct kernel_results {
    const report_model *model;
    int first, end;
    const report_entry *like;
} kernel_results;

enum { ANY_SIZE = -1 };

static int is_of(const kernel_results *k, int i)
{
    return is_timed(k->model, k->like->op, i) &&
           report_same_method(&k->model->entries[i], k->like, REPORT_COLD);
}

/* Timed results at a size, and how many of them are of the method. */
static int count_results(const kernel_results *k, int size, int *of)
{
    int timed = 0;
    *of = 0;
    for (int i = k->first; i < k->end; i++) {
        if (size != ANY_SIZE && k->model->entries[i].size != size)
            continue;
        timed += is_timed(k->model, k->like->op, i);
        *of += is_of(k, i);
    }
    return timed;
}

/* "small" if all of a size are of the method, else "f16 small". */
static void say_size(const kernel_results *k, int size, int *said, text_buffer *text)
{
    const opspec *spec = k->model->ws->ops[k->like->op].spec;
    int of;
    const int timed = count_results(k, size, &of);
    for (int i = k->first; i < k->end; i++) {
        const report_entry *entry = &k->model->entries[i];
        if (entry->size != size || !is_of(k, i))
            continue;
        text_puts(text, (*said)++ ? ", " : " (");
        if (of < timed)
            text_printf(text, "%s ", report_dtype_name(spec, entry->dtype));
        text_puts(text, spec->sizes[size].name);
        if (of == timed)
            return;
    }
}

/* " (small, large)" where not all of the kernel's results are of the method. 0: none is. */
static int say_sizes(const kernel_results *k, text_buffer *text)
{
    const opspec *spec = k->model->ws->ops[k->like->op].spec;
    int of, sizes = 0;
    const int timed = count_results(k, ANY_SIZE, &of);
    for (int s = 0; s < spec->size_count && of > 0 && of < timed; s++)
        say_size(k, s, &sizes, text);
    text_puts(text, sizes ? ")" : "");
    return of > 0;
}

static int end_of_kernel(const report_model *model, int first)
{
    int end = first + 1;
    while (end < model->count && model->entries[end].op == model->entries[first].op &&
           strcmp(model->entries[end].name, model->entries[first].name) == 0)
        end++;
    return end;
}

/* Kernels of the same sizes share them: "`v1`, `v2` (small); `v4` (small, large)". */
static void say_kernels(const report_model *model, const report_entry *like, text_buffer *text)
{
    text_buffer last = {0}; /* the sizes of the kernels named last, which are still to be said */
    int said = 0;
    for (int i = 0, end; i < model->count; i = end) {
        text_buffer sizes = {0};
        end = end_of_kernel(model, i);
        if (model->entries[i].op != like->op || !say_sizes(&(kernel_results){model, i, end, like}, &sizes)) {
            text_release(&sizes);
            continue;
        }
        const int same = strcmp(text_get(&sizes), text_get(&last)) == 0;
        if (said++)
            text_printf(text, "%s%s", same ? "" : text_get(&last), same ? ", " : "; ");
        text_printf(text, "`%s`", report_display_name(model->entries[i].name));
        text_release(&last);
        last = sizes;
    }
    text_puts(text, text_get(&last));
    text_release(&last);
}

void context_method(const report_model *model, int op, json_t *out)
{
    const report_entry *found[REPORT_MAX_METHODS];
    const int count = collect_methods(model, op, found);
    text_buffer text = {0};
    if (count == 0)
        text_puts(&text, "Nothing was timed.");
    if (count > 1)
        text_printf(&text, "Cold figures of %d methods, which are not compared with each other:\n", count);
    for (int k = 0; k < count; k++) {
        text_puts(&text, count > 1 ? "\n- " : "");
        say_method(found[k], &text);
        text_puts(&text, count > 1 ? ": " : ".");
        if (count > 1)
            say_kernels(model, found[k], &text);
    }
    if (count > 0 && model->cpu)
        text_printf(&text, "%s**CPU SIMT device timings, never comparable with a GPU.**",
                    count > 1 ? "\n\n" : " ");
    context_put(out, "method", "%s", text_get(&text));
    text_release(&text);
}
