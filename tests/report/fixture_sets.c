/* Two whole folders of made-up results: a card's and the CPU device's. */
#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const dtypes[] = {"f32", "f16", "bf16"}, *const sizes[] = {"small", "medium", "large",
                                                                              "xlarge"};

/* Time of a kernel that reaches `share` of memory and compute bounds on top of a launch of 3 us. */
static double time_of(int product, int d, int s, double share)
{
    static const double extents[] = {256, 1024, 4096, 8192};
    const double m = extents[s], element = d == 0 ? 4 : 2;
    const double flops = product ? 2 * m * m * m : m * m, bytes = (product ? 3 : 2) * m * m * element;
    const double memory_us = bytes / 2.91e6, compute_us = flops / ((product && d ? 760e12 : 60e12) * 1e-6);
    return 3.3 + fmax(memory_us, compute_us) / share;
}

static void fill_variants(const fixture *f, const char *op, int product, int d, int s)
{
    static const char *const names[] = {"v1_baseline", "v2_tiling", "v3_coalesced", "v4_optimized"};
    static const double shares[2][4] = {{0.62, 0.86, 0.93, 0.955}, {0.01, 0.07, 0.05, 0.78}};
    for (int v = 0; v < 4; v++) {
        fixture_case c = {.op = op, .name = names[v], .dtype = dtypes[d], .size = sizes[s]};
        c.cold_us = time_of(product, d, s, shares[product][v] * (d == 0 ? 1 : 0.97));
        c.hot_us = c.cold_us * 0.9 - 2;
        if (product) {
            c.burst_us = c.cold_us * 0.97;
            c.sustained_us = c.cold_us * 1.08;
        }
        if (v == 1 && d == 2 && s == 2 && !product) { /* one that fails */
            c.status = "not timed";
            c.reason = "correctness: fail";
            c.cold_us = c.hot_us = 0;
            fixture_verdict(f, &c, "fail",
                            "values: 12 of 16777216 wrong, first out[5,7]: got 1.5, expected 1.25",
                            "fail,fail");
        } else if (v == 2 && d == 1 && product) { /* one that does not compile */
            c.cold_us = 0;
            fixture_verdict(f, &c, "does not compile", "v3_coalesced.cu:12: error: no operator '*' matches",
                            NULL);
            continue;
        } else {
            if (v == 0 && d == 0 && s == 2) {
                c.status = "unstable";
                c.reason = "thermal slowdown in 4 of 10 repetitions";
            }
            fixture_verdict(f, &c, "pass", "", v == 3 && s == 1 ? "fail,crash,pass" : NULL);
        }
        fixture_result(f, &c);
    }
}

static void fill_baselines(const fixture *f, const char *op, int product, int d, int s)
{
    static const char *const names[2][3] = {
        {"baseline_torch_eager", "baseline_torch_compile", "baseline_copy"},
        {"baseline_cublas", "baseline_torch_eager", "baseline_torch_compile"}};
    static const double shares[2][3] = {{0.9, 0.92, 0.97}, {0.83, 0.8, 0.79}};
    for (int p = 0; p < 3; p++) {
        fixture_case c = {.op = op, .name = names[product][p], .dtype = dtypes[d], .size = sizes[s]};
        c.unranked = !product && p == 2;
        c.cold_us = time_of(product, d, s, shares[product][p]) + (p == 1 ? 0.4 : 0);
        c.hot_us = c.cold_us * 0.9 - 2;
        fixture_result(f, &c);
    }
    if (product && d == 0) {
        fixture_case c = {.op = op,
                          .name = "baseline_cublas_tf32",
                          .dtype = dtypes[d],
                          .size = sizes[s],
                          .math_mode = "tf32"};
        c.cold_us = time_of(product, d, s, 0.83 * 410 / 60.2);
        fixture_result(f, &c);
    }
}

void fixture_fill_card(const fixture *f)
{
    for (int product = 0; product < 2; product++)
        for (int d = 0; d < 3; d++)
            for (int s = 0; s < (product ? 3 : 4); s++) {
                fill_variants(f, product ? "product" : "scale", product, d, s);
                fill_baselines(f, product ? "product" : "scale", product, d, s);
            }
    fixture_case edge = {.op = "scale", .name = "v4_optimized", .dtype = "f32", .size = "edge"};
    fixture_verdict(f, &edge, "pass", "", NULL);
    fixture_ceilings(f);
}

