/* The steps of an evaluation behind the compiler, in their order: the CPU device, the size, edge cases, times. */
#include "bench/timing/clock.h"
#include "core/process.h"
#include "tune/evaluate/evaluate_internal.h"
#include "tune/evaluate/screen.h"

static assay_status screen(evaluator *e, tune_candidate *batch, int count, assay_error *error)
{
    const double start_ms = clock_now_ms();
    const assay_status status =
        screen_batch(e->options.screen, &e->subject, batch, count, e->options.verify_limit_s, error);
    e->spent.verifying += (clock_now_ms() - start_ms) * 1e-3;
    return status;
}

assay_status evaluate_finish(evaluator *e, tune_candidate *batch, int count, double best_us,
                             assay_error *error)
{
    const char *const sizes[] = {e->subject.size,
                                 "edge"}; /* what is wrong or hangs at the size is not run in edge cases */
    assay_status status = evaluate_compiled(e, batch, error);
    if (status == ASSAY_OK && e->options.screen && !process_interrupted())
        status = screen(e, batch, count, error);
    for (int s = 0; s < 2; s++) {
        if (status == ASSAY_OK && !process_interrupted())
            status = evaluate_verify(e, batch, count, sizes[s], error);
        for (int i = 0; i < count && status == ASSAY_OK && !process_interrupted(); i++)
            if (!batch[i].done && batch[i].source_sha256[0])
                evaluate_take_verdict(e, &batch[i], sizes[s]);
    }
    if (status == ASSAY_OK)
        status = evaluate_time(e, batch, count, best_us, error);
    for (int i = 0; i < count; i++)
        if (batch[i].done && !batch[i].identity[0] && batch[i].source_sha256[0])
            evaluate_identify(e, &batch[i]);
    workspace_forget_tuned(e->subject.ws);
    return status;
}
