/* What holds for every strategy: no duplicates, every configuration in the end, the same proposals after a resume. */
#include "test.h"
#include "tune/strategies/strategy.h"

/* A bowl with a wall: configurations with A = 64 fail. */
static evaluation measure(const space *s, const configuration *c)
{
    evaluation e = {.configuration = *c, .objective = 10};
    for (int i = 0; i < space_parameter_count(s); i++) {
        const double middle = (space_parameter_at(s, i)->value_count - 1) * 0.6;
        e.objective += (c->index[i] - middle) * (c->index[i] - middle) * (1 + i);
    }
    if (value_number(configuration_value(s, c, 0)) == 64)
        e = (evaluation){.configuration = *c, .status = EVALUATION_CRASHED, .objective = NAN};
    return e;
}

static space *bowl(void)
{
    return make_space("A=8,16,32,64,128;B=1,2,4,8,16;C=1,2,3,4;D=0,1", "A * B <= 1024;C < 4 or D == 0");
}

static strategy *create(const char *name, const space *s, const strategy_options *options)
{
    strategy *st = NULL;
    ASSERT_OK(strategy_create(name, s, options, &st, failure));
    return st;
}

static void test_every_configuration_once(void **state)
{
    (void)state;
    space *s = bowl();
    const long count = (long)space_count(s);
    for (int k = 0; strategy_name(k); k++) {
        strategy *st = create(strategy_name(k), s, &(strategy_options){.seed = 5});
        char *seen = calloc((size_t)count, 1);
        configuration c;
        long asked = 0;
        while (strategy_ask(st, &c, 1) == 1) {
            configuration other;
            long rank = 0;
            assert_true(space_is_valid(s, &c, NULL));
            while (space_at(s, (uint64_t)rank, &other) && !configuration_equals(&c, &other))
                rank++;
            assert_true(rank < count);
            if (seen[rank]++)
                fail_msg("%s proposed one twice", strategy_name(k));
            const evaluation e = measure(s, &c);
            strategy_tell(st, &e);
            asked++;
        }
        assert_int_equal(asked, count);
        free(seen);
        strategy_free(st);
    }
    space_free(s);
}

/* 30 evaluations, then "killed"; a new one is told the 30 and must go on like the one that was not killed. */
static void test_resume(void **state)
{
    enum { BEFORE = 30, AFTER = 25 };
    (void)state;
    space *s = bowl();
    for (int k = 0; strategy_name(k); k++) {
        const strategy_options options = {.seed = 11, .budget = 80};
        strategy *whole = create(strategy_name(k), s, &options),
                 *resumed = create(strategy_name(k), s, &options);
        configuration c, d;
        for (int i = 0; i < BEFORE; i++) {
            assert_int_equal(strategy_ask(whole, &c, 1), 1);
            const evaluation e = measure(s, &c);
            strategy_tell(whole, &e);
            strategy_tell(resumed, &e);
        }
        for (int i = 0; i < AFTER; i++) {
            assert_int_equal(strategy_ask(whole, &c, 1), 1);
            assert_int_equal(strategy_ask(resumed, &d, 1), 1);
            if (!configuration_equals(&c, &d))
                fail_msg("%s goes another way after a resume, at %d", strategy_name(k), i);
            const evaluation e = measure(s, &c);
            strategy_tell(whole, &e);
            strategy_tell(resumed, &e);
        }
        strategy_free(whole);
        strategy_free(resumed);
    }
    space_free(s);
}

static void test_batches_and_seeds(void **state)
{
    (void)state;
    space *s = bowl();
    for (int k = 0; strategy_name(k); k++) {
        configuration batch[8], seeds[3], near;
        space_at(s, 17, &seeds[0]);
        seeds[1] = seeds[0];                      /* a duplicate */
        seeds[2] = (configuration){{4, 4, 0, 0}}; /* invalid: 128 * 16 */
        strategy *st =
            create(strategy_name(k), s, &(strategy_options){.seed = 2, .seeds = seeds, .seed_count = 3});
        assert_int_equal(strategy_ask(st, batch, 8), 8);
        assert_true(configuration_equals(&batch[0], &seeds[0]));
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < i; j++)
                assert_false(configuration_equals(&batch[i], &batch[j]));
        for (int i = 7; i >= 0; i--) { /* told in another order, and one that was never asked */
            const evaluation e = measure(s, &batch[i]);
            strategy_tell(st, &e);
        }
        space_at(s, 40, &near);
        const evaluation e = measure(s, &near);
        strategy_tell(st, &e);
        strategy_tell(st, &e);
        strategy_free(st);
    }
    space_free(s);
}

static void test_unknown_name(void **state)
{
    strategy *st = NULL;
    assay_error error = {0};
    (void)state;
    space *s = bowl();
    assert_int_equal(strategy_create("guess", s, NULL, &st, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "there is no strategy \"guess\"; there are: exhaustive, random"));
    space_free(s);
}

/* All fail: nothing to learn from, and still every configuration is proposed. */
static void test_all_fail(void **state)
{
    (void)state;
    space *s = make_space("A=1,2,3;B=1,2,3", "");
    for (int k = 0; strategy_name(k); k++) {
        strategy *st = create(strategy_name(k), s, NULL);
        evaluation e = {.status = EVALUATION_TIMEOUT, .objective = NAN};
        int asked = 0;
        while (strategy_ask(st, &e.configuration, 1) == 1) {
            strategy_tell(st, &e);
            asked++;
        }
        assert_int_equal(asked, 9);
        strategy_free(st);
    }
    space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_configuration_once),
                                       cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_batches_and_seeds),
                                       cmocka_unit_test(test_unknown_name), cmocka_unit_test(test_all_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
