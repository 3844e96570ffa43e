/* A candidate: something that can be timed on a group's problem. Variants, library baselines, torch, the device copy
 * and the C reference all look the same to the group.
 *
 * Baselines that are modules are BASELINES/OP.BASELINE.DTYPE.so with the interface of include/assay/module.h: prepare
 * gets the arguments of one slot, run is then called with those of any slot (other pointers, same sizes). */
#ifndef ASSAY_BENCH_CANDIDATE_H
#define ASSAY_BENCH_CANDIDATE_H

#include "bench/run/problem_set.h"
#include "bench/timing/sample.h"
#include "results/result.h"
#include <jansson.h>

typedef struct candidate candidate;

struct candidate {
    char name[2 * ASSAY_NAME_MAX]; /* as in the result's file name: "v4_optimized", "baseline_cublas" */
    result_kind kind;
    char math_mode[16]; /* "ieee", "tf32" */
    char version[64];   /* of the library behind a baseline; "" unknown */
    char choice[256];   /* what a baseline chose for this problem; "" nothing to say */
    double
        overhead_cold_us; /* cold, of an empty kernel in a process of its own; 0: it has none; negative: not known */
    int writes_output; /* 1: the group's outputs are this candidate's and are checked after its repetitions */
    void *state;

    /* One repetition: warm up and sample by a timing mode. ASSAY_ERR_UNSUPPORTED: this candidate cannot be timed so. */
    assay_status (*measure)(candidate *self, timing_mode mode, const sample_plan *plan, sample_set *out,
                            assay_error *error);
    /* Slot whose output the last launch of a mode wrote; NULL where writes_output is 0. */
    int (*last_slot)(candidate *self, timing_mode mode);
    void (*stay)(
        candidate *self); /* the next cold launch works where the last one did; NULL: it always does */
    /* Bring the output of that slot to where the group's outputs are, in the op's layout; NULL: it is there already. */
    assay_status (*deliver)(candidate *self, int slot, assay_error *error);
    /* Give a slot's inputs contents (problem_contents.h) for the next launches that keep them; NULL: it has inputs of its own. */
    assay_status (*change)(candidate *self, int slot, int64_t contents, assay_error *error);
    /* timing_compare_contents() of a mode of replays; NULL where there is nothing to compare. */
    assay_status (*compare_contents)(candidate *self, timing_mode mode, const char *flush, double *other_us,
                                     double *same_us, assay_error *error);
    /* Rough time of one launch in microseconds after the first repetition; NULL: unknown. */
    double (*launch_us)(candidate *self);
    /* Instructions that the host executes for one launch; negative: not known. NULL: a launch is not the host's work. */
    double (*instructions)(candidate *self);
    /* What one launch is, in words: "grid 64x1x1, block 256x1x1, 0 B; ..."; "" not known. NULL: it is none of ours. */
    void (*describe_launch)(candidate *self, char *out, size_t out_bytes);
    void (*release)(candidate *self);
};

/* "tf32" if the name says so (matmul.cublas_tf32, v5_tf32), else "ieee": one rule, from the name, for
 * variants and baselines. */
const char *candidate_math_mode(const char *name);
/* 1 for the baselines that live in the Python process: torch_* and triton*. */
int candidate_is_remote(const char *baseline);
/* 1 where torch's compiler makes the baseline: torch_compile*. */
int candidate_is_compiled(const char *baseline);
/* 1 where a new problem costs seconds before it is timed, by compiling or searching: torch_compile* and triton*. */
int candidate_is_expensive(const char *baseline);

/* candidate_launch.c: what is enqueued on the device's stream. */
assay_status candidate_make_variant(candidate *self, problem_set *set, const char *variant, assay_run_fn run,
                                    assay_error *error);
/* Of a variant: its call may wait for the device (a contest's solve()), so it is timed without being held back or captured. */
void candidate_may_wait(candidate *self);
/* ASSAY_ERR_ENVIRONMENT: the module is not there. `path` is BASELINES/OP.BASELINE.DTYPE.so. */
assay_status candidate_make_baseline_module(candidate *self, problem_set *set, const char *baseline,
                                            const char *path, assay_error *error);
/* Half of the bytes that an op must move, so that reading and writing together move the same bytes; from 1 MiB on rounded up to whole 4 KiB.
 * Others take the driver 2 to 3 us longer on an H100, and the bound of an op would depend on its last bytes. */
int64_t candidate_copy_bytes(double op_bytes);
/* Copies so many bytes. */
assay_status candidate_make_copy(candidate *self, problem_set *set, assay_error *error);
assay_status candidate_make_empty(candidate *self, assay_device *device, assay_error *error);

/* candidate_reference.c: the op's C reference on the host, single-threaded, timed by the host clock. `cold`,
 * `cold_read` and `hot` only. */
assay_status candidate_make_reference(candidate *self, problem_set *set, assay_error *error);

/* candidate_remote.c: torch and Triton behind a socket. `baseline` is torch_eager, torch_compile or triton, with _tf32 for that math
 * mode; `flush` is that of its process's launch overhead. ASSAY_ERR_ENVIRONMENT: no server. */
assay_status candidate_make_remote(candidate *self, problem_set *set, const char *baseline, const char *flush,
                                   const char *socket_path, assay_error *error);

#endif