void fixture_fill_cpu(const fixture *f)
{
    static const char *const names[] = {"v1_baseline", "v4_optimized", "baseline_reference"};
    static const double times[3][2] = {{210.5, 3360}, {180.25, 2890}, {95.5, 2410}};
    for (int v = 0; v < 3; v++)
        for (int s = 0; s < 2; s++) {
            fixture_case c = {
                .op = "scale", .name = names[v], .dtype = "f32", .size = sizes[s], .cold_us = times[v][s]};
            if (v < 2)
                fixture_verdict(f, &c, "pass", "", NULL);
            fixture_result(f, &c);
        }
}

/* Two kernels, a baseline and a copy of each op that a workspace has, in two dtypes at each size. */
void fixture_fill_ops(const fixture *f)
{
    static const char *const baselines[] = {"baseline_torch_eager", "baseline_copy"};
    for (int o = 0; o < f->ws->op_count; o++) {
        const workspace_op *op = &f->ws->ops[o];
        for (int d = 0; d < op->spec->dtype_count && d < 2; d++)
            for (int s = 0; s < op->spec->size_count; s++) {
                fixture_case c = {.op = op->spec->name,
                                  .dtype = assay_dtype_name(op->spec->dtypes[d]),
                                  .size = op->spec->sizes[s].name,
                                  .math_mode = op->spec->dtypes[d] == ASSAY_TF32 ? "tf32" : "ieee"};
                for (int v = 0; v < op->variant_count && v < 2; v++) {
                    c.name = op->variants[v];
                    c.cold_us = 20.0 * (s + 1) / (v + 1);
                    c.hot_us = c.cold_us * 0.9;
                    c.with = baselines[0];
                    fixture_verdict(f, &c, "pass", "", NULL);
                    fixture_result(f, &c);
                }
                for (int b = 0; b < 2; b++) {
                    c.name = baselines[b];
                    c.unranked = b;
                    c.cold_us = 10.0 * (s + 1) + 0.5;
                    c.hot_us = c.cold_us * 0.9;
                    c.with = NULL;
                    fixture_result(f, &c);
                }
            }
    }
    fixture_ceilings(f);
}

void fixture_fill_golden(const fixture *f)
{
    static const char *const names[] = {"v1_baseline", "v2_tiling", "v4_optimized", "baseline_torch_eager",
                                        "baseline_copy"};
    static const double times[5][2] = {{9.5, 82}, {7.25, 65.5}, {5.5, 50}, {6, 55}, {5, 48}};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 2; s++) {
            fixture_case c = {.op = "scale",
                              .name = names[k],
                              .dtype = "f32",
                              .size = s ? "large" : "small",
                              .cold_us = times[k][s]};
            c.hot_us = k < 4 ? times[k][s] / 2 : 0;
            c.unranked = k == 4;
            c.with = k == 2 ? "baseline_torch_eager" : NULL;
            c.time = k == 2 && s ? "2026-02-01T08:30:00Z" : NULL;
            if (k == 1 && s) {
                c.status = "unstable";
                c.reason = "thermal slowdown in 4 of 10 repetitions";
            }
            if (k < 3)
                fixture_verdict(f, &c, "pass", "", k == 2 ? "fail,timeout,pass" : NULL);
            fixture_result(f, &c);
        }
    fixture_case failing = {.op = "scale",
                            .name = "v3_coalesced",
                            .dtype = "f32",
                            .size = "small",
                            .status = "not timed",
                            .reason = "correctness: fail"};
    fixture_verdict(f, &failing, "fail", "out[3] is 7 | expected 6", NULL);
    fixture_result(f, &failing);
    fixture_case broken = {.op = "scale", .name = "v3_coalesced", .dtype = "f32", .size = "large"};
    fixture_verdict(f, &broken, "does not compile", "v3.cu:4: error", NULL);
    fixture_case edge = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "edge"};
    fixture_verdict(f, &edge, "pass", "", NULL);
    fixture_case module = {.op = "scale", .name = "v2_tiling", .dtype = "f32", .size = "small"};
    fixture_module(f, &module, "ok", "aa");
    fixture_ceilings(f);
}
