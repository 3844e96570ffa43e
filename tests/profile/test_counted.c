/* Counts of a device that executes instructions, as metrics, gates and lines. */
#include "tests/unit.h"
#include "profile/classify.h"
#include "profile/counted.h"
#include <math.h>

static const uint32_t grid[] = {64, 2, 1}, block[] = {256, 1, 1};
/* A strided load, a tile read by columns, and a branch. */
static const counted_line lines[] = {
    {.file = "a.cu",
     .text = "x = in[i * 32];",
     .line = 7,
     .instructions = 100,
     .lanes = 3200,
     .global_requests = 100,
     .global_sectors = 3200,
     .global_ideal = 400},
    {.file = "a.cu",
     .text = "y = tile[lane * 32];",
     .line = 8,
     .instructions = 100,
     .lanes = 3200,
     .shared_requests = 100,
     .shared_wavefronts = 3200,
     .shared_ideal = 100},
    {.file = "a.cu",
     .text = "if (lane == k)",
     .line = 9,
     .instructions = 200,
     .lanes = 200,
     .branches = 100,
     .divergent = 90},
};

static const finding *find(const bottleneck *verdict, const char *key)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (strcmp(verdict->findings[i].rule->key, key) == 0)
            return &verdict->findings[i];
    return NULL;
}

static void counts_become_gates_with_lines(void **state)
{
    launch_profile p = {0};
    bottleneck verdict = {.kind = BOTTLENECK_LATENCY};
    assert_int_equal(counted_add_kernel(&p, "rows", grid, block, lines, 3, NULL), ASSAY_OK);
    assert_int_equal(p.count, 1);
    const metric_set *set = &p.kernels[0].metrics;
    assert_near(metric_value(set, METRIC_GRID_BLOCKS), 128.0, 0.0);
    assert_near(metric_value(set, METRIC_INSTRUCTIONS), 400.0, 0.0);
    assert_near(metric_value(set, METRIC_ACTIVE_THREADS), 16.5, 1e-9);
    assert_near(metric_value(set, METRIC_SHARED_CONFLICTS), 3100.0, 0.0);
    assert_near(metric_value(set, METRIC_BRANCH_EFFICIENCY), 10.0, 1e-9);
    assert_int_equal(set->origin[METRIC_INSTRUCTIONS], METRIC_COUNTED);
    const evidence given = {&p.kernels[0], NAN, NAN};
    bottleneck_explain(&given, &verdict);
    assert_int_equal(find(&verdict, "uncoalesced")->line->line, 7);
    assert_int_equal(find(&verdict, "bank_conflicts")->line->line, 8);
    assert_int_equal(find(&verdict, "divergence")->line->line, 9);
    assert_null(find(&verdict, "atomics"));
    assert_true(verdict.change_count == BOTTLENECK_CHANGES);
    launch_profile_release(&p);
}

/* A product of one thread an element: its second line reads one place a warp, and all of it is read 80 times. */
static void what_is_read_again_names_its_line(void **state)
{
    launch_profile p = {0};
    bottleneck verdict = {.kind = BOTTLENECK_UNKNOWN};
    static const counted_line product[] = {
        {.file = "a.cu",
         .text = "b[k * n + c]",
         .line = 4,
         .instructions = 500,
         .lanes = 16000,
         .global_requests = 200,
         .global_sectors = 800,
         .global_ideal = 800},
        {.file = "a.cu",
         .text = "a[r * n + k]",
         .line = 5,
         .instructions = 500,
         .lanes = 16000,
         .global_requests = 200,
         .global_sectors = 200,
         .global_ideal = 800},
    };
    assert_int_equal(counted_add_kernel(&p, "product", grid, block, product, 2, NULL), ASSAY_OK);
    metric_set *set = &p.kernels[0].metrics;
    assert_near(metric_value(set, METRIC_GLOBAL_IDEAL_SECTORS), 1000.0, 0.0);
    const evidence given = {&p.kernels[0], NAN, NAN};
    bottleneck_explain(&given, &verdict);
    assert_null(find(&verdict, "read_again")); /* the op's tensors are not known */
    metric_put(set, METRIC_LEAST_SECTORS, 12.5, METRIC_COUNTED);
    verdict = (bottleneck){.kind = BOTTLENECK_UNKNOWN};
    bottleneck_explain(&given, &verdict);
    assert_string_equal(verdict.changes[0]->rule->key, "read_again");
    assert_int_equal(verdict.changes[0]->line->line, 4);
    assert_string_equal(verdict.changes[1]->rule->key, "narrow_accesses");
    metric_put(set, METRIC_INSTRUCTIONS, 20000.0, METRIC_COUNTED); /* 2% of them: the work is elsewhere */
    verdict = (bottleneck){.kind = BOTTLENECK_UNKNOWN};
    bottleneck_explain(&given, &verdict);
    assert_int_equal(verdict.change_count, 0);
    launch_profile_release(&p);
}

static void a_good_kernel_has_no_gates(void **state)
{
    launch_profile p = {0};
    bottleneck verdict = {.kind = BOTTLENECK_MEMORY};
    static const counted_line good = {.file = "a.cu",
                                      .text = "",
                                      .line = 1,
                                      .instructions = 10,
                                      .lanes = 320,
                                      .global_requests = 10,
                                      .global_sectors = 160,
                                      .global_ideal = 160};
    static const counted_line atomic = {.file = "a.cu",
                                        .text = "",
                                        .line = 1,
                                        .instructions = 10,
                                        .lanes = 320,
                                        .global_requests = 10,
                                        .global_sectors = 160,
                                        .global_ideal = 160,
                                        .atomics = 5};
    assert_int_equal(counted_add_kernel(&p, "good", grid, block, &good, 1, NULL), ASSAY_OK);
    assert_int_equal(counted_add_kernel(&p, "good", grid, block, &atomic, 1, NULL),
                     ASSAY_OK); /* a second launch of it */
    assert_int_equal(p.count, 2);
    const evidence first = {&p.kernels[0], NAN, NAN}, second = {&p.kernels[1], NAN, NAN};
    bottleneck_explain(&first, &verdict);
    assert_int_equal(verdict.finding_count, 0);
    verdict = (bottleneck){.kind = BOTTLENECK_MEMORY};
    bottleneck_explain(&second, &verdict);
    assert_non_null(find(&verdict, "atomics"));
    launch_profile_release(&p);
}

/* Without times the kernel with the most instructions stands for the launch. */
static void the_largest_counted_kernel_is_the_main_one(void **state)
{
    launch_profile p = {0};
    counted_line small = {.file = "a.cu", .text = "", .line = 1, .instructions = 10, .lanes = 320},
                 large = small;
    large.instructions = 30;
    assert_int_equal(counted_add_kernel(&p, "small", grid, block, &small, 1, NULL), ASSAY_OK);
    assert_int_equal(counted_add_kernel(&p, "large", grid, block, &large, 1, NULL), ASSAY_OK);
    assert_int_equal(counted_add_kernel(&p, "small", grid, block, &small, 1, NULL), ASSAY_OK);
    assert_string_equal(launch_profile_longest(&p)->name, "large");
    metric_put(&p.kernels[2].metrics, METRIC_DURATION, 1.0, METRIC_PROFILED);
    assert_ptr_equal(launch_profile_longest(&p), &p.kernels[2]); /* a time says more */
    launch_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_counted_kernel_is_the_main_one),
        cmocka_unit_test(counts_become_gates_with_lines),
        cmocka_unit_test(what_is_read_again_names_its_line),
        cmocka_unit_test(a_good_kernel_has_no_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
