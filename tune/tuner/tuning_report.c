/* logs/OP_tuning.md: what a tuning run tried and found, for a reader; and the same for programs. */
#include "tune/tuner/tuner.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include "history/compare.h"
#include "tune/tuner/tuning_analysis.h"
#include "tune/tuner/tuning_chart.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *label(const tune_candidate *c)
{
    static char text[TUNED_VARIANT_TEXT_MAX];
    tuned_variant_text(&c->tuned, text);
    return text;
}

static void write_us(FILE *out, double us)
{
    if (isnan(us))
        fputs("-", out);
    else
        fprintf(out, "%.*f", us < 10 ? 3 : us < 1000 ? 2 : 0, us);
}

static void write_cards(FILE *f, const tune_cards *cards)
{
    fprintf(f,
            "Over %d devices; seconds of verifying and timing are means of them. A time of another device "
            "than the "
            "first counts by the factor, which is the default's time on the first over its time there; the "
            "finals "
            "are of the first alone.\n\n| device | name | the default, us | factor | evaluations |\n"
            "|---|---|---|---|---|\n",
            cards->count);
    for (int i = 0; i < cards->count; i++) {
        const tune_card *c = &cards->items[i];
        fprintf(f, "| %d | %s | ", c->number, c->name);
        write_us(f, c->default_us);
        fprintf(f, isnan(c->factor) ? " | -" : " | %.4f", c->factor);
        fprintf(f, " | %d%s%s |\n", c->evaluations, c->lost[0] ? "; left out: " : "", c->lost);
    }
    fputc('\n', f);
}

static void write_head(FILE *f, const tune_options *o, const tune_outcome *out)
{
    const tune_subject *s = &out->subject;
    fprintf(f, "# Tuning of %s\n\n## %s %s %s on %s\n\n", s->op->spec->name, s->variant,
            assay_dtype_name(s->dtype), s->size, s->device.name);
    fprintf(
        f,
        "%d evaluations in %.0f s (%d of them from an earlier process of the run), strategy %s, seed %llu; "
        "ended by: %s.\nObjective: mean of the mode `%s`. Space: %llu valid configurations of %llu.\n\n",
        out->count, out->seconds, out->resumed, out->strategy, (unsigned long long)out->seed, out->end,
        timing_mode_name(o->evaluate.mode), (unsigned long long)space_count(out->space),
        (unsigned long long)space_cartesian_count(out->space));
    const evaluator_times *t = &out->spent;
    const double rest = out->own_seconds - t->compiling - t->verifying - t->timing;
    fprintf(f,
            "This process, finals included: %.1f s, of which %.1f waiting for compilers, %.1f verifying, "
            "%.1f timing and "
            "%.1f (%.1f%%) the tuner itself.\n\n",
            out->own_seconds, t->compiling, t->verifying, t->timing, rest, 100 * rest / out->own_seconds);
    if (out->provider_note[0])
        fprintf(f, "Seeds: %s.\n\n", out->provider_note);
    if (out->cards)
        write_cards(f, out->cards);
    fprintf(f, "Repeat it: `%s`\n\n", o->command ? o->command : "assay tune");
}

