/* Strict .npy reader. The header is a Python dictionary literal; only its three keys in their one written form are
 * understood, so nothing is guessed. */
#include "verify/npy.h"
#include "core/json_file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 6 };

typedef struct header {
    const char *at, *end;
} header;

const char *npy_type_name(npy_type type)
{
    static const char *const names[] = {"<f4", "<f8", "<f2", "<u2"};
    return names[type];
}

size_t npy_type_bytes(npy_type type)
{
    static const size_t bytes[] = {4, 8, 2, 2};
    return bytes[type];
}

static void skip_space(header *h)
{
    while (h->at < h->end && isspace((unsigned char)*h->at))
        h->at++;
}

/* Consume `text` after white space; 0 if something else is there. */
static int accept(header *h, const char *text)
{
    const size_t length = strlen(text);
    skip_space(h);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, text, length) != 0)
        return 0;
    h->at += length;
    return 1;
}

static int read_descr(header *h, npy_type *type)
{
    for (int t = NPY_F4; t <= NPY_U2; t++) {
        char quoted[8] = {'\'', 0};
        strcat(quoted, npy_type_name((npy_type)t));
        strcat(quoted, "'");
        if (accept(h, quoted)) {
            *type = (npy_type)t;
            return 1;
        }
    }
    return 0;
}

static int read_dimension(header *h, int64_t *value)
{
    skip_space(h);
    if (h->at == h->end || !isdigit((unsigned char)*h->at))
        return 0;
    *value = 0;
    while (h->at < h->end && isdigit((unsigned char)*h->at)) {
        if (*value > (INT64_MAX - 9) / 10)
            return 0;
        *value = *value * 10 + (*h->at++ - '0');
    }
    return 1;
}

static int read_shape(header *h, npy_array *array)
{
    array->rank = 0;
    if (!accept(h, "("))
        return 0;
    while (!accept(h, ")")) {
        if (array->rank == ASSAY_MAX_RANK || !read_dimension(h, &array->shape[array->rank]))
            return 0;
        array->rank++;
        if (!accept(h, ",") && array->rank == 1)
            return 0; /* a tuple of one needs its comma */
    }
    return 1;
}

static int read_header(header *h, npy_array *array)
{
    int keys = 0;
    if (!accept(h, "{"))
        return 0;
    while (!accept(h, "}")) {
        if (accept(h, "'descr':") && read_descr(h, &array->type))
            keys |= 1;
        else if (accept(h, "'fortran_order':") && accept(h, "False"))
            keys |= 2;
        else if (accept(h, "'shape':") && read_shape(h, array))
            keys |= 4;
        else
            return 0;
        accept(h, ",");
    }
    skip_space(h);
    return keys == 7 && h->at == h->end;
}

/* Element count; 0 if it does not fit 63 bits. An empty dimension gives 0 elements whatever the others are. */
static int count_elements(npy_array *array)
{
    array->count = 1;
    for (int32_t d = 0; d < array->rank; d++)
        if (array->shape[d] == 0)
            array->count = 0;
    for (int32_t d = 0; d < array->rank && array->count > 0; d++) {
        if (array->count > INT64_MAX / 8 / array->shape[d])
            return 0;
        array->count *= array->shape[d];
    }
    return 1;
}

static assay_status parse(const char *path, const unsigned char *file, size_t bytes, npy_array *array,
                          assay_error *error)
{
    static const unsigned char magic[MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    if (bytes < MAGIC_BYTES + 4 || memcmp(file, magic, MAGIC_BYTES) != 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: not a .npy file", path);
    const int major = file[6];
    size_t length, start;
    if (major == 1) {
        length = (size_t)file[8] | (size_t)file[9] << 8;
        start = 10;
    } else if (major == 2 && bytes >= 12) {
        length = (size_t)file[8] | (size_t)file[9] << 8 | (size_t)file[10] << 16 | (size_t)file[11] << 24;
        start = 12;
    } else {
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: .npy version %d; versions 1 and 2 are read",
                               path, major);
    }
    if (bytes - start < length)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: truncated in its header", path);
    header h = {(const char *)file + start, (const char *)file + start + length};
    if (!read_header(&h, array) || !count_elements(array))
        return assay_error_set(
            error, ASSAY_ERR_FORMAT,
            "%s: header is not C order of '<f4', '<f8', '<f2' or '<u2' with up to %d dimensions", path,
            ASSAY_MAX_RANK);
    const size_t need = (size_t)array->count * npy_type_bytes(array->type), have = bytes - start - length;
    if (need != have)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %zu bytes of data, its header says %zu", path,
                               have, need);
    array->data = malloc(need + 1);
    if (!array->data)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "%s: no memory for %zu bytes", path, need);
    memcpy(array->data, file + start + length, need);
    return ASSAY_OK;
}

assay_status npy_read(const char *path, npy_array *array, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    *array = (npy_array){0};
    assay_status status = text_file_read(path, &text, &bytes, error);
    if (status == ASSAY_OK)
        status = parse(path, (const unsigned char *)text, bytes, array, error);
    free(text);
    return status;
}

void npy_release(npy_array *array)
{
    free(array->data);
    *array = (npy_array){0};
}
