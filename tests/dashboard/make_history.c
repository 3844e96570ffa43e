/* make-synthetic-history FILE COMMITS OPS NOISE [plain|methods]: a made-up history for tests and for trying the dashboard. */
#include "synthetic.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: make-synthetic-history FILE COMMITS OPS NOISE [plain|methods]\n", stderr);
        return ASSAY_EXIT_USAGE;
    }
    const synthetic_options options = {.commits = atoi(argv[2]),
                                       .ops = atoi(argv[3]),
                                       .noise = atof(argv[4]),
                                       .plant = argc == 5,
                                       .methods = argc > 5 && strcmp(argv[5], "methods") == 0};
    assay_error error = {0};
    if (synthetic_write(argv[1], &options, &error) == ASSAY_OK)
        return ASSAY_EXIT_OK;
    fprintf(stderr, "make-synthetic-history: %s\n", error.message);
    return assay_status_exit(error.status);
}
