/* Compares the PTX device with the values that were recorded on a GPU (RECORD.md). Exit status 77: nothing is recorded.
 * usage: truth_test FILE [CASE]      with a case: all its rows that differ, not only the first ones */
#include "device/ptx/ptx.h"
#include "truth.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 }; /* rows of a case */

typedef struct totals {
    size_t cases, values, differ, unknown, refused, stale;
} totals;

/* What kernels get: operands, results, scratch memory, and of some cases a tensor map over the operands. */
typedef struct parameters {
    ptx_address memory[3];
    _Alignas(64) unsigned char map[128];
} parameters;

static ptx_status encode_map(const truth_case *c, parameters *p, ptx_error *error)
{
    truth_map m;
    if (!truth_map_of(c, &m))
        return PTX_OK;
    const ptx_tensor_map map = {.im2col = m.rank == 4,
                                .data_type = m.type,
                                .rank = m.rank,
                                .address = p->memory[0],
                                .dims = {m.dims[0], m.dims[1], m.dims[2], m.dims[3]},
                                .strides = {m.strides[0], m.strides[1], m.strides[2]},
                                .box = {m.box[0], m.box[1]},
                                .channels = m.box[0],
                                .pixels = m.box[1],
                                .lower = {m.corners[0], m.corners[0]},
                                .upper = {m.corners[1], m.corners[1]},
                                .element_strides = {1, 1, 1, 1},
                                .swizzle = m.swizzle,
                                .oob_nan = m.fill};
    return ptx_tensor_map_encode(&map, p->map, error);
}

/* Results as the device computes them (the caller frees), or NULL with the reason in `error`, and in `found` what the launch found, if
 * there was one. */
static uint64_t *run(const truth_case *c, const uint64_t *operands, ptx_finding_kind *found, ptx_error *error)
{
    const size_t results = (size_t)(c->outs * c->rows);
    ptx_device *device = NULL;
    ptx_module *module = NULL;
    parameters given = {0};
    ptx_address *memory = given.memory;
    uint64_t *values = NULL;
    *found = PTX_FOUND_NOTHING;
    char *text = truth_text(c, 1);
    const uint64_t bytes[3] = {8u * (uint64_t)(c->ins * c->rows) + 8, 8 * results, 16u * (uint64_t)c->rows};
    if (ptx_device_open(NULL, &device, error) != PTX_OK ||
        ptx_module_load(device, text, strlen(text), c->name, &module, error) != PTX_OK)
        goto end;
    for (int k = 0; k < 3; k++)
        if (ptx_alloc(device, bytes[k], NULL, &memory[k], error) != PTX_OK ||
            ptx_fill(device, memory[k], 0, 1, bytes[k], error) != PTX_OK)
            goto end;
    if (ptx_copy_in(device, memory[0], operands, bytes[0] - 8, error) != PTX_OK && c->ins)
        goto end;
    if (encode_map(c, &given, error) != PTX_OK)
        goto end;
    const ptx_launch launch = {.function = ptx_module_function(module, "c0"),
                               .grid = {(uint32_t)(c->rows / BLOCK), 1, 1},
                               .block = {BLOCK, 1, 1},
                               .params = &given,
                               .threads = 1,
                               .limit_seconds = 20};
    ptx_report *report;
    if (ptx_launch_run(&launch, &report) == PTX_OK) {
        values = calloc(results, sizeof *values);
        if (!values)
            abort();
        ptx_copy_out(device, values, memory[1], 8 * results, error);
    } else {
        snprintf(error->text, sizeof error->text, "%.1000s", report->text);
        *found = report->finding_count ? report->findings[0].kind : PTX_FOUND_NOTHING;
    }
    ptx_report_free(report);
end:
    free(text);
    if (module)
        ptx_module_free(module);
    if (device)
        ptx_device_close(device);
    return values;
}

static bool is_stale(const truth_case *c, const truth_record *r, const uint64_t *operands, totals *t)
{
    if (truth_hash(c, operands) == r->hash && r->rows == c->rows && (r->refused || r->outs == c->outs))
        return false;
    printf("%s: the case was changed since it was recorded; record again\n", c->name);
    t->stale++;
    return true;
}

