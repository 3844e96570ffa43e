/* The sequence of runs of check.h. */
#include "verify/check.h"
#include "verify/check_memory.h"
#include "verify/inputs.h"
#include "verify/sampled.h"
#include "verify/expected_output.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Problems up to these sizes are run more often on the CPU device: under other thread orders, at other addresses. */
#define SMALL_MOST_ELEMENTS 300000
#define SMALL_MOST_FLOPS    1e8

/* Added to the case's seed; odd and large, so that the sum is never 0 for the seeds people choose. */
#define CORRUPT_SEED UINT64_C(0x9E3779B97F4A7C15)

typedef struct checker {
    const check_subject *subject;
    const check_options *options;
    check_report *report;
    assay_error *error;
    guarded_problem guarded;
    expected_output expected;
    int is_right;     /* 1: what guarded.read holds is right for the contents that are there: */
    check_item right; /* its comparison, and its hash */
    uint64_t right_hash;
    int took_order; /* the kernel uses atomics whose results show the order of threads */
} checker;

static const char *const names[] = {
    [CHECK_FIRST_CONTENTS] = "first contents",
    [CHECK_OTHER_CONTENTS] = "other contents",
    [CHECK_REPEAT] = "repeat",
    [CHECK_OVER_OWN_RESULT] = "over its own result",
    [CHECK_OVER_OLD_RESULT] = "over the old result",
    [CHECK_FEW_CHANGED] = "a few elements changed",
    [CHECK_PAGE_START] = "at the start of a page",
    [CHECK_WHOLE_DEVICE] = "whole device",
    [CHECK_EXACT_ALLOCATIONS] = "exact allocations",
    [CHECK_SAMPLED_ROWS] = "sampled rows",
};
static_assert(sizeof names / sizeof *names == CHECK_KINDS, "each check has a name");

check_item *check_begin(check_report *report, check_kind kind)
{
    assert(report->item_count < CHECK_KINDS); /* each kind once */
    check_item *item = &report->items[report->item_count++];
    item->name = names[kind];
    return item;
}

static check_item *begin_item(checker *c, check_kind kind)
{
    check_item *item = check_begin(c->report, kind);
    worker_name_step(c->subject->worker, c->options->label, item->name);
    return item;
}

/* Close an item. Returns ASSAY_OK to go on; a wrong kernel ends the sequence with ASSAY_ERR_CHECK. */
static assay_status end_item(checker *c, check_item *item, assay_status status)
{
    item->passed = status == ASSAY_OK;
    if (status == ASSAY_ERR_CHECK && c->options->every && c->report->verdict == CHECK_FAIL)
        return ASSAY_OK;
    if (status == ASSAY_ERR_CHECK) {
        c->report->verdict = CHECK_FAIL;
        snprintf(c->report->reason, sizeof c->report->reason, "%s: %s", item->name, item->reason);
        return c->options->every ? ASSAY_OK : status;
    }
    if (status == ASSAY_ERR_UNSUPPORTED) {
        c->report->verdict = CHECK_SKIPPED;
        c->report->unsupported = 1;
        snprintf(c->report->reason, sizeof c->report->reason, "%s", item->reason);
    }
    return status;
}

static assay_status compare_outputs(checker *c, check_item *item, int poison, uint64_t seed, uint64_t *hash)
{
    if (!c->expected.sampled)
        return check_outputs(c->subject, &c->guarded, &c->expected.host, c->expected.scale, poison, item,
                             hash, c->error);
    const assay_status status = sampled_check(c->subject, &c->guarded, &c->expected, seed, poison,
                                              &item->compared, hash, item->reason, c->error);
    item->shape = c->guarded.problem.outputs[0];
    item->elements = item->compared.elements;
    return status;
}