static void write_verdict(FILE *f, const tune_options *o, const tune_outcome *out)
{
    fputs("### Default against tuned\n\n", f);
    if (out->winner < 0) {
        fputs(o->no_finals
                  ? "No finals were asked for (`--no-finals`).\n\n"
                  : "No finalist was timed and right at all sizes and edge cases: there is no winner.\n\n",
              f);
        return;
    }
    const tune_finalist *w = &out->finalists[out->winner], *base = &out->finalists[0];
    if (out->winner == 0)
        fprintf(f, "**Same**: no configuration is measurably faster than the default, `%s`.\n\n",
                label(base->candidate));
    else if (w->verdict == COMPARE_FASTER) {
        fprintf(f, "**Faster**: `%s` takes ", label(w->candidate));
        write_us(f, w->us);
        fputs(" us, the default ", f);
        write_us(f, base->us);
        fprintf(f, " us: %.2f%% (95%%: %.2f%% to %.2f%%).\n\n", 100 * (w->ratio.ratio - 1),
                100 * (w->ratio.low95 - 1), 100 * (w->ratio.high95 - 1));
    } else
        fprintf(f, "**`%s`**; the default could not be timed, so nothing is said about a gain.\n\n",
                label(w->candidate));
    if (!isnan(tuning_regret(out)))
        fprintf(f,
                "Every valid configuration was evaluated: against the fastest of them the winner's regret is "
                "%.2f%%.\n\n",
                100 * tuning_regret(out));
    fputs("Measured together, repetitions interleaved:\n\n"
          "| configuration | us | 95% | against the default | all sizes and edge cases "
          "|\n|---|---|---|---|---|\n",
          f);
    for (int i = 0; i < out->finalist_count; i++) {
        const tune_finalist *t = &out->finalists[i];
        fprintf(f, "| `%s`%s | ", label(t->candidate), i == out->winner ? " **winner**" : "");
        write_us(f, t->us);
        fputs(" | ", f);
        write_us(f, t->low_us);
        fputs(" to ", f);
        write_us(f, t->high_us);
        fprintf(f, " | %s", isnan(t->us) ? "-" : compare_verdict_name(t->verdict));
        if (!isnan(t->ratio.ratio))
            fprintf(f, " (%+.2f%%)", 100 * (t->ratio.ratio - 1));
        fprintf(f, " | %s%.200s |\n", t->wrong ? "**wrong**: " : "right", t->wrong ? t->why : "");
    }
    fputc('\n', f);
}

static void write_sizes(FILE *f, const tune_outcome *out)
{
    int slower = 0;
    if (out->at_size_count == 0)
        return;
    fputs("### Stability across sizes\n\nOne module serves all sizes. Default and winner at the others, by "
          "quick "
          "repetitions:\n\n| size | default, us | winner, us | change |\n|---|---|---|---|\n",
          f);
    for (int i = 0; i < out->at_size_count; i++) {
        const tune_at_size *at = &out->at_sizes[i];
        const double change = at->winner_us / at->default_us - 1;
        fprintf(f, "| %s | ", at->size);
        write_us(f, at->default_us);
        fputs(" | ", f);
        write_us(f, at->winner_us);
        if (isnan(change))
            fputs(" | - |\n", f);
        else
            fprintf(f, " | %+.1f%% |\n", 100 * change);
        slower += change > 0.02;
    }
    if (slower > 0)
        fputs("\nSlower by more than 2% somewhere: think twice before the winner is committed.\n", f);
    fputc('\n', f);
}

static void write_trace(FILE *f, const tune_outcome *out, const char *chart)
{
    double best = NAN;
    fputs("### Best so far against time\n\n", f);
    if (chart)
        fprintf(f, "![Every evaluation, and the best so far](%s)\n\n", chart);
    fputs("| evaluation | s | us | configuration |\n|---|---|---|---|\n", f);
    for (int i = 0; i < out->count; i++) {
        const tune_candidate *c = &out->candidates[i];
        if (c->status != EVALUATION_SUCCESS || c->time_us >= best)
            continue;
        best = c->time_us;
        fprintf(f, "| %d | %.1f | ", i + 1, out->elapsed_s[i]);
        write_us(f, best);
        fprintf(f, " | `%s` |\n", label(c));
    }
    fputc('\n', f);
}

static void write_impact(FILE *f, const tune_outcome *out)
{
    parameter_impact impacts[SPACE_MAX_PARAMETERS];
    const int count = tuning_impact(out, impacts, SPACE_MAX_PARAMETERS);
    fputs("### Impact of each parameter\n\nBest time with each value of a parameter, whatever the others "
          "are; the impact is the worst of "
          "these over the best.\n\n| parameter | impact | best time by value, us |\n|---|---|---|\n",
          f);
    for (int p = 0; p < count; p++) {
        const parameter_impact *impact = &impacts[p];
        fprintf(f, "| %s | %.2fx |", impact->parameter->name, impact->impact);
        for (int v = 0; v < impact->parameter->value_count; v++) {
            char text[64];
            value_format(&impact->parameter->values[v], text, sizeof text);
            fprintf(f, "%s %s: ", v ? "," : "", text);
            write_us(f, impact->best_us[v]);
        }
        fputs(" |\n", f);
    }
    fputc('\n', f);
}

