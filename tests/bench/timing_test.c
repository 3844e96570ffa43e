/* The timing methods on a device with an invented clock. */
#include "tests/unit.h"
#include "fake_device.h"
#include "bench/timing/timing.h"

typedef struct kernel {
    double us;
    int elsewhere;            /* works on another stream */
    int slots[512], launches; /* the first ones' */
    int64_t contents[4];      /* of the slots, where a test has them changed */
    int64_t met[512];         /* by the first launches */
    double us_again;          /* where the contents are those of the launch before; 0: the same */
    int64_t last;             /* contents that the last launch met, and its slot */
    int last_slot;
} kernel;

static assay_status launch(void *context, int slot, assay_error *error)
{
    kernel *k = context;
    const int64_t contents = slot < 4 ? k->contents[slot] : 0;
    if (k->launches < 512) {
        k->met[k->launches] = contents;
        k->slots[k->launches++] = slot;
    }
    fake_launch(k->us_again > 0 && contents == k->last ? k->us_again : k->us, slot, k->elsewhere);
    k->last = contents;
    k->last_slot = slot;
    return ASSAY_OK;
}

static assay_status change(void *context, int slot, int64_t contents, assay_error *error)
{
    ((kernel *)context)->contents[slot] = contents;
    return ASSAY_OK;
}

static const sample_plan short_plan = {
    .warmup_ms = 0.2, .sample_ms = 1.0, .min_samples = 50, .max_samples = 100, .flush = "memset"};

static assay_status measure(kernel *k, int slots, timing_mode mode, timing *t, sample_set *set,
                            assay_error *error)
{
    const timing_call call = {.context = k, .enqueue = launch, .slots = slots};
    assert_int_equal(timing_init(t, fake_device(), &call, NULL), ASSAY_OK);
    return timing_measure(t, mode, &short_plan, set, error);
}

static void finish(timing *t, sample_set *set)
{
    timing_release(t);
    sample_set_release(set);
}

static void cold_excludes_the_flush(void **state)
{
    kernel k = {.us = 12.5};
    timing t;
    sample_set set = {0};
    assert_int_equal(measure(&k, 4, TIMING_COLD, &t, &set, NULL), ASSAY_OK);
    assert_in_range(set.count, 50, 100);
    for (int i = 0; i < set.count; i++)
        assert_near(set.us[i], 12.5, 1e-9);
    assert_true(fake_seen.blocks > 0 && fake_seen.blocks == fake_seen.unblocks);
    assert_true(fake_seen.blocks >= set.count); /* each launch is held back by itself */
    assert_int_equal(fake_seen.flushes,
                     fake_seen.blocks + 1); /* the first one allocates, and no launch follows it */
    assert_int_equal(fake_seen.largest_blocked_queue,
                     4); /* flush, event, launch, event: nothing waits behind a launch */
    assert_int_equal(set.unblocked, 0);
    finish(&t, &set);
}

