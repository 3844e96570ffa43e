/* Quality as it stands in a result: see quality.h and docs/formats.md. */
#include "core/json_file.h"
#include "bench/timing/quality.h"
#include <math.h>

/* Four significant digits: these are indicators, not figures. */
static json_t *brief(double value)
{
    if (!isfinite(value) || value == 0.0)
        return json_number(value);
    const double unit = pow(10.0, floor(log10(fabs(value))) - 3.0);
    return json_number(round(value / unit) * unit);
}

json_t *quality_flags_json(int flags)
{
    static const char *const names[] = {"warm-up", "drift", "outliers", "bimodal", "dependent"};
    json_t *list = json_array();
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (flags & 1 << i)
            json_array_append_new(list, json_string(names[i]));
    return list;
}

json_t *quality_samples_json(const sample_quality *q)
{
    return json_pack("{s:o, s:o, s:i, s:o, s:o}", "drift_z", brief(q->drift_z), "drift_change",
                     brief(q->drift_change), "outliers", q->outliers, "lag1", brief(q->lag1),
                     "effective_samples", brief(q->effective_samples));
}

json_t *quality_json(const figure_quality *q)
{
    json_t *modes = q->modes.dip > 0.0
                        ? json_pack("{s:o, s:o, s:[o, o], s:o}", "dip", brief(q->modes.dip), "dip_critical",
                                    brief(q->modes.dip_critical), "centres_us", brief(q->modes.low),
                                    brief(q->modes.high), "share_high", brief(q->modes.share_high))
                        : json_null();
    return json_pack("{s:o, s:i, s:o, s:o, s:i, s:o, s:o}", "flags", quality_flags_json(q->flags), "outliers",
                     q->outliers, "effective_samples", brief(q->effective_samples), "lag1", brief(q->lag1),
                     "warming_repetitions", q->warming, "between_repetitions",
                     quality_samples_json(&q->between), "modes", modes);
}
