/* Edge cases that no one lists (drawn.h), and which extras a kernel from outside claims by its text
 * (claims.h). */
#include "tests/unit.h"
#include "core/json_file.h"
#include "verify/claims.h"
#include "verify/drawn.h"
#include <math.h>
#include <unistd.h>

static const char *ops; /* the folder of the tree's ops */

static opspec *load(const char *op)
{
    char folder[4200];
    opspec *spec = NULL;
    snprintf(folder, sizeof folder, "%s/%s", ops, op);
    assert_int_equal(opspec_load(folder, &spec, NULL), ASSAY_OK);
    return spec;
}

static double drawn(const opspec *spec, uint64_t seed, int combination, int round, const char *name,
                    int *once)
{
    opspec_edge edge = {.once = 0};
    drawn_parameters(spec, seed, combination, round, &edge);
    *once = edge.once;
    for (int i = 0; i < edge.param_count; i++)
        if (strcmp(edge.params[i].name, name) == 0)
            return edge.params[i].real;
    fail();
    return 0;
}

static void parameters_are_drawn_and_put_beside_values_of_their_own(void **state)
{
    opspec *spec = load("matmul_bias_act");
    int once;
    assert_int_equal(drawn_combinations(spec), 4);
    for (int c = 0; c < 4; c++) {
        const double any = drawn(spec, 3, c, DRAWN_ANY, "negative_slope", &once);
        assert_true(any > -4 && any < 4 && any != drawn(spec, 4, c, DRAWN_ANY, "negative_slope", &once));
        assert_false(once);
        assert_true(drawn(spec, 3, c, DRAWN_SMALLEST, "negative_slope", &once) == -4);
        assert_true(drawn(spec, 3, c, DRAWN_LARGEST, "negative_slope", &once) == 4);
        const double beside = drawn(spec, 3, c, DRAWN_BESIDE_DEFAULT, "negative_slope", &once);
        assert_true(once && beside > 0.01 && beside < 0.0101);
        const double tiny = drawn(spec, 3, c, DRAWN_BESIDE_ZERO, "negative_slope", &once);
        assert_true(once && tiny != 0 && fabs(tiny) < 0.004);
    }
    opspec_free(spec);
    spec = load("layernorm"); /* its eps may not be 0 */
    assert_true(drawn(spec, 3, 0, DRAWN_BESIDE_ZERO, "eps", &once) >= 1e-12);
    opspec_free(spec);
    spec = load("transpose");
    assert_int_equal(drawn_combinations(spec), 0);
    opspec_free(spec);
}

/* How many edge cases of extras the text claims. */
static int claimed(const opspec *spec, const char *text)
{
    char path[] = "/tmp/assay-claims-XXXXXX";
    const int file = mkstemp(path);
    int count = 0;
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const uint64_t read = claims_read(spec, path);
    unlink(path);
    for (int i = 0; i < spec->edge_count; i++)
        count += claims_edge(spec, &spec->edges[i], read);
    return count;
}

static void what_a_kernel_reads_it_claims(void **state)
{
    opspec *spec = load("matmul");
    const int batched = claimed(spec, "int64_t z = args->batch;"),
              turned = claimed(spec, "f(args.transpose_a, args . transpose_b);"),
              all = claimed(spec, "a.batch a.transpose_a a.transpose_b a.padding_a a.padding_b");
    assert_true(batched > 0 && turned > 0 && all > batched + turned);
    assert_int_equal(
        claimed(spec, "// args->batch\nconst char *s = \"args->batch\"; int batch, mybatch; a->batches;"), 0);
    assert_int_equal(claimed(spec, "a->k a->m"), 0);
    opspec_free(spec);
    spec = load("layernorm"); /* eps is not an extra's own */
    assert_int_equal(claimed(spec, "args->eps"), 0);
    assert_true(claimed(spec, "args->row_padding") > 0);
    assert_int_equal(claims_read(spec, "/nonexistent.cu"), 0);
    opspec_free(spec);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_drawn_and_put_beside_values_of_their_own),
        cmocka_unit_test(what_a_kernel_reads_it_claims),
    };
    if (argc != 2)
        return 2;
    ops = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
