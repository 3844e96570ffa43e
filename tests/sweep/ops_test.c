/* The distributions of the ops of this tree: on both kinds of devices there are shapes of every family. Usage: the workspace's ops, as
 * arguments; none: all. */
#include "tests/unit.h"
#include "core/workspace.h"
#include "sweep/draw.h"

enum { SHAPES = 60 };

static void check_family(const workspace_op *op, const assay_op_impl *impl, const char *device,
                         const char *family)
{
    shape_list list = {0};
    assay_error error = {0};
    if (draw_shapes(op->spec, impl, device, family, 1, SHAPES, &list, &error) != ASSAY_OK)
        fail_msg("%s on %s: %s", family, device, error.message);
    if (list.count < SHAPES / 4)
        fail_msg("%s: family %s has only %d different shapes on %s", op->spec->name, family, list.count,
                 device);
    shape_list_release(&list);
}

static void every_family_has_shapes(void **state)
{
    workspace *ws;
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    for (int i = 0; i < ws->op_count; i++) {
        const assay_op_impl *impl;
        const opspec_sweep *sweep = ws->ops[i].spec->sweep;
        if (workspace_load_impl(&ws->ops[i], &impl, &error) != ASSAY_OK)
            fail_msg("%s", error.message);
        assert_non_null(sweep);
        for (int f = 0; f < sweep->family_count; f++) {
            check_family(&ws->ops[i], impl, "cpu", sweep->families[f].name);
            check_family(&ws->ops[i], impl, "cuda", sweep->families[f].name);
        }
    }
    workspace_close(ws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_family_has_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
