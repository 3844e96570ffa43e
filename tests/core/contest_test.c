/* Reading contests' kernel files: what is code in a text, how launches are translated, which files are recognised. That what comes
 * out compiles and is judged rightly is for tests/solve_kernels. */
#include "tests/unit.h"
#include "build_module/module_launch.h"
#include "build_module/module_solve.h"
#include "build_module/module_text.h"

static void expect_mask(const char *text, const char *expected)
{
    char *mask = text_mask(text);
    assert_string_equal(mask, expected);
    free(mask);
}

static void comments_and_literals_are_no_code(void **state)
{
    expect_mask("a // b\nc", "a     \nc");
    expect_mask("a /* b\nc */ d", "a     \n     d");
    expect_mask("f(\"a \\\" b\", 'c')", "f(        ,    )");
    expect_mask("R\"x(\" // )\")x\" d", "R              d");
    expect_mask("1'000 + 'x'", "1'000 +    ");
    expect_mask("// a \\\nb\nc", "      \n \nc");
    expect_mask("\"open\nd", "     \nd");
    expect_mask("/* open", "       ");
    expect_mask("", "");
}

static void words_are_whole(void **state)
{
    assert_int_equal(text_find_word("resolve solve2 solve", 0, "solve"), 15);
    assert_int_equal(text_find_word("resolve", 0, "solve"), (size_t)-1);
    assert_true(text_word_at("solve(", 0, "solve"));
    assert_int_equal(text_match("f(a[(1)], {2})", 1), 13);
    assert_int_equal(text_match("f(a", 1), (size_t)-1);
    assert_int_equal(text_match_back("k<(1 > 0), 2>", 12), 1);
    size_t commas[2];
    assert_int_equal(text_commas("a, (b, c), d, e", 0, 15, commas, 2), 3);
    assert_int_equal(commas[1], 9);
}

static void expect_launch(launch_target target, const char *text, const char *expected)
{
    char *mask = text_mask(text), *translated = launch_translate(text, mask, target);
    assert_string_equal(translated, expected);
    free(translated);
    free(mask);
}

static void launches_move_to_the_stream(void **state)
{
    expect_launch(LAUNCH_ON_STREAM, "k<<<g, b>>>(x);", "k<<<g, b, 0, ::assay_solve::on()>>>(x);");
    expect_launch(LAUNCH_ON_STREAM, "k<<<g,b,n>>>();", "k<<<g,b,n, ::assay_solve::on()>>>();");
    expect_launch(LAUNCH_ON_STREAM, "k<<<g, b, n, s>>>(x);", "k<<<g, b, n, ::assay_solve::on( s)>>>(x);");
    expect_launch(LAUNCH_ON_STREAM, "k<<<dim3(1, 2), f(a, b)>>>(x, y);",
                  "k<<<dim3(1, 2), f(a, b), 0, ::assay_solve::on()>>>(x, y);");
    expect_launch(LAUNCH_AS_IS, "k<<<g, b>>>(x);", "k<<<g, b>>>(x);");
}

static void what_is_no_launch_stays(void **state)
{
    static const char *const texts[] = {"// k<<<g, b>>>(x);", "\"k<<<g, b>>>(x);\"", "k<<<g>>>(x);",
                                        "k<<<g, b>>>;",       "<<<g, b>>>(x)",       "k<<<g, b(",
                                        "a << b < c",         "v<v<v<int>>> w(1);",  ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_launch(LAUNCH_ON_STREAM, texts[i], texts[i]);
        expect_launch(LAUNCH_ON_CPU, texts[i], texts[i]);
    }
}

static void the_cpu_device_gets_calls(void **state)
{
    expect_launch(LAUNCH_ON_CPU, "{ n::k<T, (a > b)> <<<g, b, 4, s>>> (x, f(y)); }",
                  "{ ::assay_solve::launch(\"n::k<T, (a > b)>\", dim3(g), dim3( b), (size_t)( 4), "
                  "::assay_solve::on( s), [=](auto... assay_arguments) { n::k<T, (a > b)> "
                  "(assay_arguments...); },x, f(y)); }");
    expect_launch(LAUNCH_ON_CPU, "k<<<g, b>>>(x, {1, 2});",
                  "::assay_solve::launch(\"k\", dim3(g), dim3( b), (size_t)(0), ::assay_solve::on(), "
                  "[=] { k(x, {1, 2}); });");
    expect_launch(LAUNCH_ON_CPU, "(*k)<<<g, b>>>();",
                  "::assay_solve::launch(\"(*k)\", dim3(g), dim3( b), (size_t)(0), ::assay_solve::on(), "
                  "[=](auto... assay_arguments) { (*k)(assay_arguments...); });");
}

