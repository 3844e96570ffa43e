/* What each kernel needs of the hardware (docs/resources.md), as a line of text for the details of its case: the newest figures in the
 * history, and of those that changed what they were before and since which commit. */
#include "site.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct needs {
    site *s;
    int64_t case_id;
    char arch[16];
    struct {
        double now, before;
        int64_t since; /* revision at which `before` became `now` */
    } figure[4];
} needs;

static const struct {
    const char *key, *format, *was;
} figures[4] = {{"resources.registers", "%.0f registers", "%.0f"},
                {"resources.spill_bytes", "%.0f bytes spilled", "%.0f"},
                {"resources.shared_bytes", "%.0f bytes of static shared memory", "%.0f"},
                {"resources.occupancy_percent", "lowest occupancy %.0f%%", "%.0f%%"}};

static void begin_case(needs *n, int64_t case_id)
{
    n->case_id = case_id;
    n->arch[0] = '\0';
    for (int i = 0; i < 4; i++)
        n->figure[i].now = n->figure[i].before = NAN;
}

static const char *commit_of(const site *s, int64_t revision_id)
{
    for (int i = 0; i < s->commit_count; i++)
        if (s->commits[i].revision_id == revision_id)
            return s->commits[i].hash;
    return "";
}

/* Give the text to every figure's series of the case. */
static void end_case(const needs *n)
{
    text_buffer text = {0};
    for (int i = 0; i < 4; i++) {
        if (!isfinite(n->figure[i].now))
            continue;
        text_puts(&text, text.length ? ", " : "");
        text_printf(&text, figures[i].format, n->figure[i].now);
        if (isfinite(n->figure[i].before)) {
            text_puts(&text, " (");
            text_printf(&text, figures[i].was, n->figure[i].before);
            text_printf(&text, " before %.9s)", commit_of(n->s, n->figure[i].since));
        }
    }
    if (text.length && n->arch[0])
        text_printf(&text, " on %s", n->arch);
    for (int i = 0; text.length && !text.failed && i < n->s->series_count; i++) {
        series *one = &n->s->series[i];
        if (one->case_id != n->case_id)
            continue;
        free(one->needs);
        one->needs = site_copy(n->s, text_get(&text));
    }
    text_release(&text);
}

/* Values come by case and key, each key in the order of history. */
static int add_value(void *context, const history_static *value)
{
    needs *n = context;
    if (value->case_id != n->case_id) {
        end_case(n);
        begin_case(n, value->case_id);
    }
    if (strcmp(value->key, "resources.arch") == 0)
        snprintf(n->arch, sizeof n->arch, "%.15s", value->text);
    for (int i = 0; i < 4; i++) {
        if (strcmp(value->key, figures[i].key) != 0 || !isfinite(value->number))
            continue;
        if (isfinite(n->figure[i].now) && n->figure[i].now != value->number) {
            n->figure[i].before = n->figure[i].now;
            n->figure[i].since = value->revision_id;
        }
        n->figure[i].now = value->number;
    }
    return n->s->status != ASSAY_OK;
}

void site_find_static_figures(site *s)
{
    history_filter filter = s->options->filter ? *s->options->filter : (history_filter){0};
    assay_error error = {0};
    needs n = {.s = s};
    filter.ops = s->op;
    begin_case(&n, -1);
    site_fail(s, history_each_static(s->h, &filter, add_value, &n, &error), &error);
    end_case(&n);
}
