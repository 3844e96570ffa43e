/* Search the best values of a kernel's tunables, then list what the archive has.
 * Usage: tune_kernel OP VARIANT DTYPE SIZE EVALUATIONS */
#include <assay/assay.h>
#include <stdio.h>
#include <stdlib.h>

static int print_row(void *context, const assay_archived *row)
{
    (void)context;
    printf("  %.2f us  %s %s %s %s  %s\n", row->us, row->op, row->variant, row->dtype, row->size,
           row->configuration);
    return 0;
}

int main(int argc, char **argv)
{
    assay_session *s;
    assay_error error = {0};
    assay_tuning tuning;
    if (argc != 6) {
        fprintf(stderr, "usage: tune_kernel OP VARIANT DTYPE SIZE EVALUATIONS\n");
        return ASSAY_EXIT_USAGE;
    }
    const assay_selection which = {.op = argv[1], .variant = argv[2], .dtype = argv[3], .size = argv[4]};
    const assay_tuning_options options = {.strategy = "random",
                                          .seed = 1,
                                          .evaluations = strtol(argv[5], NULL, 10),
                                          .timing = {.repetitions = 5, .sample_ms = 2, .warmup_ms = 1}};
    assay_status status = assay_session_open(NULL, &s, &error);
    if (status == ASSAY_OK)
        status = assay_session_tune(s, &which, &options, &tuning, &error);
    if (status == ASSAY_OK) {
        printf("%d evaluations, %d right; winner %s (%s), report %s\n", tuning.evaluations, tuning.succeeded,
               tuning.has_winner ? tuning.winner : "none", tuning.verdict, tuning.report);
        status = assay_session_best(s, &which, 3, print_row, NULL, &error);
    }
    if (status != ASSAY_OK)
        fprintf(stderr, "%s\n", error.message);
    if (s)
        assay_session_close(s);
    return assay_status_exit(status);
}
