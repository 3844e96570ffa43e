/* What assay bench says at its end. */
#include "cli/bench_print.h"
#include "outside/results_json.h"
#include <stdio.h>

/* What is none is not said. */
static void print_count(const char *before, int count, const char *after)
{
    if (count > 0)
        printf("%s%d%s", before, count, after);
}

void bench_print(const workspace *ws, const cli_options *common, const bench_summary *s,
                 const report_standings *against, json_t *shrunk)
{
    if (common->json) {
        json_t *out =
            json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:f}", "cases", s->cases,
                      "timed", s->timed, "fresh", s->fresh, "unstable", s->unstable, "refused", s->refused,
                      "failed", s->failed, "too_large", s->too_large, "left", s->left, "baselines_timed",
                      s->baselines_timed, "baselines_unavailable", s->baselines_unavailable, "kept", s->kept,
                      "interrupted", s->interrupted, "seconds", s->seconds);
        json_object_set_new(out, "against_baselines",
                            json_pack("{s:i, s:i, s:i}", "wins", against->wins, "ties", against->ties,
                                      "losses", against->losses));
        json_object_set(out, "shrunk", shrunk);
        json_object_set_new(out, "results", results_json(ws->results, &common->filter));
        cli_print_json(out);
        return;
    }
    printf("%d of %d cases timed", s->timed, s->cases);
    print_count(", ", s->fresh, " of them fresh from before");
    print_count(", ", s->unstable, " of them unstable");
    print_count("; ", s->refused, " not timed as not verified");
    print_count("; ", s->failed, " wrong while timed");
    print_count("; ", s->too_large, " too large");
    print_count("; ", s->left, " left");
    print_count("; ", s->baselines_timed, " baselines timed");
    print_count(", ", s->baselines_unavailable, " unavailable");
    if (against->text[0])
        printf("; fastest kernel of each op, dtype and size against its best baseline: %s", against->text);
    printf("; %.0f s%s\n", s->seconds, s->interrupted ? "; interrupted: run again to go on" : "");
    if (s->kept > 0)
        printf("%d results of a fuller method were kept; --force measures them again, and replaces them\n",
               s->kept);
}
