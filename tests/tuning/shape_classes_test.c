/* From times at shapes to a table, and what the table is worth at others. */
#include "tests/unit.h"
#include "tune/tuner/shape_classes.h"
#include <math.h>

enum { SHAPES = 6, CONFIGURATIONS = 3 };

/* Two classes in M: up to 64, where configuration 1 is best, and 513 to 4096, where 2 is and 1 is wrong once. */
static int64_t dims[SHAPES][CLASS_MOST_DIMS] = {{8, 100},    {64, 400}, {1000, 100},
                                                {4096, 500}, {20, 200}, {2000, 200}};
static double us[SHAPES][CONFIGURATIONS] = {{2, 1, 4},   {4, 2.1, 2}, {8, 1, 2},
                                            {8, NAN, 2}, {3, 1.5, 6}, {9, 1, 3}};
static const shape_times times = {
    .count = SHAPES, .configurations = CONFIGURATIONS, .dim_count = 2, .dims = dims, .us = us[0]};

static void each_class_gets_what_is_best_over_its_shapes(void **state)
{
    (void)state;
    class_table table;
    assert_int_equal(class_table_make(&times, 4, &table, NULL), ASSAY_OK);
    assert_int_equal(table.classes, 2);
    assert_int_equal(table.count, 2);
    assert_int_equal(table.rows[0].configuration, 1);
    assert_int_equal(table.rows[0].shapes, 2);
    assert_true(fabs(table.rows[0].gain - sqrt(2 / 1.0 * 4 / 2.1)) < 1e-12);
    assert_int_equal(table.rows[1].configuration, 2);
    assert_true(table.rows[0].least[0] == 0 && table.rows[0].most[0] == 64 && table.rows[0].least[1] == 65);
    assert_true(table.rows[1].least[0] == 513 && table.rows[1].most[0] == 4096);
    const int64_t inside[] = {64, 512}, between[] = {65, 512}, beyond[] = {4097, 100};
    assert_int_equal(class_table_find(&table, inside, 2), 1);
    assert_int_equal(class_table_find(&table, between, 2), 0);
    assert_int_equal(class_table_find(&table, beyond, 2), 0);
    class_table_release(&table);
}

static void regret_is_of_the_shapes_held_out(void **state)
{
    (void)state;
    class_table table;
    shape_regret with_table, without;
    assert_int_equal(class_table_make(&times, 4, &table, NULL), ASSAY_OK);
    shape_regret_of(&times, 4, &table, &with_table);
    shape_regret_of(&times, 4, NULL, &without);
    assert_int_equal(with_table.shapes, 2);
    assert_true(fabs(with_table.geomean - sqrt(1.0 * 3)) < 1e-12 && with_table.worst == 3 &&
                with_table.worst_shape == 5);
    assert_true(fabs(without.geomean - sqrt(2.0 * 9)) < 1e-12 && without.worst == 9);
    class_table_release(&table);
}

static void a_class_without_a_gain_keeps_the_default(void **state)
{
    (void)state;
    static int64_t at[2][CLASS_MOST_DIMS] = {{10}, {5000}};
    static double same[2][2] = {{1.01, 1}, {2, NAN}};
    const shape_times t = {.count = 2, .configurations = 2, .dim_count = 1, .dims = at, .us = same[0]};
    class_table table;
    assert_int_equal(class_table_make(&t, 2, &table, NULL), ASSAY_OK);
    assert_int_equal(table.classes, 2);
    assert_int_equal(table.count, 0);
    class_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_gets_what_is_best_over_its_shapes),
        cmocka_unit_test(regret_is_of_the_shapes_held_out),
        cmocka_unit_test(a_class_without_a_gain_keeps_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