/* Comparing takes the host longer than the kernel takes: bytes that were found right for these contents are right again. */
static assay_status judge_outputs(checker *c, check_item *item, int poison, uint64_t seed, uint64_t *hash)
{
    int same = 0;
    item->elements = 0;
    item->reason[0] = '\0';
    assay_status status = c->is_right ? guarded_outputs_are_read(&c->guarded, &same, c->error) : ASSAY_OK;
    if (status == ASSAY_OK && same) {
        const char *name = item->name;
        *item = c->right;
        item->name = name;
        *hash = c->right_hash;
        return ASSAY_OK;
    }
    c->is_right = 0;
    if (status == ASSAY_OK)
        status = compare_outputs(c, item, poison, seed, hash);
    c->is_right = status == ASSAY_OK;
    c->right = *item;
    c->right_hash = *hash;
    return status;
}

/* Elements look unwritten. Find out why: work on another stream, or NaN that the kernel computed (from uninitialised or
 * foreign memory) and that has the bits of the NaN poison; another run with another poison tells. */
static void explain_unwritten(checker *c, check_item *item, int poison, uint64_t seed)
{
    if (launch_wrote_late(&c->guarded)) {
        snprintf(item->reason, sizeof item->reason,
                 "wrong stream: the output was written only after the whole device was waited for");
        return;
    }
    if (poison != GUARD_POISON_NAN)
        return;
    check_item again = *item;
    uint64_t hash;
    const launch_mode mode = {.poison = GUARD_POISON_LARGE};
    if (launch_kernel(c->subject, &c->guarded, &c->expected.host, &mode, again.reason, c->error) ==
            ASSAY_OK &&
        judge_outputs(c, &again, mode.poison, seed, &hash) == ASSAY_ERR_CHECK)
        *item = again;
}

/* The order in which threads and blocks start, on the CPU device. */
enum { FORWARD, REVERSED, RANDOM };

static assay_status set_order(const checker *c, int order)
{
    const protocol_step step = {
        .kind = STEP_ORDER, .value = (uint64_t)order, .offset = (int64_t)c->options->seed};
    return worker_add(c->subject->worker, step, NULL, c->error);
}

/* Run once and judge. `hash` gets the hash of the output's bits. */
static assay_status run_and_judge(checker *c, check_kind kind, launch_mode mode, uint64_t seed,
                                  uint64_t *hash)
{
    check_item *item = begin_item(c, kind);
    assay_status status =
        launch_kernel(c->subject, &c->guarded, &c->expected.host, &mode, item->reason, c->error);
    if (status == ASSAY_OK) {
        status = judge_outputs(c, item, mode.poison, seed, hash);
        if (status == ASSAY_ERR_CHECK && item->compared.unwritten > 0)
            explain_unwritten(c, item, mode.poison, seed);
    }
    return end_item(c, item, status);
}

/* A run in another order of threads went wrong. Is it the order? Two plain runs tell, one in each. */
static void explain_order(checker *c, check_item *item, int order, uint64_t seed)
{
    static const char *const names_of[] = {[REVERSED] = "reversed", [RANDOM] = "random"};
    const launch_mode mode = {.poison = GUARD_POISON_NAN};
    int right[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        check_item again = *item;
        uint64_t hash;
        if (set_order(c, i == 0 ? FORWARD : order) == ASSAY_OK &&
            launch_kernel(c->subject, &c->guarded, &c->expected.host, &mode, again.reason, c->error) ==
                ASSAY_OK)
            right[i] = judge_outputs(c, &again, mode.poison, seed, &hash) == ASSAY_OK;
    }
    if (!right[0] || right[1])
        return;
    char reason[LAUNCH_REASON_MAX];
    snprintf(reason, sizeof reason, "%s", item->reason);
    snprintf(item->reason, sizeof item->reason, "with threads in %s order only: %.400s", names_of[order],
             reason);
}

/* The same in an order of threads. No run is for the orders alone: on the CPU device the later runs have each another one. */
static assay_status run_in_order(checker *c, check_kind kind, launch_mode mode, int order, uint64_t seed,
                                 uint64_t *hash)
{
    assay_status status = set_order(c, order);
    if (status != ASSAY_OK)
        return status;
    status = run_and_judge(c, kind, mode, seed, hash);
    if (status == ASSAY_ERR_CHECK && order != FORWARD) {
        check_item *item = &c->report->items[c->report->item_count - 1];
        explain_order(c, item, order, seed);
        status = end_item(c, item, status);
    }
    return status;
}