static void write_top(FILE *f, const tune_outcome *out)
{
    enum { TOP = 10 };
    const tune_candidate *top[TOP];
    const int count = tuning_top(out, top, TOP);
    fputs("### Top ten of the search\n\n| us | configuration | registers | spill bytes | shared bytes "
          "|\n|---|---|---|---|---|\n",
          f);
    for (int i = 0; i < count; i++) {
        json_t *report = top[i]->report ? json_loads(top[i]->report, 0, NULL) : NULL;
        static const char *const keys[] = {"registers", "spill_bytes", "shared_bytes"};
        fputs("| ", f);
        write_us(f, top[i]->time_us);
        fprintf(f, " | `%s` |", label(top[i]));
        for (int k = 0; k < 3; k++) {
            const double value = json_get_number(report, keys[k], NAN);
            if (isnan(value))
                fputs(" - |", f);
            else
                fprintf(f, " %.0f |", value);
        }
        fputc('\n', f);
        json_decref(report);
    }
    fputc('\n', f);
}

static void write_failures(FILE *f, const tune_outcome *out)
{
    enum { MOST = 12 };
    failure_group groups[MOST];
    const int count = tuning_failures(out, groups, MOST);
    fputs("### Failures by reason\n\n", f);
    if (count == 0)
        fputs("None.\n\n", f);
    else
        fputs("| status | how many | reason | first of them |\n|---|---|---|---|\n", f);
    for (int i = 0; i < count; i++) {
        char reason[320];
        snprintf(reason, sizeof reason, "%.300s", groups[i].first->reason);
        utf8_make_line(reason);
        for (char *c = reason; *c; c++)
            if (*c == '|')
                *c = '/';
        fprintf(f, "| %s | %d | %s | `%s` |\n", evaluation_status_name(groups[i].status), groups[i].count,
                reason, label(groups[i].first));
    }
    if (count > 0)
        fputc('\n', f);
}

static void write_proposals(FILE *f, const tune_outcome *out)
{
    enum { MOST = 8 };
    char proposals[MOST][PROPOSAL_BYTES];
    const int count = tuning_propose_constraints(out, proposals, MOST);
    if (count == 0)
        return;
    fputs("### Constraints that seem to be missing\n\nop.json's `constraints` could hold these, so that such "
          "configurations are not "
          "compiled again:\n\n",
          f);
    for (int i = 0; i < count; i++)
        fprintf(f, "- %s\n", proposals[i]);
    fputc('\n', f);
}

static void write_all(FILE *f, const tune_options *o, const tune_outcome *out, const char *chart)
{
    write_head(f, o, out);
    write_verdict(f, o, out);
    write_sizes(f, out);
    write_trace(f, out, chart);
    write_impact(f, out);
    write_top(f, out);
    write_failures(f, out);
    write_proposals(f, out);
}

