/* Is the output that was timed right? See output_check.h. */
#include "bench/run/output_check.h"
#include "bench/run/problem_contents.h"
#include "verify/check.h"
#include "verify/inputs.h"
#include "verify/sampled.h"
#include "verify/expected_output.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RIGHT = 64, SMALL_OUTPUT = 1 << 16, INTERMEDIATE_ROUNDINGS = 2 };
#define OF_A_BASELINE UINT64_C(0x9E3779B97F4A7C15)

/* What is right for contents of the inputs. */
typedef struct answer {
    int64_t contents;
    expected_output expected;
    assay_status status; /* of computing it: written by the thread, valid once it has been waited for */
    assay_error error;
    uint64_t right[MOST_RIGHT]; /* hashes of outputs that were compared and found right */
    int right_count;
} answer;

struct output_check {
    problem_set *set;
    pthread_t thread; /* computes the expected outputs */
    int running, begun;
    answer known, fresh;
    uint64_t corruptions;
    unsigned char *chunk;
};

/* The reference's inputs are the host's own, turned and widened: exactly what a slot with these contents holds. */
static void widen_input(const problem_set *set, int input, int64_t contents, float *to)
{
    const assay_tensor *from = &set->host.inputs[input];
    const int64_t count = assay_tensor_count(from), turn = problem_contents_turn(set, input, contents);
    const char *data = from->data;
    inputs_widen(data + turn * (int64_t)assay_dtype_bytes(from->dtype), from->dtype, count - turn, to);
    inputs_widen(data, from->dtype, turn, to + count - turn);
}

static assay_status compute(const problem_set *set, answer *a, assay_error *error)
{
    expected_output *expected = &a->expected;
    assay_status status = expected_output_open(set->impl, &set->host, expected, error);
    for (int i = 0; i < set->host.input_count && status == ASSAY_OK; i++)
        widen_input(set, i, a->contents, expected->host.inputs[i].data);
    if (status == ASSAY_OK && !expected->sampled)
        status = expected_output_compute(set->impl, expected, error);
    if (status != ASSAY_OK)
        expected_output_close(expected);
    return status;
}

static void *run_thread(void *argument)
{
    output_check *check = argument;
    check->known.status = compute(check->set, &check->known, &check->known.error);
    if (check->known.status == ASSAY_OK)
        check->fresh.status = compute(check->set, &check->fresh, &check->fresh.error);
    return NULL;
}

assay_status output_check_create(problem_set *set, output_check **out, assay_error *error)
{
    output_check *check = calloc(1, sizeof *check);
    if (check)
        check->chunk = malloc(GUARD_CHUNK_BYTES);
    if (!check || !check->chunk) {
        free(check);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for checking outputs");
    }
    check->set = set;
    check->fresh.contents = PROBLEM_FRESH;
    *out = check;
    return ASSAY_OK;
}

void output_check_begin(output_check *check)
{
    if (!check->begun)
        check->running = pthread_create(&check->thread, NULL, run_thread, check) == 0;
    check->begun |= check->running;
}

void output_check_settle(output_check *check)
{
    if (check->running)
        pthread_join(check->thread, NULL);
    check->running = 0;
}

void output_check_release(output_check *check)
{
    if (!check)
        return;
    output_check_settle(check);
    expected_output_close(&check->known.expected);
    expected_output_close(&check->fresh.expected);
    free(check->chunk);
    free(check);
}

static assay_status wait_for_answer(output_check *check, const answer *a, assay_error *error)
{
    output_check_settle(check);
    if (!check->begun)
        run_thread(check);
    check->begun = 1;
    return a->status == ASSAY_OK ? ASSAY_OK : assay_error_set(error, a->status, "%s", a->error.message);
}

