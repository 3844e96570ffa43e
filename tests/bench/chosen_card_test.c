/* Which card --device means, alone and among those that $CUDA_VISIBLE_DEVICES leaves. */
#include "test.h"
#include "bench/environment/chosen_card.h"
#include <stdlib.h>

static void without_a_list_the_number_is_the_name(void **state)
{
    (void)state;
    char name[16];
    assert_true(chosen_card_name(NULL, 3, name, sizeof name));
    assert_string_equal(name, "3");
    assert_false(chosen_card_name(NULL, -1, name, sizeof name));
}

static void numbers_count_in_the_list(void **state)
{
    (void)state;
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
    (void)state;
    setenv("CUDA_VISIBLE_DEVICES", "2,5", 1);
    assert_false(chosen_card_use(2));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "2,5");
    assert_true(chosen_card_use(1));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "5");
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_true(chosen_card_use(1));
    assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_list_the_number_is_the_name),
        cmocka_unit_test(numbers_count_in_the_list),
        cmocka_unit_test(others_see_that_card_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