/* Bits may differ where atomics make the result depend on the order of threads; tolerance has been held then. */
static assay_status want_same_bits(checker *c, uint64_t hash, uint64_t expected)
{
    if (worker_took_order(c->subject->worker))
        c->took_order = 1;
    if (c->took_order || !c->report->deterministic || hash == expected)
        return ASSAY_OK;
    check_item *item = &c->report->items[c->report->item_count - 1];
    snprintf(item->reason, sizeof item->reason,
             "the result depends on the order in which threads run, and no atomics explain it: a race");
    return end_item(c, item, ASSAY_ERR_CHECK);
}

/* The contents that a sequence runs through, by which they are kept for the next kernel. */
enum { CONTENTS_FIRST, CONTENTS_OTHER, CONTENTS_FEW_CHANGED };

/* Upload contents and have their reference: those kept, or those drawn now. */
static assay_status new_contents(checker *c, uint64_t seed, int which)
{
    assay_status status = ASSAY_OK;
    expected_output *t = &c->expected;
    c->is_right = 0;
    if (!expected_store_take(c->options->kept, c->options->label, which, t)) {
        if (which == CONTENTS_FEW_CHANGED)
            inputs_change_few(&t->host, seed);
        else if (which == CONTENTS_OTHER)
            status = inputs_fill_others(&t->host, c->subject->spec, c->guarded.problem.dtype,
                                        c->options->seed, c->options->special, c->error);
        else
            status = inputs_fill_widened(&t->host, c->subject->spec, c->guarded.problem.dtype, seed,
                                         c->options->special, c->error);
        t->rows_known = 0;
        if (status == ASSAY_OK)
            status = t->sampled ? sampled_know_rows(c->subject->impl, t, seed, c->error)
                                : expected_output_compute(c->subject->impl, t, c->error);
        if (status == ASSAY_OK)
            expected_store_keep(c->options->kept, c->options->label, which, t);
    }
    return status == ASSAY_OK ? guarded_upload(&c->guarded, &t->host, c->error) : status;
}

/* Overwrites elements of the contents that are there. Once over the whole result of the contents before, which a kernel may take for its own
 * work done, and once over poison; in different orders of threads, with the same bits. */
static assay_status run_with_few_changed(checker *c, uint64_t seed)
{
    uint64_t over_old = 0, changed = 0;
    assay_status status = new_contents(c, seed, CONTENTS_FEW_CHANGED);
    if (status == ASSAY_OK)
        status = run_in_order(c, CHECK_OVER_OLD_RESULT, (launch_mode){.poison = GUARD_POISON_NAN, .keep = 1},
                              RANDOM, seed, &over_old);
    if (status == ASSAY_OK)
        status = run_in_order(c, CHECK_FEW_CHANGED, (launch_mode){.poison = GUARD_POISON_LARGE}, REVERSED,
                              seed, &changed);
    return status == ASSAY_OK ? want_same_bits(c, changed, over_old) : status;
}

/* A further run on the CPU device, for problems that take no time. */
static int is_small(const checker *c)
{
    int64_t elements = 0;
    for (int i = 0; i < c->expected.host.input_count; i++)
        elements += assay_tensor_count(&c->expected.host.inputs[i]);
    return strcmp(worker_info(c->subject->worker)->kind, "cpu") == 0 && elements <= SMALL_MOST_ELEMENTS &&
           c->subject->impl->flops(&c->expected.host) <= SMALL_MOST_FLOPS;
}

/* An access before the start of a tensor faults now, as those past the end did in the runs before. */
static assay_status run_at_page_start(checker *c, uint64_t seed)
{
    uint64_t hash;
    assay_status status = guarded_move_to_start(&c->guarded, c->error);
    if (status == ASSAY_OK)
        status = guarded_upload(&c->guarded, &c->expected.host, c->error);
    return status == ASSAY_OK
               ? run_and_judge(c, CHECK_PAGE_START, (launch_mode){.poison = GUARD_POISON_NAN}, seed, &hash)
               : status;
}

