/* Kernel files from outside the tree as variants of a workspace of their own, so that they are judged, timed and compared by the same
 * calls as the tree's kernels, and nothing of the build's results changes.
 *
 *     outside_open(base, "softmax", "build/outside/softmax.mine", &o, &error);
 *     outside_add(&o, "mine.cu", "mine", "f32", &error);     compiles a module a dtype
 *     outside_borrow(&o, "v4", &error);                      variants of the tree beside it
 *     outside_verify(&o, &request, &summary, &error);
 *     outside_bench(&o, &request, &options, &summary, &error);
 *     outside_close(&o);
 */
#ifndef ASSAY_OUTSIDE_OUTSIDE_H
#define ASSAY_OUTSIDE_OUTSIDE_H

#include "bench/plan/bench.h"
#include "verify/verify.h"

enum { OUTSIDE_MOST_KERNELS = 16, OUTSIDE_MOST_MODULES = OUTSIDE_MOST_KERNELS * ASSAY_DTYPE_COUNT };

typedef struct outside_module {
    char variant[ASSAY_NAME_MAX], record[4096];
    int compiles; /* 0: it is no kernel yet; what the compiler said is in the record */
} outside_module;

typedef struct outside {
    workspace *ws; /* owned: FOLDER/assay.json, of one op; its results lie in FOLDER/results */
    const workspace *base;
    workspace_op *op;
    int module_count;
    outside_module modules[OUTSIDE_MOST_MODULES]; /* of files from outside */
    char variants[1024]; /* all that are to be timed, with commas; those of the tree come last */
} outside;

/* What to judge and time. */
typedef struct outside_request {
    const char *dtypes, *sizes; /* lists; NULL: all */
    const char *claims;         /* verify_options.claims */
    uint64_t seed;              /* of the inputs of verify; 0: one is drawn, which the kernel cannot know */
    double time_limit_s;        /* of a case; 0: the default */
    int quiet;
} outside_request;

/* Lay out FOLDER, which is made or used again, for one op of `base`, which must stay open. ASSAY_ERR_INVALID: no such op. */
assay_status outside_open(const workspace *base, const char *op, const char *folder, outside *out,
                          assay_error *error);

/* FOLDER/assay.json, and the folders it needs: the base's toolchains and programs, one op, and places of its own for all that is written. */
assay_status outside_write_manifest(const workspace *base, const char *op, const char *op_folder,
                                    const char *reference, const char *folder, assay_error *error);
void outside_close(outside *o);

/* A name that a kernel file can have beside the op's variants: its stem, with "_" for other characters, and "mine_" before it where the
 * op has that name already. */
void outside_name(const workspace_op *op, const char *file, char out[ASSAY_NAME_MAX]);

/* Compile a file for the dtypes of the list (NULL: all of the op) as the variant `name`. ASSAY_OK also where the compiler rejects it. A
 * dtype that a contest's kernel is not for is left out; ASSAY_ERR_INVALID if that leaves none, or the file cannot be read. */
assay_status outside_add(outside *o, const char *file, const char *name, const char *dtypes,
                         assay_error *error);

/* Take variants of the tree in, with the modules and verdicts that the build has. ASSAY_ERR_INVALID: no such variant. */
assay_status outside_borrow(outside *o, const char *variants, assay_error *error);

/* What the compiler said of the first module of `name` that it rejected, whole; NULL if all compiled. Free it. */
char *outside_compiler_message(const outside *o, const char *name);

/* Judge the files from outside, confined, at the sizes asked for and the edge cases. The verdicts lie where a build has them. Release
 * `summary` with verify_summary_release(). */
assay_status outside_verify(outside *o, const outside_request *request, verify_summary *summary,
                            assay_error *error);

/* Time all that passed, together, with the op's baselines. What was borrowed is judged first where the build has no verdict of it.
 * `options->confined` is set by this call. */
assay_status outside_bench(outside *o, const outside_request *request, const bench_options *options,
                           bench_summary *summary, assay_error *error);

/* ["network namespace", ...]: what confined the last process that timed, NULL where none did. New reference. */
json_t *outside_confinement(const outside *o);

#endif
