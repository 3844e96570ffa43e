/* The classifier on made-up metrics: each rule and each second gate at its threshold, and what is not known. */
#include "tests/unit.h"
#include "profile/classify.h"
#include "profile/thresholds.h"
#include <math.h>

typedef struct fixture {
    profiled_kernel kernel;
    bottleneck verdict;
} fixture;

static void put(fixture *f, metric_id id, double value)
{
    metric_put(&f->kernel.metrics, id, value, METRIC_PROFILED);
}

/* A kernel that is long, fills the card and is busy with nothing but what is given. */
static void begin(fixture *f, double sm, double memory)
{
    memset(f, 0, sizeof *f);
    metric_set_clear(&f->kernel.metrics);
    put(f, METRIC_DURATION, 100e3);
    put(f, METRIC_WAVES, 8.0);
    put(f, METRIC_SM_SOL, sm);
    put(f, METRIC_MEMORY_SOL, memory);
    put(f, METRIC_THEORETICAL_OCCUPANCY, 100.0);
    put(f, METRIC_ACHIEVED_OCCUPANCY, 95.0);
    put(f, METRIC_SM_ACTIVE_CYCLES, 95.0);
    put(f, METRIC_ELAPSED_CYCLES, 100.0);
    put(f, METRIC_WARP_CYCLES, 20.0);
    put(f, METRIC_ISSUE_ACTIVE, 0.3);
}

static bottleneck_kind classify(fixture *f)
{
    const evidence given = {&f->kernel, NAN, NAN};
    bottleneck_classify(&given, &f->verdict);
    return f->verdict.kind;
}

static const finding *find(const fixture *f, const char *key)
{
    for (int i = 0; i < f->verdict.finding_count; i++)
        if (strcmp(f->verdict.findings[i].rule->key, key) == 0)
            return &f->verdict.findings[i];
    return NULL;
}

