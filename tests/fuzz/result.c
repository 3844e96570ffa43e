/* Fuzz target: a result file (results/result_file.h). What is read can be written and read again. */
#include "fuzz.h"
#include "results/result_file.h"
#include <stdlib.h>
#include <string.h>

static void read_method(const result *r)
{
    char *text = NULL;
    result_method method;
    assay_error error = {0};
    FUZZ_CHECK(result_method_text(&r->method, &text, &error) == ASSAY_OK);
    FUZZ_CHECK(result_method_parse(text, &method, &error) == ASSAY_OK);
    free(text);
}

static void write_and_read(const result *r, result_load load)
{
    char *text = NULL, *again = NULL;
    size_t bytes = 0, again_bytes = 0;
    result *second = NULL;
    assay_error error = {0};
    FUZZ_CHECK(result_write_text(r, load, &text, &bytes, &error) == ASSAY_OK);
    if (result_read_text(text, bytes, "written", load, &second, &error) != ASSAY_OK)
        fuzz_fail(__FILE__, __LINE__, error.message);
    FUZZ_CHECK(result_write_text(second, load, &again, &again_bytes, &error) == ASSAY_OK);
    FUZZ_CHECK(bytes == again_bytes && memcmp(text, again, bytes) == 0);
    result_free(second);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    result *r = NULL;
    assay_error error = {0};
    char *text = fuzz_text(data, size);
    const assay_status whole = result_read_text(text, size, "input", RESULT_LOAD_SAMPLES, &r, &error);
    FUZZ_CHECK((whole == ASSAY_OK) == (r != NULL));
    if (r) {
        write_and_read(r, RESULT_LOAD_SAMPLES);
        write_and_read(r, RESULT_LOAD_SUMMARY);
        read_method(r);
        free(result_dims_text(&r->problem));
        free(result_params_text(&r->problem));
    }
    result_free(r);
    /* Without samples less is checked, never more. */
    FUZZ_CHECK(result_read_text(text, size, "input", RESULT_LOAD_SUMMARY, &r, &error) == ASSAY_OK ||
               whole != ASSAY_OK);
    result_free(r);
    free(text);
    return 0;
}
