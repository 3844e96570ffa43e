/* Streams into memory: whole texts, and none where memory runs out on the way. */
#include "tests/unit.h"
#include "core/text_stream.h"

/* Linked with --wrap: fails from the given call on. */
void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
static int calls, fails_from; /* 0: never */

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails_from > 0 && ++calls >= fails_from ? NULL : __real_realloc(old, bytes);
}

static void texts_are_whole(void **state)
{
    char *text;
    size_t bytes;
    FILE *stream = text_stream_open(&text, &bytes);
    assert_non_null(stream);
    assert_int_equal(ftell(stream), 0);
    fputs("0 ", stream);
    assert_int_equal(ftell(stream), 2);
    for (int i = 1; i < 20000; i++)
        fprintf(stream, "%d ", i);
    assert_int_equal(fflush(stream), 0);
    assert_int_equal(ftell(stream), (long)bytes);
    assert_int_equal(strlen(text), bytes);
    fputs("end", stream);
    assert_true(text_stream_close(stream, &text));
    assert_int_equal(strlen(text), bytes);
    assert_string_equal(text + bytes - 9, "19999 end");
    free(text);
}

static void nothing_written_is_an_empty_text(void **state)
{
    char *text;
    FILE *stream = text_stream_open(&text, NULL);
    assert_true(text_stream_close(stream, &text));
    assert_string_equal(text, "");
    free(text);
    assert_false(text_stream_close(NULL, &text));
}

static void a_cut_text_is_no_text(void **state)
{
    for (int from = 1; from < 4; from++) {
        char *text;
        calls = 0;
        FILE *stream = text_stream_open(&text, NULL);
        fails_from = from;
        for (int i = 0; i < 20000; i++)
            fprintf(stream, "%d ", i);
        assert_false(text_stream_close(stream, &text));
        fails_from = 0;
        assert_null(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_whole),
        cmocka_unit_test(nothing_written_is_an_empty_text),
        cmocka_unit_test(a_cut_text_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
