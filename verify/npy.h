/* Reader of NumPy's .npy files, versions 1 and 2: little-endian f4, f8, f2 and u2, C order. Anything else, and any file
 * that is shorter or longer than its header says, is an error that names the file. Format: numpy.lib.format (NEP 1). */
#ifndef ASSAY_VERIFY_NPY_H
#define ASSAY_VERIFY_NPY_H

#include <assay/dtype.h>
#include <assay/op.h>

typedef enum npy_type { NPY_F4, NPY_F8, NPY_F2, NPY_U2 } npy_type;

typedef struct npy_array {
    npy_type type;
    int32_t rank;
    int64_t shape[ASSAY_MAX_RANK];
    int64_t count;
    void *data; /* malloc'ed, never NULL */
} npy_array;

/* ASSAY_ERR_IO: cannot be read; ASSAY_ERR_FORMAT: not such a file. Free with npy_release. */
assay_status npy_read(const char *path, npy_array *array, assay_error *error);
void npy_release(npy_array *array);

const char *npy_type_name(npy_type type);
size_t npy_type_bytes(npy_type type);

#endif