assay_status tune_report_write(const tune_options *o, tune_outcome *out, assay_error *error)
{
    const tune_subject *s = &out->subject;
    char chart[4400], stem[300], name[310], *text = NULL;
    size_t bytes = 0;
    snprintf(stem, sizeof stem, "%s%s", o->report ? o->report : s->op->spec->name,
             o->report ? "" : "_tuning");
    snprintf(name, sizeof name, "%s.svg", stem);
    snprintf(chart, sizeof chart, "%s/%s", s->ws->logs, name);
    snprintf(out->report, sizeof out->report, "%s/%s.md", s->ws->logs, stem);
    const int has_chart = tuning_chart_write(out, chart, NULL) == ASSAY_OK;
    FILE *f = open_memstream(&text, &bytes);
    if (f)
        write_all(f, o, out, has_chart ? name : NULL);
    if (!f || fclose(f) != 0) {
        free(text);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    const assay_status status = text_file_write(out->report, text, bytes, error);
    free(text);
    return status;
}

static json_t *candidate_json(const tune_candidate *c)
{
    json_t *values = json_object();
    for (int i = 0; i < c->tuned.count; i++)
        json_object_set_new(values, c->tuned.values[i].name, json_integer(c->tuned.values[i].value));
    return json_pack("{s:o, s:s, s:s, s:o}", "configuration", values, "status",
                     evaluation_status_name(c->status), "reason", c->reason, "us", json_number(c->time_us));
}

static json_t *finalist_json(const tune_finalist *f)
{
    json_t *json = candidate_json(f->candidate);
    json_object_set_new(json, "search_us", json_number(f->search_us));
    json_object_set_new(json, "us", json_number(f->us));
    json_object_set_new(json, "ci95_us",
                        json_pack("[o, o]", json_number(f->low_us), json_number(f->high_us)));
    json_object_set_new(json, "verdict", json_string(f->wrong ? "wrong" : compare_verdict_name(f->verdict)));
    json_object_set_new(json, "ratio", json_number(f->ratio.ratio));
    json_object_set_new(json, "reason", json_string(f->why));
    return json;
}

static json_t *cards_json(const tune_cards *cards)
{
    json_t *list = json_array();
    for (int i = 0; cards && i < cards->count; i++) {
        const tune_card *c = &cards->items[i];
        json_array_append_new(list, json_pack("{s:i, s:s, s:s, s:o, s:o, s:i, s:s}", "device", c->number,
                                              "name", c->name, "uuid", c->uuid, "default_us",
                                              json_number(c->default_us), "factor", json_number(c->factor),
                                              "evaluations", c->evaluations, "left_out", c->lost));
    }
    return list;
}

json_t *tune_outcome_json(const tune_outcome *out)
{
    const tune_subject *s = &out->subject;
    json_t *counts = json_object(), *finalists = json_array(), *evaluations = json_array();
    for (int i = 0; i < EVALUATION_STATUS_COUNT; i++)
        json_object_set_new(counts, evaluation_status_name((evaluation_status)i),
                            json_integer(out->counts[i]));
    for (int i = 0; i < out->finalist_count; i++)
        json_array_append_new(finalists, finalist_json(&out->finalists[i]));
    for (int i = 0; i < out->count; i++)
        json_array_append_new(evaluations, candidate_json(&out->candidates[i]));
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:o, s:s, s:o, s:o, s:o}", "op",
                             s->op->spec->name, "variant", s->variant, "dtype", assay_dtype_name(s->dtype),
                             "size", s->size, "run", out->run, "strategy", out->strategy, "seed",
                             (json_int_t)out->seed, "evaluations", out->count, "resumed", out->resumed,
                             "counts", counts, "end", out->end, "seconds", json_number(out->seconds),
                             "default_us", json_number(tune_default_us(out)), "finalists", finalists);
    json_object_set_new(json, "winner",
                        out->winner >= 0 ? finalist_json(&out->finalists[out->winner]) : json_null());
    json_object_set_new(json, "best_so_far",
                        out->best >= 0 ? candidate_json(&out->candidates[out->best]) : json_null());
    json_object_set_new(json, "regret", json_number(tuning_regret(out)));
    json_t *sizes = json_object();
    for (int i = 0; i < out->at_size_count; i++)
        json_object_set_new(sizes, out->at_sizes[i].size,
                            json_pack("{s:o, s:o}", "default_us", json_number(out->at_sizes[i].default_us),
                                      "winner_us", json_number(out->at_sizes[i].winner_us)));
    json_object_set_new(json, "other_sizes", sizes);
    json_object_set_new(json, "provider", json_string(out->provider_note));
    json_object_set_new(json, "spent_s",
                        json_pack("{s:f, s:f, s:f, s:f}", "all", out->own_seconds, "compiling",
                                  out->spent.compiling, "verifying", out->spent.verifying, "timing",
                                  out->spent.timing));
    json_object_set_new(json, "devices", cards_json(out->cards));
    json_object_set_new(json, "trace", evaluations);
    json_object_set_new(json, "report", json_string(out->report));
    json_object_set_new(json, "saved", out->saved[0] ? json_string(out->saved) : json_null());
    return json;
}
