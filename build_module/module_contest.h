/* A kernel file that is compiled through a generated one (module_solve.h): is it of that kind, what stands in for it, and which of
 * its modules there are none of. Only compile.c and its parts need this. */
#ifndef ASSAY_CORE_MODULE_CONTEST_H
#define ASSAY_CORE_MODULE_CONTEST_H

#include "build_module/module_solve.h"
#include "build_module/request.h"
#include <limits.h>

typedef struct contest_kernel {
    solve_source source;
    int is_one; /* 0: an ordinary kernel; nothing else is set */
    char generated[PATH_MAX];
    char folder[PATH_MAX]; /* of the kernel file, for the headers it includes */
    const char *refusal;   /* NULL, or the record's status: the file is not compiled */
    char reason[512];
} contest_kernel;

/* Is the request's file a contest's kernel? Then write what is compiled in its place, or say why nothing is. `contest` is zeroed
 * before, and closed after, whatever is returned. */
assay_status contest_open(const module_request *request, int on_cpu, contest_kernel *contest,
                          assay_error *error);
void contest_close(contest_kernel *contest);

/* In the text of a dependency file (malloc'ed, may be NULL) put the kernel file in the place of the generated one. */
void contest_name_original(const contest_kernel *contest, const char *source, char **dependencies);

#endif
