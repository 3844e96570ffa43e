/* Formatting for reports; see report_text.h. Decides nothing about what a time means. */
#include "report/report_text.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int decimals_for(double us)
{
    return us < 10 ? 3 : us < 100 ? 2 : us < 1000 ? 1 : 0;
}

void text_us(char *out, size_t bytes, double us)
{
    if (!isfinite(us))
        snprintf(out, bytes, "-");
    else
        snprintf(out, bytes, "%.*f", decimals_for(us), us);
}

void text_us_interval(char *out, size_t bytes, const report_times *times)
{
    const double half = (times->high_us - times->low_us) / 2;
    if (!isfinite(half) || half < 0) {
        text_us(out, bytes, times->mean_us);
        return;
    }
    int decimals = 0; /* the interval's first digit */
    for (double h = half; decimals < 3 && h < 0.95; h *= 10)
        decimals++;
    snprintf(out, bytes, "%.*f ± %.*f", decimals, times->mean_us, decimals, half);
}

/* Half of the mean's 95% interval from which on a time is called imprecise: two such times cannot be told
 * apart at 10%. */
#define IMPRECISE 0.05

/* What the samples of a time lack: "bimodal, outliers, imprecise: 12% either way"; "" for nothing. */
static void text_flaws(char *out, size_t bytes, const report_entry *entry, timing_mode mode)
{
    const report_times *times = &entry->times[mode];
    const unsigned flaws = entry->result ? entry->result->times[mode].quality.flaws : 0;
    const double half = 0.5 * (times->high_us - times->low_us) / times->mean_us;
    size_t n = 0;
    out[0] = '\0';
    for (unsigned bit = 1; bit && bit <= flaws && n < bytes; bit <<= 1)
        if ((flaws & bit) && result_flaw_name(bit))
            n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "", result_flaw_name(bit));
    if (half > IMPRECISE && n < bytes) /* false for NAN */
        snprintf(out + n, bytes - n, "%simprecise: %.0f%% either way", n ? ", " : "", 100.0 * half);
}

void text_scaled(char *out, size_t bytes, double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int p = 0;
    if (!isfinite(value)) {
        snprintf(out, bytes, "-");
        return;
    }
    while (fabs(value) >= 999.5 && p < 5) {
        value /= 1000;
        p++;
    }
    const int decimals = value == floor(value) && p == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(out, bytes, "%.*f %s%s", decimals, value, prefixes[p], unit);
}

void text_ratio(char *out, size_t bytes, double ratio)
{
    if (!isfinite(ratio))
        snprintf(out, bytes, "-");
    else if (ratio < 1 && ratio >= 0.995) /* never round a loss up to a tie */
        snprintf(out, bytes, "%.3fx", floor(ratio * 1000) / 1000);
    else
        snprintf(out, bytes, "%.*fx", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
}

void text_intensity(char *out, size_t bytes, double intensity)
{
    if (!isfinite(intensity))
        snprintf(out, bytes, "-");
    else
        snprintf(out, bytes, intensity < 999.5 ? "%.3g" : "%.0f", intensity);
}

const char *text_state(report_state state)
{
    static const char *const words[] = {
        [STATE_TIMED] = "ok",
        [STATE_UNSTABLE] = "unstable",
        [STATE_STALE] = "stale",
        [STATE_WRONG_OUTPUT] = "timed output wrong",
        [STATE_NOT_COMPILED] = "does not compile",
        [STATE_FAILED] = "failed verification",
        [STATE_NOT_TIMED] = "not timed",
        [STATE_UNAVAILABLE] = "unavailable",
        [STATE_REMOVED] = "removed",
        [STATE_MISSING] = "not run",
    };
    return words[state];
}

void text_cell(char *out, size_t bytes, const report_entry *entry, timing_mode mode, int limit)
{
    char reason[256];
    if (!entry) {
        snprintf(out, bytes, "-");
        return;
    }
    if (report_has_time(entry, mode)) {
        text_us_interval(out, bytes, &entry->times[mode]);
        const size_t length = strlen(out);
        text_flaws(reason, sizeof reason, entry, mode);
        snprintf(out + length, bytes - length, "%s%s%s%s%s",
                 entry->state == STATE_UNSTABLE ? " (unstable)" : "",
                 entry->times[mode].above_roofline ? " (above its roofline bound)" : "", *reason ? " (" : "",
                 reason, *reason ? ")" : "");
        return;
    }
    if (entry->state == STATE_TIMED || entry->state == STATE_UNSTABLE) {
        snprintf(out, bytes, "-"); /* timed, but not in this mode */
        return;
    }
    text_markdown(reason, sizeof reason, entry->reason, limit);
    const int says_all =
        entry->state == STATE_NOT_COMPILED || entry->state == STATE_WRONG_OUTPUT || !*reason || limit <= 0;
    snprintf(out, bytes, "%s%s%s", text_state(entry->state), says_all ? "" : ": ", says_all ? "" : reason);
}

void text_markdown(char *out, size_t bytes, const char *text, int limit)
{
    size_t n = 0;
    int characters = 0;
    for (; *text && n + 8 < bytes; text++) {
        const int starts = ((unsigned char)*text & 0xc0) != 0x80; /* not inside a UTF-8 sequence */
        if (starts && limit > 0 && characters++ >= limit) {
            memcpy(out + n, "…", sizeof "…");
            return;
        }
        if (*text == '|')
            out[n++] = '\\';
        out[n++] = *text == '\n' || *text == '\r' ? ' ' : *text;
    }
    out[n] = '\0';
}

/* Parameters that the size sets, after the dimensions. */
static void add_size_params(char *out, size_t bytes, const opspec_dims *dims)
{
    size_t n = strlen(out);
    for (int i = 0; i < dims->param_count && n < bytes; i++) {
        const assay_param *p = &dims->params[i];
        n += (size_t)snprintf(out + n, bytes - n, "%s%s=", n ? ", " : "", p->name);
        if (n < bytes && p->type == ASSAY_PARAM_TEXT)
            n += (size_t)snprintf(out + n, bytes - n, "%s", p->text);
        else if (n < bytes && p->type == ASSAY_PARAM_REAL)
            n += (size_t)snprintf(out + n, bytes - n, "%g", p->real);
        else if (n < bytes && p->type == ASSAY_PARAM_BOOLEAN)
            n += (size_t)snprintf(out + n, bytes - n, "%s", p->integer ? "true" : "false");
        else if (n < bytes)
            n += (size_t)snprintf(out + n, bytes - n, "%lld", (long long)p->integer);
    }
}

void text_dims(char *out, size_t bytes, const report_model *model, int op, int size)
{
    const opspec_size *of = &model->ws->ops[op].spec->sizes[size];
    const opspec_dims *dims = opspec_size_dims(of, model->cpu ? "cpu" : "cuda");
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < dims->count && n < bytes; i++)
        n += (size_t)snprintf(out + n, bytes - n, "%s%s=%lld", n ? ", " : "", dims->dim[i].name,
                              (long long)dims->dim[i].value);
    add_size_params(out, bytes, &of->dims);
}

