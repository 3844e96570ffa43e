/* Which card --device means, alone and among those that $CUDA_VISIBLE_DEVICES leaves. */
#include "tests/unit.h"
#include "bench/environment/chosen_card.h"

static void without_a_list_the_number_is_the_name(void **state)
{
    char name[16];
    assert_true(chosen_card_name(NULL, 3, name, sizeof name));
    assert_string_equal(name, "3");
    assert_false(chosen_card_name(NULL, -1, name, sizeof name));
}

static void numbers_count_in_the_list(void **state)
{
    char name[16], tiny[3];
    assert_true(chosen_card_name("4,GPU-01ab, 7", 0, name, sizeof name));
    assert_string_equal(name, "4");
    assert_true(chosen_card_name("4,GPU-01ab, 7", 1, name, sizeof name));
    assert_string_equal(name, "GPU-01ab");
    assert_true(chosen_card_name("4,GPU-01ab, 7", 2, name, sizeof name));
    assert_string_equal(name, "7");
    assert_false(chosen_card_name("4,GPU-01ab, 7", 3, name, sizeof name));
    assert_false(chosen_card_name("", 0, name, sizeof name));
    assert_false(chosen_card_name("4,,5", 1, name, sizeof name));
    assert_false(chosen_card_name("4,GPU-01ab", 1, tiny, sizeof tiny)); /* never a part of a name */
}

static void others_see_that_card_alone(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "2,5", 1);
    assert_false(chosen_card_use(2));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,5");
    assert_true(chosen_card_use(1));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "5");
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_true(chosen_card_use(1));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "1");
}

static void what_ctest_gave_is_a_number_or_a_uuid(void **state)
{
    char name[64], tiny[4];
    assert_true(chosen_card_given("id:3,slots:1", name, sizeof name));
    assert_string_equal(name, "3");
    assert_true(chosen_card_given("id:gpu_1f5e0a77_00c1,slots:1", name, sizeof name));
    assert_string_equal(name, "GPU-1f5e0a77-00c1");
    assert_true(chosen_card_given("id:mig_ab_1,slots:1", name, sizeof name));
    assert_string_equal(name, "MIG-ab-1");
    assert_true(chosen_card_given("id:0,slots:1;id:1,slots:1", name, sizeof name)); /* the first of two */
    assert_string_equal(name, "0");
    assert_false(chosen_card_given("", name, sizeof name));
    assert_false(chosen_card_given("id:,slots:1", name, sizeof name));
    assert_false(chosen_card_given("id:gpu_,slots:1", name, sizeof name));
    assert_false(chosen_card_given("id:gpu_xyz,slots:1", name, sizeof name));
    assert_false(chosen_card_given("id:left,slots:1", name, sizeof name));
    assert_false(chosen_card_given("id:gpu_12,slots:1", tiny, sizeof tiny));
}

static void the_card_that_ctest_gave_is_the_only_one(void **state)
{
    setenv("CUDA_VISIBLE_DEVICES", "2,5", 1);
    unsetenv("CTEST_RESOURCE_GROUP_0_GPUS");
    assert_true(chosen_card_use_given());
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,5");
    setenv("CTEST_RESOURCE_GROUP_0_GPUS", "id:left,slots:1", 1);
    assert_false(chosen_card_use_given());
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,5");
    setenv("CTEST_RESOURCE_GROUP_0_GPUS", "id:gpu_12ab_3,slots:1", 1);
    assert_true(chosen_card_use_given() &&
                chosen_card_use_given()); /* a process that it starts does it again */
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "GPU-12ab-3");
    unsetenv("CTEST_RESOURCE_GROUP_0_GPUS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_list_the_number_is_the_name),
        cmocka_unit_test(numbers_count_in_the_list),
        cmocka_unit_test(others_see_that_card_alone),
        cmocka_unit_test(what_ctest_gave_is_a_number_or_a_uuid),
        cmocka_unit_test(the_card_that_ctest_gave_is_the_only_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
