/* Predicted times of made-up counts: see counts/predict.h. */
#include "tests/unit.h"
#include "counts/predict.h"
#include "core/json_file.h"
#include "tools/prediction/minimize.h"
#include <math.h>
#include <unistd.h>
// clang-format off
// clang-format on

/* A cycle is 1 ns, 100 multiprocessors issue 400 warp instructions in it. */
static const predict_card card = {.name = "made up",
                                  .launch_us = 5,
                                  .read_gbs = 1000,
                                  .l2_gbs = 4000,
                                  .shared_gbs = 12800,
                                  .fma_tflops = 25.6,
                                  .tensor_tflops = {[ASSAY_BF16] = 500},
                                  .sm_count = 100};
static const predict_model plain = {.factor = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .norm = 60, .low = 0.5, .high = 2};

typedef struct made {
    double bytes, sectors, wavefronts, instructions, tensor_flops, blocks, warps, barriers;
} made;

static prediction predict(const made *m)
{
    prediction out;
    result *r = result_new();
    assert_non_null(r);
    r->id.dtype = ASSAY_BF16;
    r->bytes = m->bytes;
    const struct {
        const char *name;
        double value;
    } facts[] = {{"global_sectors", m->sectors},
                 {"shared_wavefronts", m->wavefronts},
                 {"instructions", m->instructions},
                 {"tensor_flops", m->tensor_flops},
                 {"blocks", m->blocks},
                 {"warps", m->warps},
                 {"warp_instructions", m->instructions / m->warps},
                 {"warp_barriers", m->barriers / m->warps},
                 {"warp_requests", 0},
                 {"dynamic_shared_bytes", 0},
                 {"block_threads", 256},
                 {"launches", 1}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        result_add_fact(r, &r->counters, facts[i].name, facts[i].value, NULL);
    assert_null(predict_missing_fact(r));
    predict_time(r, &card, &plain, &out);
    result_free(r);
    return out;
}

/* With a large norm the slowest part alone decides, and each is the ceiling's arithmetic. */
static void each_part_has_its_ceiling(void **state)
{
    const struct {
        made m;
        predict_part most;
        double us;
    } cases[] = {
        {{.bytes = 100e6, .blocks = 1000, .warps = 8000}, PREDICT_DRAM, 100},
        {{.sectors = 12.5e6, .blocks = 1000, .warps = 8000}, PREDICT_L2, 100},
        {{.wavefronts = 10e6, .blocks = 1000, .warps = 8000}, PREDICT_SHARED, 100},
        {{.instructions = 40e6, .blocks = 1000, .warps = 8000}, PREDICT_ISSUE, 100},
        {{.tensor_flops = 50e9, .blocks = 1000, .warps = 8000}, PREDICT_TENSOR, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const prediction p = predict(&cases[i].m);
        assert_int_equal(p.most, cases[i].most);
        assert_float_equal(p.us, 5 + cases[i].us, 0.5);
        assert_float_equal(p.low_us, p.us / 2, 1e-9);
        assert_float_equal(p.high_us, p.us * 2, 1e-9);
    }
}

/* A cycle a barrier, in each wave: of 16,000 warps a card of 100 multiprocessors holds 6,400. */
static void barriers_take_turns(void **state)
{
    const made one = {.barriers = 6400 * 50e3, .blocks = 800, .warps = 6400},
               more = {.barriers = 16000 * 50e3, .blocks = 2000, .warps = 16000};
    assert_int_equal(predict(&one).most, PREDICT_BARRIERS);
    assert_float_equal(predict(&one).part_us[PREDICT_BARRIERS], 50, 1e-9);
    assert_float_equal(predict(&more).part_us[PREDICT_BARRIERS], 125, 1e-9);
}

/* One block of one warp occupies a hundredth of the card, and its chain takes a cycle an instruction. */
static void few_blocks_take_longer(void **state)
{
    const made few = {.instructions = 1e5, .blocks = 1, .warps = 1},
               many = {.instructions = 1e5, .blocks = 100, .warps = 800};
    assert_float_equal(predict(&few).part_us[PREDICT_ISSUE], 100 * predict(&many).part_us[PREDICT_ISSUE],
                       1e-9);
    assert_float_equal(predict(&few).part_us[PREDICT_LATENCY], 100, 1e-9);
    assert_int_equal(predict(&few).most, PREDICT_LATENCY);
}

static void a_card_without_a_ceiling_is_refused(void **state)
{
    char folder[256], path[300];
    predict_card read;
    assay_error error = {0};
    make_folder(folder);
    assert_int_not_equal(predict_card_read(folder, &read, &error), ASSAY_OK);
    snprintf(path, sizeof path, "%s/ceilings.json", folder);
    static const char some[] =
        "{\"device\": {\"sm_count\": 4}, \"ceilings\": [{\"name\": \"read\", \"median\": 100}]}";
    static const char all[] =
        "{\"device\": {\"sm_count\": 4}, \"ceilings\": [{\"name\": \"read\", \"median\": 100},"
        "{\"name\": \"l2\", \"median\": 1}, {\"name\": \"shared\", \"median\": 1}, {\"name\": \"fma_f32\", "
        "\"median\": 1}]}";
    assert_int_equal(text_file_write(path, some, sizeof some - 1, &error), ASSAY_OK);
    error = (assay_error){0};
    assert_int_equal(predict_card_read(folder, &read, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "no ceiling \"l2\""));
    assert_int_equal(text_file_write(path, all, sizeof all - 1, &error), ASSAY_OK);
    error = (assay_error){0};
    assert_int_equal(predict_card_read(folder, &read, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "no result has a cold launch overhead"));
    remove_folder(folder);
}

/* Rosenbrock's valley, whose least value 0 lies at (1, 1). */
static double valley(const double *x, void *context)
{
    return 100 * (x[1] - x[0] * x[0]) * (x[1] - x[0] * x[0]) + (1 - x[0]) * (1 - x[0]);
}

static void the_minimum_is_found(void **state)
{
    double x[2] = {-1.2, 1};
    minimize(valley, NULL, x, 2, 0.5, 400);
    assert_float_equal(x[0], 1, 1e-3);
    assert_float_equal(x[1], 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_has_its_ceiling), cmocka_unit_test(few_blocks_take_longer),
        cmocka_unit_test(barriers_take_turns),       cmocka_unit_test(a_card_without_a_ceiling_is_refused),
        cmocka_unit_test(the_minimum_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
