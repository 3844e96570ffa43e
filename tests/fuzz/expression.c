/* Fuzz target: expressions of constraints and value lists (tune/space/expression.h). */
#include "fuzz.h"
#include "tune/space/expression.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"A", "block_size_x", "layout", "r", "N"};
    const expression_value values[] = {value_integer(7), value_integer(INT64_MIN), value_text("row"),
                                       value_real(0.5), value_integer(0)};
    char *text = fuzz_text(data, size), out[200];
    expression *e = NULL;
    expression_value first, second;
    assay_error error = {0}, again = {0};
    const assay_status status = expression_parse(text, names, 5, &e, &error);
    FUZZ_CHECK((status == ASSAY_OK) == (e != NULL));
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    if (e) {
        FUZZ_CHECK(expression_uses(e) < 32);
        const assay_status one = expression_evaluate(e, values, &first, &error);
        if (one == ASSAY_OK)
            (void)value_format(&first, out, sizeof out);
        /* A value of a list is gone with the next evaluation; the status is not. */
        FUZZ_CHECK(expression_evaluate(e, values, &second, &again) == one);
        FUZZ_CHECK(one == ASSAY_OK || strcmp(error.message, again.message) == 0);
    }
    expression_free(e);
    free(text);
    return 0;
}
