/* Fuzz target: a file of shapes (sweep/shape_list.h). A shape that was taken is a problem of the op, and the list can be printed and read
 * again. */
#include "core/json_file.h"
#include "fuzz.h"
#include "sweep/shape_list.h"
#include <stdlib.h>
#include <string.h>

static const char op_json[] = "{\"schema\":1,\"name\":\"grid\",\"family\":\"layout\",\"torch\":\"t\","
                              "\"formula\":\"f\",\"complexity\":\"c\",\"access\":\"a\","
                              "\"dtypes\":[\"f32\"],\"inputs\":[{\"name\":\"x\",\"shape\":[\"M\",\"N\"]}],"
                              "\"outputs\":[{\"name\":\"y\"}],"
                              "\"params\":[{\"name\":\"parts\",\"type\":\"integer\",\"default\":1},{\"name\":"
                              "\"turned\",\"type\":\"boolean\",\"default\":false},"
                              "{\"name\":\"mode\",\"type\":\"text\",\"default\":\"a\",\"choices\":[\"a\","
                              "\"b\"]},{\"name\":\"eps\",\"type\":\"real\","
                              "\"default\":0.5}],\"sizes\":{\"small\":{\"M\":4,\"N\":4},\"medium\":{\"M\":4,"
                              "\"N\":4},\"large\":{\"M\":4,\"N\":4}},"
                              "\"tolerances\":{\"f32\":{\"atol\":0,\"rtol\":0}},\"sweep\":{\"dims\":{\"M\":1,"
                              "\"N\":1},\"families\":{\"any\":{\"weight\":1}},"
                              "\"bounds\":{\"cpu\":{\"bytes\":1,\"flops\":1},\"cuda\":{\"bytes\":1,\"flops\":"
                              "1}},\"layouts\":[{\"when\":{\"turned\":true},"
                              "\"shapes\":{\"x\":[\"N/parts\",\"M\"]}}]}}";

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    (void)error;
    outputs[0].rank = problem->inputs[0].rank;
    memcpy(outputs[0].shape, problem->inputs[0].shape, sizeof outputs[0].shape);
    return ASSAY_OK;
}

static opspec *load_op(void)
{
    char directory[600], path[700];
    opspec *spec = NULL;
    assay_error error = {0};
    snprintf(directory, sizeof directory, "%s/grid", fuzz_folder());
    snprintf(path, sizeof path, "%s/op.json", directory);
    if (text_file_write(path, op_json, strlen(op_json), &error) != ASSAY_OK ||
        opspec_load(directory, &spec, &error) != ASSAY_OK)
        fuzz_fail(__FILE__, __LINE__, error.message);
    return spec;
}

static char *print(const shape_list *list)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    FUZZ_CHECK(out != NULL);
    shape_list_print(list, out);
    FUZZ_CHECK(fclose(out) == 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const assay_op_impl impl = {.infer = infer};
    static opspec *spec;
    shape_list list = {0}, again = {0};
    assay_error error = {0};
    spec = spec ? spec : load_op();
    const int sizes = spec->size_count;
    if (shape_list_read(spec, &impl, fuzz_file(data, size), &list, &error) == ASSAY_OK) {
        char *text = print(&list);
        if (shape_list_read(spec, &impl, fuzz_file((const uint8_t *)text, strlen(text)), &again, &error) !=
            ASSAY_OK)
            fuzz_fail(__FILE__, __LINE__, error.message);
        FUZZ_CHECK(list.count == again.count);
        for (int i = 0; i < list.count; i++)
            FUZZ_CHECK(strcmp(list.shapes[i].name, again.shapes[i].name) == 0);
        free(text);
    } else
        FUZZ_CHECK(error.message[0] != '\0');
    FUZZ_CHECK(spec->size_count == sizes);
    shape_list_release(&list);
    shape_list_release(&again);
    return 0;
}
