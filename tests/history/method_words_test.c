/* The words for a way of measuring: which ones are told apart, for which figures, and what is usual. */
#include "test.h"
#include "core/method_words.h"

typedef struct expected {
    const char *method, *kind, *words, *cold, *cold_read, *hot;
} expected;

static const expected table[] = {
    /* the usual, on a GPU and on the CPU device, whose launches never had a queue to wait in */
    {"{\"flush\":\"memset\",\"cold_batch\":1}", "cuda", "flush by memset, cold launches alone in the queue",
     "", "", ""},
    {"{\"flush\":\"memset\"}", "cpu", "flush by memset", "", "", ""},
    /* lengths are no other method */
    {"{\"flush\":\"memset\",\"cold_batch\":1,\"repetitions\":3,\"cold_rest_us\":100,\"seed\":7}", "cuda",
     "flush by memset, cold launches alone in the queue", "", "", ""},
    {"{\"flush\":\"memset\"}", "cuda", "flush by memset", "in batches of 40", "in batches of 40", ""},
    {"{\"flush\":\"memset\",\"cold_batch\":8}", "cuda", "flush by memset, cold launches in batches of 8",
     "in batches of 8", "in batches of 8", ""},
    {"{\"flush\":\"memset\",\"cold_batch\":40}", "cuda", "flush by memset", "in batches of 40",
     "in batches of 40", ""}, /* said or not */
    {"{\"flush\":\"read\",\"cold_batch\":1}", "cuda", "flush by read, cold launches alone in the queue",
     "flush by reading", "", ""},
    {"{\"flush\":\"memset\",\"cold_batch\":1,\"locked_mhz\":1500}", "cuda",
     "flush by memset, cold launches alone in the queue, clock locked at 1500 MHz",
     "clock locked at 1500 MHz", "clock locked at 1500 MHz", "clock locked at 1500 MHz"},
    {"{\"flush\":\"read\",\"locked_mhz\":1500}", "cuda", "flush by read, clock locked at 1500 MHz",
     "flush by reading, in batches of 40, clock locked at 1500 MHz",
     "in batches of 40, clock locked at 1500 MHz", "clock locked at 1500 MHz"},
    {"{}", "cpu", "flush by ?", "flush unknown", "", ""},
};

static void words_of_results_and_figures(void **state)
{
    (void)state;
    static const char *const others[] = {"hot", "sustained", "burst", "host"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const expected *e = &table[i];
        json_t *method = json_loads(e->method, 0, NULL);
        char text[256];
        assert_non_null(method);
        method_words(method, text, sizeof text);
        assert_string_equal(text, e->words);
        method_label(method, e->kind, "cold", text, sizeof text);
        assert_string_equal(text, e->cold);
        method_label(method, e->kind, "cold_read", text, sizeof text);
        assert_string_equal(text, e->cold_read);
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            method_label(method, e->kind, others[j], text, sizeof text);
            assert_string_equal(text, e->hot);
        }
        json_decref(method);
    }
}

/* For readers nothing is left out because it is usual. */
static void words_of_a_figure_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *method, *kind, *figure, *words;
    } all[] = {
        {"{\"flush\":\"memset\",\"cold_batch\":1}", "cuda", "cold",
         "flush by memset, launches alone in the queue"},
        {"{\"flush\":\"memset\"}", "cuda", "cold", "flush by memset, launches in batches of 40"},
        {"{\"flush\":\"read\",\"cold_batch\":1,\"locked_mhz\":1500}", "cuda", "cold",
         "flush by reading, launches alone in the queue, clock locked at 1500 MHz"},
        {"{\"flush\":\"memset\"}", "cpu", "cold", "flush by memset"},
        {"{}", "cpu", "cold", "flush unknown"},
        {"{\"flush\":\"memset\"}", "cuda", "cold_read", "launches in batches of 40"},
        {"{\"flush\":\"memset\"}", "cuda", "hot", "clock not locked"},
        {"{\"flush\":\"memset\",\"locked_mhz\":1500}", "cuda", "hot", "clock locked at 1500 MHz"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[METHOD_LABEL_BYTES];
        json_t *method = json_loads(all[i].method, 0, NULL);
        method_of_figure(method, all[i].kind, all[i].figure, text, sizeof text);
        assert_string_equal(text, all[i].words);
        json_decref(method);
    }
}

/* A result is anybody's file. */
static void what_does_not_fit_is_cut(void **state)
{
    (void)state;
    json_t *method = json_pack("{s:s, s:f, s:f}", "flush", "a flush of which nobody has ever heard before",
                               "cold_batch", 1e300, "locked_mhz", 1e300);
    char text[METHOD_LABEL_BYTES + 8];
    memset(text, '#', sizeof text);
    method_label(method, "cuda", "cold", text, METHOD_LABEL_BYTES);
    assert_int_equal(strlen(text), METHOD_LABEL_BYTES - 1);
    assert_int_equal(text[METHOD_LABEL_BYTES], '#');
    method_words(NULL, text, sizeof text);
    assert_string_equal(text, "flush by ?");
    json_decref(method);
}

static void are_one_line_of_utf8(const json_t *method, const char *words, const char *label)
{
    char text[256];
    method_words(method, text, sizeof text);
    assert_string_equal(text, words);
    method_label(method, "cpu", "cold", text, METHOD_LABEL_BYTES);
    assert_string_equal(text, label);
    method_of_figure(method, "cpu", "cold", text, METHOD_LABEL_BYTES);
    assert_string_equal(text, label);
}

static void a_strange_flush_stays_on_its_line(void **state)
{
    (void)state;
    json_t *method = json_pack("{s:s}", "flush", "a|b\n\x1b[31mx");
    are_one_line_of_utf8(method, "flush by a|b  [31mx", "flush by a|b  [31mx");
    json_object_set_new(
        method, "flush",
        json_string("a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"));
    /* 24 bytes of it: the last begins a character that is not whole */
    are_one_line_of_utf8(
        method, "flush by a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9",
        "flush by a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9?");
    json_decref(method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_results_and_figures),
        cmocka_unit_test(words_of_a_figure_are_whole),
        cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(a_strange_flush_stays_on_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
