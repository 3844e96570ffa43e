/* The parts of compiling a module (compile.c puts them together): the compiler's command line, the hash of what was compiled, and the
 * record. Not for use elsewhere. */
#ifndef ASSAY_CORE_MODULE_COMPILE_H
#define ASSAY_CORE_MODULE_COMPILE_H

#include "build_module/module_contest.h"
#include "core/process.h"
#include <limits.h>

enum { COMPILE_MOST_WORDS = 256 };

/* What is being compiled, and where to. All borrowed. */
typedef struct compile_job {
    const workspace *ws;
    const module_request *request;
    const json_t *toolchain; /* of assay.json */
    const char *variant;
    json_t *tunables; /* name -> value */
    json_t *winner;   /* of tuning whose values they are; NULL: none */
    json_t *table;    /* by which the kernel chooses run-time tunables by the shape (winner.h); NULL: none */
    const contest_kernel *contest;
    char defines
        [PATH_MAX]; /* a header that defines the tunables, and the table where there is one; "": they are
                                * defined on the command line */
    char library[PATH_MAX], temporary[PATH_MAX + 16], depfile[PATH_MAX + 16], keep[PATH_MAX + 16];
    char scratch[PATH_MAX + 16]; /* of a kernel from outside: the only folder that its compiler may write */
    const char *keep_folder;     /* keep where intermediate files are wanted, else NULL */
} compile_job;

typedef struct compile_command {
    const char *words[COMPILE_MOST_WORDS + 1]; /* NULL-terminated */
    char storage[65536];
    size_t used;
    int count;
} compile_command;

/* The tunables of the variant into the object `tunables`: op.json's defaults; of a kernel of the tree those of its winner (winner.h), whose
 * row *winner then is, and its *table (new references, else NULL); replaced by the request's overrides, beside which neither counts. */
assay_status compile_collect_tunables(const workspace *ws, const module_request *request, const char *variant,
                                      json_t *tunables, json_t **winner, json_t **table, assay_error *error);
void compile_build_command(const compile_job *job, compile_command *command);

/* The next path of a make-style dependency list into `path`; understands "\ " and line continuations. Returns where to go on, or NULL at
 * the end. */
const char *compile_next_dependency(const char *text, char *path, size_t path_bytes);

/* SHA-256 over what makes a module what it is: the kernel, every header it includes (`dependencies`: the compiler's make-style list, or NULL
 * where it wrote none), flags, architectures, compiler and tunables. */
void compile_hash_sources(const compile_job *job, const char *dependencies, char hash[65]);
/* The request's dependency file, if it wants one. Its target is the record: the library may not exist. */
assay_status compile_write_depfile(const module_request *request, const char *dependencies,
                                   assay_error *error);

/* Write the record of a compiler's run. Takes over the reference to `resources`, which may be NULL; cuts the assembler's report out of
 * run->output. */
assay_status compile_write_record(const compile_job *job, const char *hash, const char *code_hash,
                                  const process_result *run, json_t *resources, assay_error *error);

#endif
