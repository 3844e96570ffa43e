/* Fuzz target: templates of reports (report/template.h). */
#include "report/template.h"
#include "fuzz.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static json_t *context;
    text_buffer out = {0};
    assay_error error = {0};
    if (!context)
        context = json_loads(
            "{\"t\": \"text\", \"e\": \"\", \"n\": 7, \"r\": 0.5, \"y\": true, \"f\": false,"
            "\"z\": null, \"l\": [{\"t\": \"a\"}, {\"t\": \"b\", \"n\": 2}], \"o\": {\"i\": [1]}, \"k\": []}",
            0, NULL);
    FUZZ_CHECK(context != NULL);
    char *text = fuzz_text(data, size);
    const assay_status status = template_render("input", text, context, &out, &error);
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    (void)text_get(&out);
    text_release(&out);
    free(text);
    return 0;
}
