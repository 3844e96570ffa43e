/* Verify and time one configuration of a kernel on one problem.
 * Usage: time_configuration OP VARIANT DTYPE DIMS CONFIGURATION, such as: add v2_tiling f32 M=777,N=4096 ELEMENTS_PER_THREAD=8 */
#include <assay/assay.h>
#include <stdio.h>

static int fail(const assay_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    return assay_status_exit(error->status);
}

int main(int argc, char **argv)
{
    assay_session *s;
    assay_error error = {0};
    assay_verdict verdict;
    assay_timing timing;
    if (argc != 6) {
        fprintf(stderr, "usage: time_configuration OP VARIANT DTYPE DIMS CONFIGURATION\n");
        return ASSAY_EXIT_USAGE;
    }
    const assay_selection which = {
        .op = argv[1], .variant = argv[2], .dtype = argv[3], .dims = argv[4], .configuration = argv[5]};
    const assay_timing_options quick = {.quick = 1};
    if (assay_session_open(NULL, &s, &error) != ASSAY_OK)
        return fail(&error);
    assay_status status = assay_session_verify(s, &which, &verdict, &error);
    if (status == ASSAY_OK)
        printf("%s %s\n", verdict.status, verdict.reason);
    if (status == ASSAY_OK && verdict.passed)
        status = assay_session_time(s, &which, &quick, &timing, &error);
    if (status == ASSAY_OK && verdict.passed && timing.timed)
        printf("%.2f us, 95%%: %.2f to %.2f\n", timing.mean_us, timing.low_us, timing.high_us);
    else if (status == ASSAY_OK && verdict.passed)
        printf("not timed: %s\n", timing.reason);
    assay_session_close(s);
    return status != ASSAY_OK ? fail(&error) : verdict.passed ? ASSAY_EXIT_OK : ASSAY_EXIT_CHECK;
}
