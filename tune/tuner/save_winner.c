/* A winner's row in ops/OP/best/ARCH.json: see docs/formats.md and build_module/winner.h, which reads it. */
#include "build_module/winner.h"
#include "core/json_file.h"
#include "history/compare.h"
#include "results/result.h"
#include "tune/tuner/tuner.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static json_t *values_json(const tuned_variant *tuned)
{
    json_t *values = json_object();
    for (int i = 0; i < tuned->count; i++)
        json_object_set_new(values, tuned->values[i].name, json_integer(tuned->values[i].value));
    return values;
}

static json_t *dims_json(const opspec_dims *dims)
{
    json_t *object = json_object();
    for (int i = 0; i < dims->count; i++)
        json_object_set_new(object, dims->dim[i].name, json_integer(dims->dim[i].value));
    return object;
}

static json_t *make_row(const tune_options *o, const tune_outcome *out)
{
    const tune_subject *s = &out->subject;
    const tune_finalist *winner = &out->finalists[out->winner], *base = &out->finalists[0];
    char now[32], commit[64];
    int dirty;
    result_time_text((int64_t)time(NULL), now);
    workspace_commit(s->ws, commit, &dirty);
    json_t *run =
        json_pack("{s:s, s:s, s:s, s:I, s:i, s:s, s:s, s:s, s:s, s:s}", "id", out->run, "time", now,
                  "strategy", out->strategy, "seed", (json_int_t)out->seed, "evaluations", out->count, "card",
                  s->device.name, "driver", s->device.driver, "commit", commit, "command",
                  o->command ? o->command : "", "kernel", winner->candidate->source_sha256);
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:s, s:o}", "variant", s->variant,
                     "dtype", assay_dtype_name(s->dtype), "size", s->size, "dims",
                     dims_json(opspec_size_dims(opspec_find_size(s->op->spec, s->size), s->ws->device)),
                     "tunables", values_json(&winner->candidate->tuned), "mode",
                     timing_mode_name(o->evaluate.mode), "us", json_number(winner->us), "default_us",
                     json_number(base->us), "ratio",
                     json_pack("[o, o, o]", json_number(winner->ratio.ratio),
                               json_number(winner->ratio.low95), json_number(winner->ratio.high95)),
                     "verdict", compare_verdict_name(winner->verdict), "run", run);
}

json_t *tune_winner_row(const tune_options *o, const tune_outcome *out)
{
    const int is_one = out->winner > 0 && out->finalists[out->winner].verdict == COMPARE_FASTER &&
                       !opspec_is_shape(out->subject.size); /* a shape of a user is no class of op.json */
    return is_one ? make_row(o, out) : NULL;
}

assay_status tune_put_winner(const workspace *ws, const workspace_op *op, json_t *row, char saved[4400],
                             assay_error *error)
{
    return winner_put(ws, op, "winners", row, saved, error);
}