/* Where data lies in memory counts, so cold launches go round the copies, on from where the last repetition stopped. */
static void cold_goes_round_the_copies(void **state)
{
    kernel k = {.us = 12.5};
    timing t;
    sample_set set = {0};
    const timing_call call = {.context = &k, .enqueue = launch, .slots = 4};
    const sample_plan three = {.min_samples = 3, .max_samples = 3, .flush = "memset"};
    assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
    assert_int_equal(timing_first_use(&t, NULL), ASSAY_OK);
    k.launches = 0;
    for (int repetition = 0; repetition < 2; repetition++)
        assert_int_equal(timing_measure(&t, TIMING_COLD, &three, &set, NULL), ASSAY_OK);
    assert_int_equal(k.launches, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(k.slots[i], i % 4);
    assert_int_equal(timing_last_slot(&t, TIMING_COLD), 1);
    finish(&t, &set);
}

/* Whatever the time of a launch: what a call makes for a copy when it first meets it must be there before a launch is held back. */
static void the_first_use_meets_every_copy(void **state)
{
    const double us[] = {2.0, 600.0, 2000.0};
    for (int i = 0; i < 3; i++) {
        kernel k = {.us = us[i]};
        timing t;
        int met[150] = {0};
        sample_set set = {0};
        const timing_call call = {.context = &k, .enqueue = launch, .slots = 150};
        assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
        assert_int_equal(timing_first_use(&t, NULL), ASSAY_OK);
        for (int j = 0; j < k.launches; j++)
            met[k.slots[j]] = 1;
        for (int slot = 0; slot < 150; slot++)
            assert_int_equal(met[slot], 1);
        assert_int_equal(fake_seen.blocks, 0);
        finish(&t, &set);
    }
}

/* All candidates rest equally long before a launch that lasts; short ones and other devices do not wait. */
static void cold_holds_long_launches_back(void **state)
{
    const struct {
        const char *kind;
        double us;
        int held;
    } rows[] = {{"cuda", 51.0, 1}, {"cuda", 1400.0, 1}, {"cuda", 49.0, 0}, {"cpu", 1400.0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel k = {.us = rows[i].us};
        timing t;
        sample_set set = {0};
        const timing_call call = {.context = &k, .enqueue = launch, .slots = 1};
        assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
        fake_kind = rows[i].kind;
        assert_int_equal(timing_measure(&t, TIMING_COLD, &short_plan, &set, NULL), ASSAY_OK);
        if (rows[i].held)
            assert_true(fake_seen.shortest_hold_us_each >= 100.0);
        else
            assert_true(fake_seen.shortest_hold_us_each < 100.0);
        finish(&t, &set);
    }
}

static void cold_goes_on_without_blocking(void **state)
{
    kernel k = {.us = 12.5};
    timing t;
    sample_set set = {0};
    const timing_call call = {.context = &k, .enqueue = launch, .slots = 1};
    assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
    fake_gives_up = 1;
    assert_int_equal(timing_measure(&t, TIMING_COLD, &short_plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.unblocked, 1);
    assert_int_equal(fake_seen.blocks, 1); /* tried once, then never again */
    assert_near(set.us[0], 12.5, 1e-9);
    finish(&t, &set);
}

static void hot_divides_a_replay(void **state)
{
    kernel k = {.us = 12.5};
    timing t;
    sample_set set = {0};
    assert_int_equal(measure(&k, 7, TIMING_HOT, &t, &set, NULL), ASSAY_OK);
    assert_near(set.us[0], 12.5, 1e-9);
    assert_int_equal(set.launches_per_sample, 80); /* a millisecond of work */
    assert_int_equal(fake_seen.captured, 80);
    for (int i = 0; i < 80; i++) /* rotating over all copies */
        assert_int_equal(fake_seen.captured_slots[i], i % 7);
    assert_true(fake_seen.graph_launches > set.count); /* a lead that is not counted */
    assert_int_equal(timing_last_slot(&t, TIMING_HOT), 79 % 7);
    assert_int_equal(set.graph_nodes, 80);
    assert_int_equal(set.programmatic, 79); /* as the device says of the graph */
    finish(&t, &set);
}

static int hot_launches(double us, int slots, int graphs)
{
    kernel k = {.us = us};
    timing t;
    sample_set set = {0};
    const timing_call call = {.context = &k, .enqueue = launch, .slots = slots};
    assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
    fake_has_graphs = graphs;
    assert_int_equal(timing_measure(&t, TIMING_HOT, &short_plan, &set, NULL), ASSAY_OK);
    assert_near(set.us[0], us, 1e-9);
    const int launches = set.launches_per_sample;
    finish(&t, &set);
    return launches;
}

static void hot_chooses_its_length(void **state)
{
    assert_int_equal(hot_launches(1.0, 2, 1), 200);   /* at most 200 ... */
    assert_int_equal(hot_launches(1.0, 300, 1), 300); /* ... unless there are more copies */
    assert_int_equal(hot_launches(600.0, 2, 1), 20);  /* at least 20 */
    assert_int_equal(hot_launches(10000.0, 2, 1), 3); /* unless they are long */
    assert_int_equal(hot_launches(10000.0, 2, 0), 1); /* one by one without graphs */
}

static void burst_is_short(void **state)
{
    kernel k = {.us = 400.0};
    timing t;
    sample_set set = {0};
    const timing_call call = {.context = &k, .enqueue = launch, .slots = 2};
    const sample_plan plan = {.sample_ms = 1.0, .min_samples = 2, .max_samples = 2};
    assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
    assert_int_equal(timing_measure(&t, TIMING_BURST, &plan, &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 2);
    assert_int_equal(set.launches_per_sample, 3);
    assert_near(set.us[1], 400.0, 1e-9);
    finish(&t, &set);
}

/* The invented device spends no host time, so what is seen is the host's own. */
static void host_waits_for_each_launch(void **state)
{
    kernel k = {.us = 12.5};
    timing t;
    sample_set set = {0};
    assert_int_equal(measure(&k, 4, TIMING_HOST, &t, &set, NULL), ASSAY_OK);
    assert_true(fake_seen.syncs >= set.count);
    assert_int_equal(fake_seen.blocks, 0);
    assert_int_equal(fake_seen.flushes, 0);
    assert_int_equal(set.unblocked, 1);
    assert_int_equal(set.graph_nodes, 0);
    assert_int_equal(timing_last_slot(&t, TIMING_HOST), 0);
    assert_true(set.us[0] >= 0.0 && set.us[0] != 12.5);
    finish(&t, &set);
}

static void finds_work_on_another_stream(void **state)
{
    kernel k = {.us = 2000.0, .elsewhere = 1};
    timing t;
    sample_set set = {0};
    assay_error error = {0};
    assert_int_equal(measure(&k, 1, TIMING_COLD, &t, &set, &error), ASSAY_ERR_CHECK);
    assert_non_null(strstr(error.message, "another stream"));
    assert_int_equal(set.count, 0);
    finish(&t, &set);
}

/* A kernel that keeps the result of its last launch: cold and host meet it with other contents each time, and end with those that are known. */
static void contents_change_between_launches(void **state)
{
    static const timing_mode modes[] = {TIMING_COLD, TIMING_HOST};
    for (int m = 0; m < 2; m++) {
        kernel k = {.us = 50.0, .us_again = 5.0};
        timing t;
        sample_set set = {0};
        const timing_call call = {.context = &k, .enqueue = launch, .change = change, .slots = 3};
        assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
        assert_int_equal(timing_first_use(&t, NULL), ASSAY_OK);
        k.launches = 0;
        assert_int_equal(timing_measure(&t, modes[m], &short_plan, &set, NULL), ASSAY_OK);
        for (int i = 0; i < set.count && modes[m] == TIMING_COLD; i++)
            assert_near(set.us[i], 50.0, 1e-9);
        for (int i = 1; i < k.launches && i < 50; i++)
            assert_true(k.met[i] > k.met[i - 1]);
        assert_int_equal(k.last, 0);
        assert_int_equal(k.last_slot, timing_last_slot(&t, modes[m]));
        finish(&t, &set);
    }
}

static void replays_are_compared_on_other_contents(void **state)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        kernel k = {.us = 50.0, .us_again = keeps ? 5.0 : 0.0};
        timing t;
        sample_set set = {0};
        double other_us, same_us;
        const timing_call call = {.context = &k, .enqueue = launch, .change = change, .slots = 3};
        assert_int_equal(timing_init(&t, fake_device(), &call, NULL), ASSAY_OK);
        fake_has_graphs = 0;
        assert_int_equal(timing_measure(&t, TIMING_HOT, &short_plan, &set, NULL), ASSAY_OK);
        assert_int_equal(timing_compare_contents(&t, TIMING_HOT, "memset", &other_us, &same_us, NULL),
                         ASSAY_OK);
        assert_near(other_us, 50.0, 1e-9);
        assert_near(same_us, keeps ? 5.0 : 50.0, 1e-9);
        assert_int_equal(timing_depends_on_contents(other_us, same_us), keeps);
        for (int slot = 0; slot < 3; slot++)
            assert_int_equal(k.contents[slot], 0);
        fake_has_graphs = 1;
        finish(&t, &set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_change_between_launches),
        cmocka_unit_test(replays_are_compared_on_other_contents),
        cmocka_unit_test(cold_excludes_the_flush),
        cmocka_unit_test(cold_goes_on_without_blocking),
        cmocka_unit_test(cold_holds_long_launches_back),
        cmocka_unit_test(hot_divides_a_replay),
        cmocka_unit_test(hot_chooses_its_length),
        cmocka_unit_test(burst_is_short),
        cmocka_unit_test(finds_work_on_another_stream),
        cmocka_unit_test(host_waits_for_each_launch),
        cmocka_unit_test(cold_goes_round_the_copies),
        cmocka_unit_test(the_first_use_meets_every_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
