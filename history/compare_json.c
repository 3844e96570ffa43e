/* JSON of a comparison: see compare_output.h. The keys are in docs/formats.md. */
#include "core/json_file.h"
#include "history/compare_output_internal.h"
#include <math.h>

static json_t *overhead_json(double us)
{
    return us > 0 ? json_number(us) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static json_t *machine_json(const machine_state *state)
{
    return json_pack("{s:o, s:o}", "load", json_number(state->load), "sm_mhz", json_number(state->sm_mhz));
}

static json_t *name_json(const compare_case *c)
{
    char name[ASSAY_NAME_MAX + 16];
    result_full_name(&c->id, name, sizeof name);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:s}", "op", c->id.op, "variant", name,
                     "dtype", assay_dtype_name(c->id.dtype), "size", c->id.size,
                     c->counted ? "counted" : "mode", c->counted ? c->counted : timing_mode_name(c->mode),
                     "card", c->slug, "verdict", compare_verdict_name(c->verdict), "gates", c->gates,
                     "reason", c->reason);
}

static json_t *values_json(const compare_case *c)
{
    return json_pack("{s:o, s:o, s:o, s:[o, o], s:[o, o], s:o}", c->counted ? "base" : "base_us",
                     json_number(c->base_us), c->counted ? "new" : "new_us", json_number(c->new_us), "ratio",
                     json_number(c->ratio.ratio), "interval95", json_number(c->ratio.low95),
                     json_number(c->ratio.high95), "interval90", json_number(c->ratio.low90),
                     json_number(c->ratio.high90), "minimum_effect",
                     isfinite(c->ratio.ratio) ? json_number(c->minimum_effect) : json_null());
}

static json_t *test_json(const compare_case *c)
{
    const int tested = isfinite(c->test.p);
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:[i, i], s:[i, i], s:b, s:b, s:i}", "p", json_number(c->p),
                     "p_ranks", json_number(c->test.p), "p_adjusted", json_number(c->p_adjusted),
                     "cliffs_delta", tested ? json_number(c->test.delta) : json_null(), "exact",
                     c->test.exact, "runs", c->base_runs, c->new_runs, "repetitions", c->base_repetitions,
                     c->new_repetitions, "same_card", c->same_card, "unchanged", c->unchanged, "repeated",
                     c->repeated);
}

static json_t *corrections_json(const compare_case *c)
{
    return json_pack("{s:[o, o], s:b, s:i, s:o, s:o, s:o, s:[o, o], s:[o, o]}", "launch_overhead_us",
                     overhead_json(c->base_overhead_us), overhead_json(c->new_overhead_us),
                     "overhead_corrected", c->overhead_corrected, "controls", c->controls, "control_shift_us",
                     c->controls ? json_number(c->shift_us) : json_null(), "control_ratio",
                     c->controls ? json_number(c->controls_ratio) : json_null(), "relative_to",
                     text_or_null(c->relative_to), "relative", json_number(c->base_relative),
                     json_number(c->new_relative), "machine", machine_json(&c->base_machine),
                     machine_json(&c->new_machine));
}

static json_t *case_json(const compare_case *c)
{
    json_t *out = name_json(c);
    json_t *const parts[] = {values_json(c), test_json(c), corrections_json(c)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_object_update(out, parts[i]);
        json_decref(parts[i]);
    }
    return out;
}

void compare_write_json(const compare_report *report, FILE *out)
{
    json_t *counts = json_object(), *cases = json_array();
    for (int v = 0; v < COMPARE_VERDICTS; v++)
        json_object_set_new(counts, compare_verdict_name((compare_verdict)v),
                            json_integer(report->verdicts[v]));
    for (int i = 0; i < report->count; i++)
        json_array_append_new(cases, case_json(&report->cases[i]));
    json_t *root = json_pack("{s:i, s:s, s:s, s:o, s:i, s:i, s:o}", "schema", 2, "base", report->base_label,
                             "new", report->new_label, "verdicts", counts, "failed", report->failed,
                             "unusable_files", report->unusable, "cases", cases);
    json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(root);
}