/* Errors that show late, of work on any stream. */
static assay_status sync_device(checker *c)
{
    assay_error late = {0};
    check_item *item = begin_item(c, CHECK_WHOLE_DEVICE);
    worker *w = c->subject->worker;
    assay_status status = worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, &late);
    if (status == ASSAY_OK)
        status = worker_flush(w, &late);
    if (worker_lost(w))
        return assay_error_set(c->error, status, "%s", late.message);
    if (status != ASSAY_OK)
        snprintf(item->reason, sizeof item->reason, LAUNCH_DEVICE_ERROR "%.450s", late.message);
    return end_item(c, item, status == ASSAY_OK ? ASSAY_OK : ASSAY_ERR_CHECK);
}

static assay_status run_sequence(checker *c)
{
    const uint64_t seed = c->options->seed;
    uint64_t first = 0, other = 0, again = 0;
    assay_status status = set_order(c, FORWARD);
    if (status == ASSAY_OK)
        status = new_contents(c, seed, CONTENTS_FIRST);
    if (status == ASSAY_OK)
        status =
            run_and_judge(c, CHECK_FIRST_CONTENTS, (launch_mode){.poison = GUARD_POISON_NAN}, seed, &first);
    if (status == ASSAY_OK && c->options->once)
        return sync_device(c);
    if (status == ASSAY_OK)
        status = new_contents(c, seed + 1, CONTENTS_OTHER);
    if (status == ASSAY_OK)
        status = run_and_judge(c, CHECK_OTHER_CONTENTS,
                               (launch_mode){.poison = GUARD_POISON_LARGE, .blocked = 1}, seed + 1, &other);
    if (status == ASSAY_OK)
        status = run_and_judge(c, CHECK_REPEAT, (launch_mode){.poison = GUARD_POISON_NAN}, seed + 1, &again);
    if (status != ASSAY_OK)
        return status;
    c->report->deterministic = other == again;
    c->took_order = worker_took_order(c->subject->worker);
    status = run_in_order(c, CHECK_OVER_OWN_RESULT,
                          (launch_mode){.poison = GUARD_POISON_NAN, .corrupt = seed + CORRUPT_SEED}, REVERSED,
                          seed + 1, &again);
    if (status == ASSAY_OK)
        status = want_same_bits(c, again, other);
    if (status == ASSAY_OK)
        status = run_with_few_changed(c, seed + 1);
    if (status == ASSAY_OK)
        status = set_order(c, FORWARD);
    if (status == ASSAY_OK && is_small(c) && guarded_can_move(&c->guarded))
        status = run_at_page_start(c, seed + 1);
    return status == ASSAY_OK ? sync_device(c) : status;
}

assay_status check_problem(const check_subject *subject, const assay_problem *shapes,
                           const check_options *options, check_report *report, assay_error *error)
{
    checker c = {.subject = subject, .options = options, .report = report, .error = error};
    *report = (check_report){.deterministic = -1};
    if (!check_fits(subject, shapes, report->reason, sizeof report->reason)) {
        report->verdict = CHECK_SKIPPED;
        return ASSAY_OK;
    }
    assay_status status = expected_output_open(subject->impl, shapes, &c.expected, error);
    if (status == ASSAY_OK)
        status = guarded_open(subject->worker, subject->spec, shapes, GUARDED_ZONES, &c.guarded, error);
    if (status == ASSAY_OK && !options->once)
        check_open_read(&c.guarded);
    if (status == ASSAY_OK)
        status = run_sequence(&c);
    check_let_end(subject->worker);
    check_close_read(&c.guarded);
    guarded_close(&c.guarded);
    expected_output_close(&c.expected);
    if (status == ASSAY_ERR_NO_MEMORY) {
        report->verdict = CHECK_SKIPPED;
        snprintf(report->reason, sizeof report->reason, "not enough memory: needs %.0f MiB",
                 (double)check_need_bytes(subject, shapes) / 1048576);
        return ASSAY_OK;
    }
    return status == ASSAY_ERR_CHECK || status == ASSAY_ERR_UNSUPPORTED ? ASSAY_OK : status;
}

void check_let_end(worker *w)
{
    if (!worker_lost(w) && worker_add(w, (protocol_step){.kind = STEP_SYNC_ALL}, NULL, NULL) == ASSAY_OK)
        (void)worker_flush(w, NULL);
}