/* What the card took for an illegal instruction is one here, too; another failure is no refusal. */
static void expect_refusal(const truth_case *c, const truth_record *r, totals *t)
{
    ptx_error error = {0};
    ptx_finding_kind found = PTX_FOUND_NOTHING;
    uint64_t *operands = truth_operands(c), *values = NULL;
    const bool stale = is_stale(c, r, operands, t);
    if (!stale && (values = run(c, operands, &found, &error))) {
        printf("%s: the card refuses this, and it runs here\n", c->name);
        t->differ++;
    } else if (!stale && found != PTX_FOUND_ILLEGAL) {
        printf("%s: the card refuses this, and here it fails otherwise: %s\n", c->name, error.text);
        t->unknown++;
    }
    t->refused++;
    free(operands);
    free(values);
}

static void show_row(const truth_case *c, const uint64_t *operands, int row, int result, uint64_t recorded,
                     uint64_t got)
{
    printf("  row %d:", row);
    for (int k = 0; k < c->ins; k++)
        printf(" %#llx", (unsigned long long)operands[k * c->rows + row]);
    printf(" -> result %d is %#llx, recorded %#llx\n", result, (unsigned long long)got,
           (unsigned long long)recorded);
}

static void compare(const truth_case *c, const truth_record *r, int shown, totals *t)
{
    uint64_t *operands = truth_operands(c), *values = NULL;
    ptx_error error = {0};
    ptx_finding_kind found;
    int differ = 0;
    if (!is_stale(c, r, operands, t) && !(values = run(c, operands, &found, &error))) {
        printf("%s: %s\n", c->name, error.text);
        t->unknown++;
    }
    for (int i = 0; values && i < c->rows * c->outs; i++) {
        if (truth_same(c->out[i / c->rows], c->compare, r->values[i], values[i]))
            continue;
        if (differ++ == 0)
            printf("%s differs (%s):\n", c->name, c->compare);
        if (differ <= shown)
            show_row(c, operands, i % c->rows, i / c->rows, r->values[i], values[i]);
    }
    if (differ)
        printf("  %d of %d values differ\n", differ, c->rows * c->outs);
    t->cases++;
    t->differ += differ != 0;
    t->values += (size_t)(c->rows * c->outs);
    free(operands);
    free(values);
}

static const truth_record *find(const truth_file *file, const char *name, size_t hint)
{
    if (hint < file->count && strcmp(file->records[hint].name, name) == 0)
        return &file->records[hint];
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->records[i].name, name) == 0)
            return &file->records[i];
    return NULL;
}

int main(int argc, char **argv)
{
    truth_file file;
    size_t count, missing = 0;
    totals t = {0};
    if (argc < 2 || argc > 3)
        return fprintf(stderr, "usage: truth_test FILE [CASE]\n"), 2;
    const int read = truth_file_read(argv[1], &file);
    if (read == 1)
        return printf("skipped: no values were recorded on a GPU: %s\n", argv[1]), 77;
    if (read)
        return 3;
    truth_case *cases = truth_cases(&count);
    for (size_t i = 0; i < count; i++) {
        const truth_record *r = find(&file, cases[i].name, i);
        if (argc == 3 && strcmp(cases[i].name, argv[2]) != 0)
            continue;
        if (!r)
            missing++;
        else if (r->refused)
            expect_refusal(&cases[i], r, &t);
        else
            compare(&cases[i], r, argc == 3 ? cases[i].rows : SHOWN, &t);
    }
    printf("%zu cases, %zu values recorded on %s: %zu cases differ, %zu unknown here, %zu changed since, %zu "
           "not recorded, %zu refused "
           "by the card\n",
           t.cases, t.values, file.source, t.differ, t.unknown, t.stale, missing, t.refused);
    truth_file_free(&file);
    free(cases);
    return t.differ || t.unknown || t.stale ? 1 : 0;
}
