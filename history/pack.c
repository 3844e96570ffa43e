/* Deflating texts and samples: see pack.h. */
#include "history/pack.h"
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

void pack_release(pack_bytes *bytes)
{
    free(bytes->data);
    *bytes = (pack_bytes){0};
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

/* One call of deflate with a window no larger than the text: zlib's own compress() clears a quarter of a megabyte for each text of a
 * few kilobytes, which takes longer than packing it. Level 1: the gain of more is a few percent, the cost several times. */
static assay_status open_deflate(z_stream *z, size_t bytes)
{
    enum { LEAST_BITS = 9, MOST_BITS = 15, BITS_ABOVE_MEMORY = 7 };
    int bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < bytes)
        bits++;
    *z = (z_stream){0};
    return deflateInit2(z, 1, Z_DEFLATED, bits, bits - BITS_ABOVE_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK
               ? ASSAY_OK
               : ASSAY_ERR_NO_MEMORY;
}

/* Four bytes of length in front, so that unpacking needs no guess. */
assay_status pack_text(const char *text, size_t bytes, pack_bytes *out, assay_error *error)
{
    z_stream z;
    unsigned char *data = NULL;
    int done = 0;
    *out = (pack_bytes){0};
    if (bytes < UINT32_MAX / 2 && open_deflate(&z, bytes) == ASSAY_OK) {
        const uLong most = deflateBound(&z, (uLong)bytes);
        data = malloc(most + 4);
        z.next_in = (z_const Bytef *)text, z.avail_in = (uInt)bytes;
        z.next_out = data ? data + 4 : NULL, z.avail_out = (uInt)most;
        done = data != NULL && deflate(&z, Z_FINISH) == Z_STREAM_END;
        *out = (pack_bytes){data, z.total_out + 4};
        deflateEnd(&z);
    }
    if (!done) {
        pack_release(out);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory to pack %zu bytes", bytes);
    }
    put_u32(data, (uint32_t)bytes);
    return ASSAY_OK;
}

assay_status unpack_text(const void *data, size_t size, char **text, size_t *bytes, assay_error *error)
{
    const unsigned char *from = data;
    *text = NULL;
    if (size < 4)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "a packed text of the history is damaged");
    uLongf length = from[0] | (uLongf)from[1] << 8 | (uLongf)from[2] << 16 | (uLongf)from[3] << 24;
    char *out = malloc(length + 1);
    if (!out)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory to unpack %lu bytes",
                               (unsigned long)length);
    if (uncompress((Bytef *)out, &length, from + 4, (uLong)(size - 4)) != Z_OK) {
        free(out);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "a packed text of the history is damaged");
    }
    out[length] = '\0';
    *text = out;
    *bytes = length;
    return ASSAY_OK;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

enum { NO_VALUES, SAMPLES, QUANTILES, LONGEST_NUMBER = 10 };

/* Seven bits a byte, least first. */
static unsigned char *put_number(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

typedef struct byte_reader {
    const unsigned char *at, *end;
} byte_reader;

static uint64_t get_number(byte_reader *in)
{
    uint64_t value = 0;
    for (int shift = 0; in->at < in->end && shift < 64; shift += 7) {
        const unsigned char byte = *in->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static unsigned char *put_values(unsigned char *at, int kind, const double *us, int count)
{
    int64_t last = 0;
    at = put_number(at, (uint64_t)kind);
    at = put_number(at, (uint64_t)count);
    for (int i = 0; i < count; i++) { /* the difference's sign in the lowest bit */
        const int64_t ns = llround(us[i] * 1e3), difference = ns - last;
        at = put_number(at, ((uint64_t)difference << 1) ^ (uint64_t)(difference >> 63));
        last = ns;
    }
    return at;
}

static double *get_values(byte_reader *in, result *r, int count)
{
    double *us = result_alloc(r, (size_t)count * sizeof *us);
    int64_t last = 0;
    for (int i = 0; us && i < count; i++) {
        const uint64_t number = get_number(in);
        last += (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
        us[i] = (double)last * 1e-3;
    }
    return us;
}

static size_t most_bytes(const result *r)
{
    size_t numbers = 1;
    for (int mode = 0; mode < TIMING_MODES; mode++)
        for (int i = 0; i < r->times[mode].repetition_count; i++)
            numbers += 2 + (size_t)(r->times[mode].repetitions[i].sample_count +
                                    r->times[mode].repetitions[i].quantile_count);
    return numbers * LONGEST_NUMBER;
}

assay_status pack_samples(const result *r, pack_bytes *out, assay_error *error)
{
    unsigned char *raw = malloc(most_bytes(r)), *at = raw;
    *out = (pack_bytes){0};
    if (!raw)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the samples of a result");
    for (int mode = 0; mode < TIMING_MODES; mode++)
        for (int i = 0; i < r->times[mode].repetition_count; i++) {
            const result_repetition *repetition = &r->times[mode].repetitions[i];
            if (repetition->samples_us)
                at = put_values(at, SAMPLES, repetition->samples_us, repetition->sample_count);
            else if (repetition->quantile_count > 0)
                at = put_values(at, QUANTILES, repetition->quantiles_us, repetition->quantile_count);
            else
                at = put_values(at, NO_VALUES, NULL, 0);
        }
    const assay_status status = pack_text((const char *)raw, (size_t)(at - raw), out, error);
    free(raw);
    return status;
}

/* 0: damaged. */
static int get_repetition(byte_reader *in, result *r, result_repetition *repetition)
{
    const uint64_t kind = get_number(in), count = get_number(in);
    if (kind > QUANTILES || count > (uint64_t)(in->end - in->at))
        return 0;
    double *values = get_values(in, r, (int)count);
    if (kind == SAMPLES)
        repetition->samples_us = values, repetition->sample_count = (int)count;
    else if (kind == QUANTILES)
        repetition->quantiles_us = values, repetition->quantile_count = (int)count;
    return 1;
}

assay_status unpack_samples(const void *data, size_t size, result *r, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    assay_status status = unpack_text(data, size, &text, &bytes, error);
    byte_reader in = {(unsigned char *)text, (unsigned char *)text + bytes};
    for (int mode = 0; status == ASSAY_OK && mode < TIMING_MODES; mode++)
        for (int i = 0; status == ASSAY_OK && i < r->times[mode].repetition_count; i++)
            if (!get_repetition(&in, r, &r->times[mode].repetitions[i]))
                status = assay_error_set(error, ASSAY_ERR_FORMAT, "samples of the history are damaged");
    free(text);
    if (status == ASSAY_OK && r->no_memory)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the samples of a result");
    return status;
}
