/* Fuzz target: a contest's kernel file, found by its solve() and translated for both devices (build_module/module_solve.h). */
#include "build_module/module_solve.h"
#include "core/json_file.h"
#include "fuzz.h"
#include <stdio.h>
#include <string.h>

static opspec spec = {.name = "op"};

static void write_op_json(void)
{
    static const char text[] = "{\"solve\": [{\"arguments\": []}, {\"arguments\": [\"x\"]},"
                               "{\"arguments\": [\"x\", \"y\"], \"when\": [\"count > 0\"]},"
                               "{\"arguments\": [\"x\", \"y\", \"count\"]},"
                               "{\"arguments\": [\"x\", \"y\", \"out\", \"count\"]}]}";
    char path[600];
    snprintf(spec.directory, sizeof spec.directory, "%s", fuzz_folder());
    snprintf(path, sizeof path, "%s/op.json", spec.directory);
    FUZZ_CHECK(text_file_write(path, text, strlen(text), NULL) == ASSAY_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    solve_source source;
    assay_error error = {0};
    int found = 0;
    if (spec.directory[0] == '\0')
        write_op_json();
    const assay_status status = solve_read(&spec, fuzz_file(data, size), &found, &source, &error);
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    if (status == ASSAY_OK && found)
        for (int on_cpu = 0; on_cpu < 2; on_cpu++)
            FUZZ_CHECK(solve_write(&spec, &source, "k.cu", on_cpu, "/dev/null", &error) == ASSAY_OK);
    solve_release(&source);
    return 0;
}
