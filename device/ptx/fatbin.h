/* Reads the fat binaries that nvcc embeds in programs. It finds PTX in them and nothing else: machine code cannot be executed here. */
#ifndef ASSAY_PTX_FATBIN_H
#define ASSAY_PTX_FATBIN_H

#include <stddef.h>

typedef struct fatbin_choice {
    char *text;       /* the PTX, NUL-terminated, of malloc(); NULL: none can run */
    char reason[256]; /* why not, one line */
} fatbin_choice;

/* The PTX in the fat binary at `image` for the architecture `arch` ("sm_80", "sm_90a"): the one with the highest target that runs there.
 * PTX for a target with an `a` runs on that target alone. `image` starts with the magic number 0xba55ed50 and holds its own length. */
fatbin_choice fatbin_choose_ptx(const void *image, const char *arch);

#endif