/* At namespace scope by a macro, as the address is the running block's; lines keep their numbers. */
static void dynamic_shared_memory_is_declared(void **state)
{
    expect_launch(LAUNCH_ON_CPU, "void f() { extern __shared__ __align__(16) float s[]; }",
                  "void f() { ASSAY_DYNAMIC_SHARED(   float , s); }");
    expect_launch(
        LAUNCH_ON_CPU, "\nnamespace a { extern \"C\" {\nextern __shared__ int s[];\nint i; } }",
        "\nnamespace a { extern \"C\" {\n\n#define s (reinterpret_cast<  int  *>(assay_simt_current."
        "dynamic_shared))\n#line 3\n\nint i; } }");
    expect_launch(LAUNCH_ON_CPU, "extern int s[]; extern \"C\" void f();",
                  "extern int s[]; extern \"C\" void f();");
    expect_launch(LAUNCH_ON_STREAM, "extern __shared__ int s[];", "extern __shared__ int s[];");
}

/* No alignas may follow what __shared__ is on the CPU device. */
static void an_alignment_changes_its_place(void **state)
{
    expect_launch(LAUNCH_ON_CPU, "void f() { __shared__ alignas(sizeof(int) * 4) float s[4]; }",
                  "void f() { alignas(sizeof(int) * 4) __shared__ float s[4]; }");
    expect_launch(LAUNCH_ON_CPU, "__shared__ float s[4];", "__shared__ float s[4];");
    expect_launch(LAUNCH_ON_STREAM, "__shared__ alignas(16) int s;", "__shared__ alignas(16) int s;");
}

/* The types of a kernel's parameters are lost in a plain pointer. */
static void a_kernel_stays_a_function(void **state)
{
    expect_launch(LAUNCH_ON_CPU, "cudaLaunchKernel((const void *)k<1>, g, b, a);",
                  "cudaLaunchKernel(k<1>, g, b, a);");
    expect_launch(LAUNCH_ON_CPU, "cudaLaunchKernel(k, g, b, a);", "cudaLaunchKernel(k, g, b, a);");
    expect_launch(LAUNCH_ON_STREAM, "cudaLaunchKernel((void*)k, g, b, a);",
                  "cudaLaunchKernel((void*)k, g, b, a);");
}

static const char op_json[] =
    "{\"solve\": [{\"arguments\": [\"x\", \"out\", \"count\"], \"when\": [\"count > 0\"]},"
    " {\"arguments\": [\"x\", \"out\", \"rows\", \"columns\"]}]}";

typedef struct expectation {
    const char *text;
    int found, parameters;
    unsigned dtypes;
    int synchronises;
    assay_status status;
} expectation;

static void files_are_recognised(void **state)
{
    const unsigned f32 = 1u << ASSAY_F32, f16 = 1u << ASSAY_F16, bf16 = 1u << ASSAY_BF16;
    const expectation cases[] = {
        {"extern \"C\" void solve(const float *x, float *out, int n) {}", 1, 3, f32, 0, ASSAY_OK},
        {"extern \"C\" {\nvoid solve(half* x, __half* out, int n)\n{\n}\n}", 1, 3, f16, 0, ASSAY_OK},
        {"void solve(__nv_bfloat16 *x, void *out, long n) {cudaDeviceSynchronize();}", 1, 3, bf16, 0,
         ASSAY_OK},
        {"void solve(T *x, T *out, int r, int c) { cudaFuncSetAttribute(k, cudaFuncAttributeMax, 1); }", 1, 4,
         0, 0, ASSAY_OK},
        {"void solve(float *x, float *out, int n) { cudaMalloc(&x, 1); }", 1, 3, f32, 1, ASSAY_OK},
        {"void solve(float *x, float *out, int n) { cub::DeviceReduce::Sum(x); }", 1, 3, f32, 1, ASSAY_OK},
        {"void solve(float *x, float *out, int n) { thrust::copy(x); }", 1, 3, f32, 1, ASSAY_OK},
        {"void solve(float *x, float *out, int n) { cuLaunchKernel(x); }", 1, 3, f32, 1, ASSAY_OK},
        {"#include \"mine.cuh\"\nvoid solve(float *x, float *out, int n) {}", 1, 3, f32, 1, ASSAY_OK},
        {"#include <cuda_runtime.h>\nvoid solve(float *x, float *out, int n) { /* cudaMalloc */ }", 1, 3, f32,
         0, ASSAY_OK},
        {"void solve();\nint main() {} void solve(float *x, float *out, int n) {}", 1, 3, f32, 0, ASSAY_OK},
        {"void solve() {}", 1, 0, 0, 0, ASSAY_ERR_FORMAT},
        {"void solve(float *a, float *b) {}", 1, 2, f32, 0, ASSAY_ERR_FORMAT},
        {"void solve(float *x, float *out, int n);", 0, 0, 0, 0, ASSAY_OK},
        {"// void solve(float *x, float *out, int n) {}", 0, 0, 0, 0, ASSAY_OK},
        {"int solve(float *x, float *out, int n) {}", 0, 0, 0, 0, ASSAY_OK},
        {"void resolve(float *x, float *out, int n) {}", 0, 0, 0, 0, ASSAY_OK},
        {"void solve(float *x, float *out, int n) {} int op_run(const op_args *a) {}", 0, 0, 0, 0, ASSAY_OK},
        {"", 0, 0, 0, 0, ASSAY_OK},
    };
    char folder[256], path[300];
    make_folder(folder);
    write_text(folder, "op.json", op_json);
    opspec *spec = calloc(1, sizeof *spec);
    assert_non_null(spec);
    snprintf(spec->name, sizeof spec->name, "op");
    snprintf(spec->directory, sizeof spec->directory, "%s", folder);
    snprintf(path, sizeof path, "%s/k.cu", folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const expectation *e = &cases[i];
        int found;
        solve_source source;
        assay_error error = {0};
        write_text(folder, "k.cu", e->text);
        const assay_status status = solve_read(spec, path, &found, &source, &error);
        if (status != e->status || found != e->found || source.parameter_count != e->parameters ||
            source.dtypes != e->dtypes || source.synchronises != e->synchronises)
            fail_msg("%s: status %d, found %d, %d parameters, dtypes %x, synchronises %d (%s)", e->text,
                     status, found, source.parameter_count, source.dtypes, source.synchronises,
                     error.message);
        assert_true((source.form != NULL) == (e->found && e->status == ASSAY_OK));
        solve_release(&source);
    }
    free(spec);
    remove_folder(folder);
}

