/* Fuzz target: the verdict file of a case (results/case_verdict.h), as it is and as one of the kernel, reference and op.json that are
 * there, so that it is not stale. */
#include "results/case_verdict.h"
#include "core/json_file.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

static opspec spec = {.name = "op", .dtype_count = 1, .dtypes = {ASSAY_F32}, .edge_count = 1};
static workspace_op op = {.spec = &spec};
static workspace ws = {.device = "cpu"};

static void read(const assay_case *c)
{
    const module_record module = {.status = "ok", .source_sha256 = "1"};
    case_verdict verdict;
    char line[700];
    case_verdict_read(&ws, c, &module, &verdict);
    FUZZ_CHECK(memchr(verdict.status, '\0', sizeof verdict.status) && verdict.status[0] != '\0');
    case_verdict_explain(&verdict, line, sizeof line);
    for (const char *at = line; *at; at++)
        FUZZ_CHECK((unsigned char)*at >= ' '); /* it goes to terminals */
    case_verdict_release(&verdict);
}

/* The same text with the hashes of what is there. */
static void read_fresh(const assay_case *c, const uint8_t *data, size_t size)
{
    json_t *document = NULL;
    char *text = fuzz_text(data, size);
    if (json_text_read_without(text, size, "input", NULL, &document, NULL) == ASSAY_OK) {
        case_verdict_identify(&ws, c, document);
        json_object_set_new(document, "source_sha256", json_string("1"));
        char *fresh = json_dumps(document, JSON_COMPACT);
        FUZZ_CHECK(fresh != NULL);
        fuzz_file((const uint8_t *)fresh, strlen(fresh));
        read(c);
        free(fresh);
    }
    json_decref(document);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_case c = {.op = &op, .variant = "v1", .dtype = ASSAY_F32, .size = "small"};
    snprintf(ws.results, sizeof ws.results, "%s", fuzz_folder());
    fuzz_file(data, size);
    fuzz_link("verify/op.v1.f32.small.json");
    fuzz_link("verify/op.v1.f32.edge.json");
    read(&c);
    read_fresh(&c, data, size);
    snprintf(c.size, sizeof c.size, "edge");
    read_fresh(&c, data, size);
    return 0;
}