/* As much of a guarded problem as comparing needs. */
static guarded_problem view_slot(const output_check *check, int slot)
{
    const problem_set *set = check->set;
    guarded_problem view = {
        .device = set->device, .spec = set->spec, .problem = set->slots[slot], .chunk = check->chunk};
    for (int i = 0; i < view.problem.output_count; i++) {
        view.outputs[i].data = view.problem.outputs[i].data;
        view.outputs[i].bytes = tensor_bytes(&view.problem.outputs[i]);
    }
    return view;
}

/* The same bits were compared before, by another candidate or for another mode: comparing costly ops takes
 * seconds, in which the card is idle. */
static int is_right(const answer *a, uint64_t hash)
{
    for (int i = 0; i < a->right_count; i++)
        if (a->right[i] == hash)
            return 1;
    return 0;
}

int output_check_corruptions(const output_check *check)
{
    const assay_problem *problem = &check->set->slots[0];
    int64_t least = INT64_MAX;
    for (int o = 0; o < problem->output_count; o++) {
        const int64_t count = assay_tensor_count(&problem->outputs[o]);
        least = count < least ? count : least;
    }
    return least < SMALL_OUTPUT ? 3 : 1;
}

assay_status output_check_corrupt(output_check *check, int first_slot, int slots, assay_error *error)
{
    const uint64_t seed = check->set->seed + (check->corruptions++ << 32);
    assay_status status = ASSAY_OK;
    for (int slot = first_slot; slot < first_slot + slots && status == ASSAY_OK; slot++) {
        guarded_problem view = view_slot(check, slot);
        status = guarded_corrupt(&view, seed + (uint64_t)slot, error);
    }
    return status == ASSAY_OK ? assay_device_sync_all(check->set->device, error) : status;
}

opspec_tolerance output_check_baseline_tolerance(opspec_tolerance tolerance, assay_dtype dtype)
{
    const int is_narrow = dtype == ASSAY_F16 || dtype == ASSAY_BF16;
    if (is_narrow && tolerance.stol > 0)
        tolerance.stol += INTERMEDIATE_ROUNDINGS * assay_dtype_roundoff(dtype);
    tolerance.rms = 0;
    return tolerance;
}

static assay_status check_against(output_check *check, answer *a, int slot, int is_baseline, char *reason,
                                  size_t reason_bytes, assay_error *error)
{
    problem_set *set = check->set;
    const opspec_tolerance own = set->spec->tolerances[set->host.dtype];
    const check_subject subject = {
        .spec = set->spec,
        .impl = set->impl,
        .tolerance = is_baseline ? output_check_baseline_tolerance(own, set->host.dtype) : own};
    guarded_problem view = view_slot(check, slot);
    check_item item = {.passed = 0};
    uint64_t hash, compared_hash;
    reason[0] = '\0';
    assay_status status = launch_hash_outputs(&view, &hash, error);
    hash ^= is_baseline ? OF_A_BASELINE : 0; /* right for a baseline is not right for a kernel */
    if (status != ASSAY_OK || is_right(a, hash))
        return status;
    status = wait_for_answer(check, a, error);
    if (status != ASSAY_OK)
        return status;
    status = a->expected.sampled ? sampled_check(&subject, &view, &a->expected, set->seed, PROBLEM_POISON,
                                                 &item.compared, &compared_hash, item.reason, error)
                                 : check_outputs(&subject, &view, &a->expected.host, a->expected.scale,
                                                 PROBLEM_POISON, &item, &compared_hash, error);
    if (status == ASSAY_OK && a->right_count < MOST_RIGHT)
        a->right[a->right_count++] = hash;
    snprintf(reason, reason_bytes, "%s", item.reason);
    return status;
}

assay_status output_check_slot(output_check *check, int slot, int is_baseline, char *reason,
                               size_t reason_bytes, assay_error *error)
{
    return check_against(check, &check->known, slot, is_baseline, reason, reason_bytes, error);
}

assay_status output_check_fresh(output_check *check, int slot, char *reason, size_t reason_bytes,
                                assay_error *error)
{
    return check_against(check, &check->fresh, slot, 0, reason, reason_bytes, error);
}