static void speed_of_light_tree(void **state)
{
    static const struct {
        double sm, memory;
        bottleneck_kind kind;
    } cases[] = {
        {10, 93, BOTTLENECK_MEMORY},      {92, 30, BOTTLENECK_COMPUTE},    {85, 88, BOTTLENECK_BALANCED},
        {62, 72, BOTTLENECK_MEMORY},      {62, 71.9, BOTTLENECK_BALANCED}, {72, 62, BOTTLENECK_COMPUTE},
        {59.9, 59.9, BOTTLENECK_LATENCY}, {60, 30, BOTTLENECK_COMPUTE},    {5, 60, BOTTLENECK_MEMORY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        begin(&f, cases[i].sm, cases[i].memory);
        assert_int_equal(classify(&f), cases[i].kind);
        assert_true(f.verdict.confidence >= 0.5 && f.verdict.confidence <= 1.0);
        assert_true(*f.verdict.numbers && *f.verdict.rule->condition);
    }
}

static void memory_names_its_level(void **state)
{
    fixture f;
    begin(&f, 20, 90);
    put(&f, METRIC_DRAM_SOL, 30);
    put(&f, METRIC_L2_SOL, 90);
    put(&f, METRIC_L1_SOL, 50);
    classify(&f);
    assert_string_equal(f.verdict.part, "L2");
    put(&f, METRIC_DRAM_SOL, 90);
    put(&f, METRIC_L2_SOL, 96); /* with the fabric between its halves, which the memory side leaves out */
    classify(&f);
    assert_string_equal(f.verdict.part, "DRAM");
}

static void rules_below_sixty(void **state)
{
    fixture f;
    begin(&f, 20, 20);
    put(&f, METRIC_WAVES, 0.99);
    assert_int_equal(classify(&f), BOTTLENECK_OCCUPANCY);
    assert_string_equal(f.verdict.rule->key, "grid");
    begin(&f, 20, 20);
    put(&f, METRIC_SM_ACTIVE_CYCLES, 40);
    assert_int_equal(classify(&f), BOTTLENECK_OCCUPANCY);
    assert_string_equal(f.verdict.rule->key, "unequal");
    begin(&f, 20, 20);
    put(&f, METRIC_THEORETICAL_OCCUPANCY, 12.5);
    put(&f, METRIC_STALL_LONG_SCOREBOARD, 15.0);
    put(&f, METRIC_LIMIT_REGISTERS, 1);
    put(&f, METRIC_LIMIT_SHARED, 8);
    assert_int_equal(classify(&f), BOTTLENECK_OCCUPANCY);
    assert_string_equal(f.verdict.part, "registers");
    put(&f, METRIC_STALL_BARRIER, 16.0); /* more warps do not help at a barrier */
    assert_int_equal(classify(&f), BOTTLENECK_LATENCY);
    begin(&f, 55, 20);
    put(&f, METRIC_PIPE_TENSOR, 56);
    put(&f, METRIC_STALL_MATH_PIPE_THROTTLE, 12.0);
    assert_int_equal(classify(&f), BOTTLENECK_COMPUTE);
    assert_string_equal(f.verdict.rule->key, "pipe");
    begin(&f, 1, 2);
    put(&f, METRIC_DURATION, 2000);
    put(&f, METRIC_WAVES, 0.01);
    assert_int_equal(classify(&f), BOTTLENECK_LAUNCH);
}

static void what_is_not_known_is_said(void **state)
{
    fixture f;
    memset(&f, 0, sizeof f);
    metric_set_clear(&f.kernel.metrics);
    assert_int_equal(classify(&f), BOTTLENECK_UNKNOWN);
    assert_near(f.verdict.confidence, 0.0, 0.0);
    assert_int_equal(f.verdict.finding_count, 0);
    assert_non_null(strstr(f.verdict.numbers, "sm__throughput"));
    begin(&f, 10, 90);
    f.kernel.metrics.value[METRIC_MEMORY_SOL] = NAN; /* its parts stand in */
    put(&f, METRIC_DRAM_SOL, 88);
    assert_int_equal(classify(&f), BOTTLENECK_MEMORY);
}

/* A gate holds on its side of the threshold and not on the other, and cites numbers. */
static void gate(metric_id id, double holds, double fails, const char *key, const metric_id *ids,
                 const double *values, int count)
{
    fixture f;
    for (int side = 0; side < 2; side++) {
        begin(&f, 40, 40);
        for (int i = 0; i < count; i++)
            put(&f, ids[i], values[i]);
        put(&f, id, side ? fails : holds);
        classify(&f);
        if (side)
            assert_null(find(&f, key));
        else {
            assert_non_null(find(&f, key));
            assert_true(find(&f, key)->severity > 0.0 && find(&f, key)->severity <= 1.0);
            assert_true(strpbrk(find(&f, key)->numbers, "0123456789") != NULL);
        }
    }
}

/* Of a sector that the whole warp reads at one place little is used, and nothing is wasted. */
static void a_broadcast_is_coalesced(void **state)
{
    fixture f;
    begin(&f, 40, 40);
    put(&f, METRIC_LOAD_BYTES_PER_SECTOR, 4.0);
    put(&f, METRIC_LOAD_REQUESTS, 100.0);
    put(&f, METRIC_LOAD_SECTORS, 100.0);
    classify(&f);
    assert_null(find(&f, "uncoalesced_loads"));
}

static void second_gates(void **state)
{
    static const metric_id conflicts[] = {METRIC_SHARED_WAVEFRONTS}, stall[] = {METRIC_STALL_BARRIER},
                           requests[] = {METRIC_LOAD_REQUESTS, METRIC_LOAD_SECTORS},
                           local[] = {METRIC_LOCAL_STORE_SECTORS, METRIC_LOAD_SECTORS, METRIC_STORE_SECTORS};
    static const double hundred[] = {100.0}, wide[] = {1.0, 32.0}, seven[] = {7.0}, mix[] = {0.0, 50.0, 40.0};
    gate(METRIC_SHARED_CONFLICTS, 10.0, 9.9, "bank_conflicts", conflicts, hundred, 1);
    gate(METRIC_STALL_BARRIER, 6.1, 6.0, "stall_BARRIER", NULL, NULL, 0);
    gate(METRIC_ISSUE_ACTIVE, 0.79, 0.8, "stall_BARRIER", stall, seven, 1);
    gate(METRIC_ACHIEVED_OCCUPANCY, 90.0, 90.1, "occupancy_gap", NULL, NULL, 0);
    gate(METRIC_THEORETICAL_OCCUPANCY, 49.9, 50.0, "low_occupancy", NULL, NULL, 0);
    gate(METRIC_WAVES, 0.99, 1.0, "small_grid", NULL, NULL, 0);
    gate(METRIC_WAVES, 1.2, 1.9, "tail", NULL, NULL, 0);
    gate(METRIC_ACTIVE_THREADS, 23.9, 24.0, "divergence", NULL, NULL, 0);
    gate(METRIC_LOAD_BYTES_PER_SECTOR, 4.0, 24.0, "uncoalesced_loads", requests, wide, 2);
    gate(METRIC_LOCAL_LOAD_SECTORS, 10.0, 9.9, "local_memory", local, mix, 3);
    gate(METRIC_SPILL_BYTES, 8.0, 0.0, "spills", NULL, NULL, 0);
}

static void changes_fit_the_kind(void **state)
{
    fixture f;
    begin(&f, 10, 95);
    put(&f, METRIC_L1_SOL, 95);
    put(&f, METRIC_SHARED_WAVEFRONTS, 320);
    put(&f, METRIC_SHARED_CONFLICTS, 310);
    put(&f, METRIC_THEORETICAL_OCCUPANCY, 25); /* no change for a kernel that is at the memory's limit */
    classify(&f);
    assert_true(f.verdict.change_count >= 1 && f.verdict.change_count <= BOTTLENECK_CHANGES);
    assert_string_equal(f.verdict.changes[0]->rule->key, "bank_conflicts");
    for (int i = 0; i < f.verdict.change_count; i++)
        assert_true(f.verdict.changes[i]->rule->kinds >> f.verdict.kind & 1u);
    assert_non_null(find(&f, "low_occupancy"));
}

static void ncu_words_are_known(void **state)
{
    profile_rule rule = {
        "GPU Speed Of Light Throughput", "SOLBottleneck", "OPT",
        "Memory is more heavily utilized than Compute: Look at the Memory Workload Analysis section", NAN};
    profiled_kernel kernel = {.rule_count = 1, .rules = &rule};
    int saturated;
    assert_int_equal(bottleneck_of_ncu(&kernel, &saturated), BOTTLENECK_MEMORY);
    assert_false(saturated);
    rule.text = "This workload is utilizing greater than 80.0% of the available compute or memory "
                "performance of this device.";
    assert_int_equal(bottleneck_of_ncu(&kernel, &saturated), BOTTLENECK_UNKNOWN);
    assert_true(saturated);
    rule.name = "TheoreticalOccupancy";
    assert_int_equal(bottleneck_of_ncu(&kernel, &saturated), BOTTLENECK_UNKNOWN);
    assert_false(saturated);
}

/* Every rule has a condition, every gate a change, a source and, but for those of measured numbers, a counter that it cites. */
static void tables_are_whole(void **state)
{
    int count;
    const finding_rule *gates = findings_rules(&count);
    for (int i = 0; i < count; i++) {
        assert_true(*gates[i].key && *gates[i].means && *gates[i].change && *gates[i].source &&
                    gates[i].kinds);
        assert_true(gates[i].cites[0] < METRIC_COUNT ||
                    strcmp(gates[i].key, "bandwidth_near_its_limit") == 0);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(gates[i].key, gates[j].key);
    }
    const bottleneck_rule *rules = bottleneck_rules(&count);
    assert_int_equal(rules[count - 1].kind, BOTTLENECK_UNKNOWN);
    for (int i = 0; i < count; i++)
        assert_true(*rules[i].key && *rules[i].condition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_of_light_tree),  cmocka_unit_test(memory_names_its_level),
        cmocka_unit_test(rules_below_sixty),    cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(second_gates),         cmocka_unit_test(a_broadcast_is_coalesced),
        cmocka_unit_test(changes_fit_the_kind), cmocka_unit_test(ncu_words_are_known),
        cmocka_unit_test(tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
