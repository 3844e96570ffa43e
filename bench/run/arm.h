/* An arm: something that can be timed on a group's problem. Variants, library peers, torch, the device copy
 * and the C reference all look the same to the group, which only takes turns.
 *
 * Peers that are modules are PEERS/OP.PEER.DTYPE.so with the interface of include/assay/module.h: prepare
 * gets the arguments of one slot, run is then called with those of any slot (other pointers, same sizes). */
#ifndef ASSAY_BENCH_ARM_H
#define ASSAY_BENCH_ARM_H

#include "bench/run/problem_set.h"
#include "bench/timing/sample.h"
#include <jansson.h>

typedef struct arm arm;

/* Values of `kind` in a result file. A floor has no result file. */
#define ARM_VARIANT "variant"
#define ARM_PEER    "peer"
#define ARM_BOUND   "bound"
#define ARM_FLOOR   "floor"

struct arm {
    char name[2 * ASSAY_NAME_MAX]; /* as in the result's file name: "v4_optimized", "peer_cublas" */
    const char *kind;
    char math_mode[16]; /* "ieee", "tf32" */
    char version[64];   /* of the library behind a peer; "" unknown */
    char choice[256];   /* what a peer chose for this problem; "" nothing to say */
    double
        floor_cold_us; /* cold, of an empty kernel in a process of its own; 0: it has none; negative: not known */
    int writes_output; /* 1: the group's outputs are this arm's and are checked after its turns */
    void *state;

    /* One turn: warm up and sample `figure` ("cold", "hot", "burst", "sustained"). ASSAY_ERR_UNSUPPORTED:
     * this arm has no such figure. */
    assay_status (*measure)(arm *self, const char *figure, const sample_plan *plan, sample_set *out,
                            assay_error *error);
    /* Keep the device busy with this arm for about `ms`; NULL: nothing to heat with. */
    assay_status (*heat)(arm *self, double ms, assay_error *error);
    /* Slot whose output the last launch of `figure` wrote; NULL where writes_output is 0. */
    int (*last_slot)(arm *self, const char *figure);
    void (*stay)(arm *self); /* the next cold launch works where the last one did; NULL: it always does */
    /* Bring the output of that slot to where the group's outputs are, in the op's layout; NULL: it is there already. */
    assay_status (*deliver)(arm *self, int slot, assay_error *error);
    /* Rough time of one launch in microseconds after the first turn; NULL: unknown. */
    double (*launch_us)(arm *self);
    void (*release)(arm *self);
};

/* "tf32" if the name says so (matmul.cublas_tf32, v5_tf32), else "ieee": one rule, from the name, for
 * variants and peers. */
const char *arm_math_mode(const char *name);
/* 1 for the peers that live in the Python process: torch_* and triton*. */
int arm_is_remote(const char *peer);

/* arm_launch.c: what is enqueued on the device's stream. */
assay_status arm_make_variant(arm *self, problem_set *set, const char *variant, assay_run_fn run,
                              assay_error *error);
/* Of a variant: its call may wait for the device (a contest's solve()), so it is timed without being held back or captured. */
void arm_may_wait(arm *self);
/* ASSAY_ERR_ENVIRONMENT: the module is not there. `path` is PEERS/OP.PEER.DTYPE.so. */
assay_status arm_make_peer_module(arm *self, problem_set *set, const char *peer, const char *path,
                                  assay_error *error);
/* Half of the bytes that an op must move, so that reading and writing together move the same bytes; from 1 MiB on rounded up to whole 4 KiB.
 * Others take the driver 2 to 3 us longer on an H100, and the bound of an op would depend on its last bytes. */
int64_t arm_copy_bytes(double op_bytes);
/* Copies so many bytes. */
assay_status arm_make_copy(arm *self, problem_set *set, assay_error *error);
assay_status arm_make_empty(arm *self, assay_device *device, assay_error *error);

/* arm_reference.c: the op's C reference on the host, single-threaded, timed by the host clock. `cold` and
 * `hot` only. */
assay_status arm_make_reference(arm *self, problem_set *set, assay_error *error);

/* arm_remote.c: torch and Triton behind a socket. `peer` is torch_eager, torch_compile or triton, with _tf32 for that math
 * mode; `flush` is that of its process's floor. ASSAY_ERR_ENVIRONMENT: no server. */
assay_status arm_make_remote(arm *self, problem_set *set, const char *peer, const char *flush,
                             const char *socket_path, assay_error *error);
/* "eager", "compile" or "triton". */
const char *arm_remote_mode(const char *peer);
/* A call of it as the Python process is told of it: the fields op to math_mode of a request. New reference. */
json_t *arm_remote_describe(const opspec *spec, const assay_problem *problem, const char *peer);

#endif
