/* Lists with commas: whole names, whatever else lies in them. */
#include "tests/unit.h"
#include "core/list.h"

static void items_are_what_lies_between_commas(void **state)
{
    static const char *const expected[] = {"", "cold", "", "hot read", "host"};
    int count = 0;
    for (list_item item = {0}; list_next(",cold,, hot read ,host,", &item); count++)
        assert_true(count < 5 && list_item_is(&item, expected[count]));
    assert_int_equal(count, 5);
    assert_int_equal(list_count("a, b,c"), 3);
    assert_int_equal(list_count(" , ,"), 0);
    assert_int_equal(list_count(NULL), 0);
}

static void a_name_is_no_part_of_another(void **state)
{
    assert_false(list_has("torch_compile_tf32,cublaslt", "torch_compile"));
    assert_false(list_has("torch_compile_tf32,cublaslt", "cublas"));
    assert_false(list_has("cublas", "cublaslt"));
    assert_true(list_has("torch_compile_tf32, torch_compile", "torch_compile"));
    assert_false(list_has("", ""));
    assert_false(list_has(NULL, "host"));
}

static void no_list_selects_everything(void **state)
{
    assert_true(list_selects(NULL, "add") && list_selects("", "add") && list_selects("gelu,add", "add"));
    assert_false(list_selects("gelu", "add"));
    assert_false(list_selects(",", "add")); /* given, and names nothing */
    assert_false(list_selects("v4", "v4_optimized"));
}

static void a_variant_is_also_named_by_its_beginning(void **state)
{
    assert_true(list_selects_variant("v1,v4", "v4_optimized") && list_selects_variant(NULL, "v4_optimized"));
    assert_true(list_selects_variant("v4_optimized", "v4_optimized"));
    assert_false(list_selects_variant("v4_opt", "v4_optimized"));
    assert_false(list_selects_variant("v4_optimized", "v4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_what_lies_between_commas),
        cmocka_unit_test(a_name_is_no_part_of_another),
        cmocka_unit_test(no_list_selects_everything),
        cmocka_unit_test(a_variant_is_also_named_by_its_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