void text_kernel(char *out, size_t bytes, const report_row *row)
{
    const int is_variant = row->kind == RESULT_VARIANT;
    snprintf(out, bytes, "%s%s%s%s", is_variant ? "" : result_kind_name(row->kind), is_variant ? "" : " ",
             row->name, strcmp(row->math_mode, "tf32") == 0 ? " (tf32)" : "");
}

void text_case(char *out, size_t bytes, const report_model *model, const report_entry *entry)
{
    const opspec *spec = model->ws->ops[entry->op].spec;
    result_case id = {.kind = entry->kind};
    char name[2 * ASSAY_NAME_MAX];
    snprintf(id.name, sizeof id.name, "%s", entry->name);
    result_full_name(&id, name, sizeof name);
    snprintf(out, bytes, "%s.%s.%s.%s", spec->name, name, report_dtype_name(spec, entry->dtype),
             report_size_name(spec, entry->size));
}

/* Absolute and without "..": by the file system where the folder exists, else as written. */
static void make_absolute(const char *folder, char *out)
{
    char here[PATH_MAX];
    if (realpath(folder, out))
        return;
    if (folder[0] == '/' || !getcwd(here, sizeof here))
        snprintf(out, PATH_MAX, "%s", folder);
    else
        snprintf(out, PATH_MAX, "%s/%s", here, folder);
}

/* The length of what two absolute folders share, up to a '/' or to the end of one of them. */
static size_t common_folders(const char *a, const char *b)
{
    size_t common = 0, i = 0;
    for (; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            common = i;
    if ((!a[i] && (!b[i] || b[i] == '/')) || (!b[i] && a[i] == '/'))
        common = i;
    return common;
}

void text_relative(char *out, size_t bytes, const char *folder, const char *path)
{
    char from[PATH_MAX], parent[PATH_MAX], to[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    make_absolute(folder, from);
    make_absolute(parent, to);
    const size_t common = common_folders(from, to);
    if (common == 0) { /* nothing but the root in common */
        snprintf(out, bytes, "%s/%s", to, name);
        return;
    }
    size_t n = 0;
    out[0] = '\0';
    for (const char *c = from + common; *c && n + 4 < bytes; c++)
        if (*c == '/')
            n += (size_t)snprintf(out + n, bytes - n, "../");
    const char *rest = to + common + (to[common] == '/');
    snprintf(out + n, bytes - n, "%s%s%s", rest, *rest ? "/" : "", name);
}

/* The comment text of the line at *cursor, without its markers; NULL past the head comment. Moves to the
 * next line. */
static const char *comment_line(const char **cursor, size_t *length)
{
    const char *c = *cursor, *end = c + strcspn(c, "\n");
    *cursor = *end ? end + 1 : end;
    while (c < end && (*c == ' ' || *c == '\t'))
        c++;
    if (end - c >= 2 && (strncmp(c, "//", 2) == 0 || strncmp(c, "/*", 2) == 0))
        c += 2;
    else if (c < end && *c == '*' && !(end - c >= 2 && c[1] == '/'))
        c++;
    else
        return NULL;
    while (c < end && *c == ' ')
        c++;
    if (end - c >= 2 && strncmp(end - 2, "*/", 2) == 0)
        end -= 2;
    while (end > c && (end[-1] == ' ' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - c);
    return c;
}

void text_head_comment(const char *source, text_buffer *title, text_buffer *technique)
{
    const char *cursor = source, *line;
    size_t length;
    int tunables = 0;
    while (*cursor && (line = comment_line(&cursor, &length))) {
        if (!title->length) {
            text_append(title, line, length && line[length - 1] == '.' ? length - 1 : length);
            continue;
        }
        tunables = length == 0 ? 0 : tunables || strncmp(line, "Tunables:", 9) == 0;
        if (tunables || (length == 0 && !technique->length))
            continue;
        text_append(technique, line, length);
        text_puts(technique, "\n");
    }
    while (technique->length && technique->data[technique->length - 1] == '\n')
        technique->data[--technique->length] = '\0';
}
