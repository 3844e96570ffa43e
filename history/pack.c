/* Deflating texts and samples: see pack.h. */
#include "history/pack.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* Four bytes of length in front, so that unpacking needs no guess. Level 1: the gain of more is a few percent, the cost several times. */
assay_status pack_text(const char *text, size_t bytes, pack_bytes *out, assay_error *error)
{
    *out = (pack_bytes){0};
    uLongf size = compressBound((uLong)bytes);
    unsigned char *data = bytes < UINT32_MAX ? malloc(size + 4) : NULL;
    if (!data || compress2(data + 4, &size, (const Bytef *)text, (uLong)bytes, 1) != Z_OK) {
        free(data);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory to pack %zu bytes", bytes);
    }
    put_u32(data, (uint32_t)bytes);
    *out = (pack_bytes){data, size + 4};
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

typedef struct byte_buffer {
    unsigned char *data;
    size_t size, capacity;
    int failed;
} byte_buffer;

static void put_byte(byte_buffer *b, unsigned char byte)
{
    if (b->size == b->capacity) {
        const size_t capacity = b->capacity ? 2 * b->capacity : 1024;
        unsigned char *grown = realloc(b->data, capacity);
        b->failed |= grown == NULL;
        if (!grown)
            return;
        b->data = grown;
        b->capacity = capacity;
    }
    b->data[b->size++] = byte;
}

/* Seven bits a byte, least first. */
static void put_number(byte_buffer *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(b, (unsigned char)(value | 0x80));
    put_byte(b, (unsigned char)value);
}

static uint64_t get_number(const unsigned char **at, const unsigned char *end)
{
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static void put_values(byte_buffer *b, const json_t *values)
{
    int64_t last = 0;
    put_number(b, json_array_size(values));
    for (size_t i = 0; i < json_array_size(values); i++) {
        const int64_t ns = llround(json_number_value(json_array_get(values, i)) * 1e3), step = ns - last;
        put_number(b, (uint64_t)step << 1 ^ (uint64_t)(step >> 63)); /* the sign goes to the lowest bit */
        last = ns;
    }
}

static json_t *get_values(const unsigned char **at, const unsigned char *end)
{
    json_t *values = json_array();
    int64_t ns = 0;
    for (uint64_t left = get_number(at, end); left > 0 && *at < end; left--) {
        const uint64_t step = get_number(at, end);
        ns += (int64_t)(step >> 1) ^ -(int64_t)(step & 1);
        json_array_append_new(values, json_real((double)ns * 1e-3));
    }
    return values;
}

static const char *const array_names[] = {"samples_us", "quantiles_us"};

assay_status pack_samples(json_t *figure, pack_bytes *out, assay_error *error)
{
    byte_buffer b = {0};
    json_t *repetitions = json_object_get(figure, "repetitions"), *repetition;
    size_t i;
    int arrays = 0;
    *out = (pack_bytes){0};
    const int quantiles = !json_object_get(json_array_get(repetitions, 0), array_names[0]);
    put_byte(&b, (unsigned char)quantiles);
    json_array_foreach(repetitions, i, repetition)
    {
        const json_t *values = json_object_get(repetition, array_names[quantiles]);
        arrays += json_array_size(values) > 0;
        put_values(&b, values);
        json_object_del(repetition, array_names[quantiles]);
    }
    assay_status status = ASSAY_OK;
    if (b.failed)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory to pack samples");
    else if (arrays > 0)
        status = pack_text((const char *)b.data, b.size, out, error);
    free(b.data);
    return status;
}

assay_status unpack_samples(const void *data, size_t size, json_t *figure, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0, i;
    json_t *repetition;
    const assay_status status = unpack_text(data, size, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    const unsigned char *at = (unsigned char *)text, *const end = at + bytes;
    const char *name = array_names[at < end && *at++ == 1];
    json_array_foreach(json_object_get(figure, "repetitions"), i, repetition)
        json_object_set_new(repetition, name, get_values(&at, end));
    free(text);
    return ASSAY_OK;
}
