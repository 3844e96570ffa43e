/* Fuzz target: replies of providers (tune/providers/reply.c). */
#include "fuzz.h"
#include "tune/providers/provider_internal.h"
#include <stdlib.h>

static space *make_space(void)
{
    space *s = NULL;
    const expression_value sizes[] = {value_integer(64), value_integer(128)};
    const expression_value texts[] = {value_text("row"), value_real(0.5), value_boolean(1)};
    FUZZ_CHECK(space_create(&s, NULL) == ASSAY_OK);
    FUZZ_CHECK(space_add_parameter(s, "A", sizes, 2, 0, NULL) == ASSAY_OK);
    FUZZ_CHECK(space_add_parameter(s, "B", texts, 3, 0, NULL) == ASSAY_OK);
    FUZZ_CHECK(space_add_constraint(s, "A == 64 or B == 'row'", NULL) == ASSAY_OK);
    FUZZ_CHECK(space_finish(s, NULL) == ASSAY_OK);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static space *s;
    configuration out[8];
    provider_report report = {0};
    int count = 0;
    if (s == NULL)
        s = make_space();
    const provider_prompt prompt = {.space = s};
    char *text = fuzz_text(data, size);
    const int used = provider_read_reply(text, &prompt, 8, out, &count, &report);
    FUZZ_CHECK(used == (count > 0) && count <= 4 && count == report.accepted);
    FUZZ_CHECK(used || report.why[0] != '\0');
    for (int i = 0; i < count; i++) {
        FUZZ_CHECK(space_is_valid(s, &out[i], NULL));
        FUZZ_CHECK(!provider_is_known(&prompt, out, i, &out[i]));
    }
    free(text);
    return 0;
}