static void what_op_json_lacks_is_said(void **state)
{
    char folder[256], path[300];
    int found;
    solve_source source;
    assay_error error = {0};
    make_folder(folder);
    opspec *spec = calloc(1, sizeof *spec);
    assert_non_null(spec);
    snprintf(spec->name, sizeof spec->name, "op");
    snprintf(spec->directory, sizeof spec->directory, "%s", folder);
    snprintf(path, sizeof path, "%s/k.cu", folder);
    write_text(folder, "k.cu", "void solve(float *x) {}");
    write_text(folder, "op.json", op_json);
    assert_int_equal(solve_read(spec, path, &found, &source, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "solve() has 1 parameters; "));
    assert_non_null(strstr(error.message, "gives it 3 or 4"));
    solve_release(&source);
    error = (assay_error){0};
    write_text(folder, "op.json", "{}");
    assert_int_equal(solve_read(spec, path, &found, &source, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "has no key \"solve\""));
    solve_release(&source);
    free(spec);
    remove_folder(folder);
}

static void the_entry_point_calls_solve(void **state)
{
    static const char source_text[] = "void solve(float *x, float *out, int n) { k<<<1, n>>>(x); }";
    char folder[256], path[300], generated[300], *text;
    int found;
    solve_source source;
    make_folder(folder);
    opspec *spec = calloc(1, sizeof *spec);
    assert_non_null(spec);
    snprintf(spec->name, sizeof spec->name, "op");
    snprintf(spec->directory, sizeof spec->directory, "%s", folder);
    snprintf(path, sizeof path, "%s/k.cu", folder);
    snprintf(generated, sizeof generated, "%s/k.solve.cu", folder);
    write_text(folder, "op.json", op_json);
    write_text(folder, "k.cu", source_text);
    assert_int_equal(solve_read(spec, path, &found, &source, NULL), ASSAY_OK);
    for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
        assert_int_equal(solve_write(spec, &source, path, on_cpu, generated, NULL), ASSAY_OK);
        FILE *file = fopen(generated, "r");
        assert_non_null(file);
        text = calloc(1, 8192);
        assert_non_null(text);
        assert_true(fread(text, 1, 8191, file) > 0);
        fclose(file);
        assert_non_null(
            strstr(text, on_cpu ? "::assay_solve::launch(\"k\"" : "k<<<1, n, 0, ::assay_solve::on()>>>(x)"));
        assert_non_null(strstr(text, "if (!(args->count > 0))"));
        assert_non_null(strstr(text, "::assay_solve::call(stream, solve, args->x, args->out, args->count);"));
        free(text);
    }
    solve_release(&source);
    free(spec);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_literals_are_no_code),
        cmocka_unit_test(words_are_whole),
        cmocka_unit_test(launches_move_to_the_stream),
        cmocka_unit_test(what_is_no_launch_stays),
        cmocka_unit_test(the_cpu_device_gets_calls),
        cmocka_unit_test(dynamic_shared_memory_is_declared),
        cmocka_unit_test(an_alignment_changes_its_place),
        cmocka_unit_test(a_kernel_stays_a_function),
        cmocka_unit_test(files_are_recognised),
        cmocka_unit_test(what_op_json_lacks_is_said),
        cmocka_unit_test(the_entry_point_calls_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
