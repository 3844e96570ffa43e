/* See made_archive.h. */
#include "made_archive.h"
#include <math.h>
#include <stdio.h>

archive_run made_run(const char *size)
{
    return (archive_run){
        .problem = {"matmul", "v4_optimized", "bf16", size, "M=4096,N=4096,K=4096", "card", "sm_90a"},
        .strategy = "random",
        .seed = UINT64_MAX - 3,
        .options = "{\"budget\": 100}",
        .space = "{\"parameters\": {\"BLOCK_M\": [64, 128]}}",
        .commit = "0123abc",
        .host = "node1",
        .command = "assay tune matmul",
        .end = "",
        .default_us = NAN};
}

archive_candidate made_candidate(int i, char label[64])
{
    static const double samples[] = {10.25, 11.5, 10.75};
    snprintf(label, 64, "BLOCK_M=%d,STAGES=%d", 64 * (1 + i % 4), i / 4);
    archive_candidate c = {.values = label,
                           .source = "__global__ void k() {}",
                           .compile_report = "{\"registers\": 40}",
                           .verdict = "",
                           .status = i % 5 == 4 ? EVALUATION_FAILED_COMPILE : EVALUATION_SUCCESS,
                           .reason = i % 5 == 4 ? "too much shared memory" : "",
                           .time_us = i % 5 == 4 ? NAN : 100 + (i * 37 % 101) * 0.5,
                           .tflops = NAN,
                           .speedup = NAN,
                           .samples = samples,
                           .sample_count = i % 5 == 4 ? 0 : 3,
                           .provider = "random",
                           .parent = "",
                           .recorded_ms = 1700000000000 + i,
                           .compile_s = 2.5,
                           .verify_s = NAN,
                           .bench_s = 0.5};
    snprintf(c.identity, sizeof c.identity, "%064x", i + 1);
    return c;
}
