/* The .npy reader: the forms it takes, and that every broken file is an error that says what is wrong. */
#include "tests/unit.h"
#include "verify/npy.h"
#include <unistd.h>

static char path[64];

/* Write magic, version, header length and text, then `data_bytes` bytes counting up; cut to `keep` bytes if that is less. */
static void write_file(int version, const char *header, size_t data_bytes, size_t keep)
{
    unsigned char file[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
    const size_t length = strlen(header), start = version == 1 ? 10 : 12;
    for (size_t i = 0; i < start - 8; i++)
        file[8 + i] = (unsigned char)(length >> (8 * i));
    memcpy(file + start, header, length);
    for (size_t i = 0; i < data_bytes; i++)
        file[start + length + i] = (unsigned char)i;
    const size_t total = start + length + data_bytes;
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file, 1, keep < total ? keep : total, out), keep < total ? keep : total);
    fclose(out);
}

static void reads(int version, const char *header, size_t bytes, npy_type type, int rank, int64_t count)
{
    npy_array array;
    write_file(version, header, bytes, SIZE_MAX);
    assert_int_equal(npy_read(path, &array, NULL), ASSAY_OK);
    assert_int_equal(array.type, type);
    assert_int_equal(array.rank, rank);
    assert_int_equal(array.count, count);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(((unsigned char *)array.data)[i], i);
    npy_release(&array);
    assert_null(array.data);
}

static void fails(const char *fragment)
{
    npy_array array;
    assay_error error = {0};
    assert_int_equal(npy_read(path, &array, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, path));
    if (!strstr(error.message, fragment))
        print_message("got: %s\n", error.message);
    assert_non_null(strstr(error.message, fragment));
    npy_release(&array);
}

static void reads_the_four_types_and_both_versions(void **state)
{
    reads(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24, NPY_F4, 2, 6);
    reads(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", 16, NPY_F8, 1, 2);
    reads(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2, 2), }\n", 8, NPY_F2, 3, 4);
    reads(1, "{'shape': (3,), 'fortran_order': False, 'descr': '<u2'}", 6, NPY_U2, 1, 3);
}

static void scalars_and_empty_arrays(void **state)
{
    reads(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, NPY_F4, 0, 1);
    reads(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n", 0, NPY_F4, 1, 0);
    reads(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (900000000000000000, 0), }\n", 0, NPY_F8, 2,
          0);
}

static void truncation_anywhere_is_an_error(void **state)
{
    const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    const size_t total = 10 + strlen(header) + 24;
    for (size_t keep = 0; keep < total; keep++) {
        write_file(1, header, 24, keep);
        fails(keep < 10           ? "not a .npy file"
              : keep < total - 24 ? "truncated in its header"
                                  : "its header says 24");
    }
}

static void trailing_bytes_are_an_error(void **state)
{
    write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 9, SIZE_MAX);
    fails("9 bytes of data, its header says 8");
}

static void other_forms_are_refused(void **state)
{
    static const char *const headers[] = {
        "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }\n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4000000000, 4000000000), }\n",
        "{'descr': '<f4', 'fortran_order': False, }\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x\n",
        "",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        write_file(1, headers[i], 4, SIZE_MAX);
        fails("header is not C order");
    }
    write_file(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", 4, SIZE_MAX);
    fails("version 3");
}

static void a_missing_file_is_an_io_error(void **state)
{
    npy_array array;
    assert_int_equal(npy_read("/nonexistent/x.npy", &array, NULL), ASSAY_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_four_types_and_both_versions),
        cmocka_unit_test(scalars_and_empty_arrays),
        cmocka_unit_test(truncation_anywhere_is_an_error),
        cmocka_unit_test(trailing_bytes_are_an_error),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(a_missing_file_is_an_io_error),
    };
    snprintf(path, sizeof path, "/tmp/assay-test-npy-%ld", (long)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
