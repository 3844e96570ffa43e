/* Writes the results of a made-up card for the ops of a build: make-results BUILD FOLDER. For tests of
 * commands, which need a card's folder and must not depend on a committed one. */
#include "fixture.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    fixture f;
    if (argc != 3) {
        fprintf(stderr, "usage: make-results BUILD FOLDER\n");
        return ASSAY_EXIT_USAGE;
    }
    fixture_attach(&f, argv[1], argv[2]);
    fixture_fill_ops(&f);
    fixture_close(&f);
    return ASSAY_EXIT_OK;
}
