/* Texture objects, and fetches from them: nearest and linear filters, address modes, values as they are or normalised. */
#include "device/ptx/texture.h"
#include "device/ptx/half.h"
#include "device/ptx/opcodes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Handles are numbers that are no addresses. */
#define FIRST_HANDLE 0x7e870000ull

ptx_status ptx_texture_create(ptx_device *d, const ptx_texture *t, uint64_t *handle, ptx_error *error)
{
    const bool channels = t->channels == 1 || t->channels == 2 || t->channels == 4;
    if (!channels || (t->bits != 8 && t->bits != 16 && t->bits != 32) || t->width == 0)
        return ptx_fail(error, PTX_WRONG_USE, "a texture of %u elements with %d channels of %d bits",
                        t->width, t->channels, t->bits);
    pthread_mutex_lock(&d->lock);
    size_t k = 0;
    while (k < d->texture_count && d->textures[k].live)
        k++;
    if (k == d->texture_count) {
        texture_record *grown = realloc(d->textures, (k + 1) * sizeof *grown);
        if (!grown) {
            pthread_mutex_unlock(&d->lock);
            return ptx_fail(error, PTX_NO_MEMORY, "no memory for a texture");
        }
        d->textures = grown;
        d->texture_count++;
    }
    d->textures[k] = (texture_record){*t, true};
    *handle = FIRST_HANDLE + k;
    pthread_mutex_unlock(&d->lock);
    return PTX_OK;
}

void ptx_texture_free(ptx_device *d, uint64_t handle)
{
    pthread_mutex_lock(&d->lock);
    if (handle - FIRST_HANDLE < d->texture_count)
        d->textures[handle - FIRST_HANDLE].live = false;
    pthread_mutex_unlock(&d->lock);
}

static bool find(ptx_device *d, uint64_t handle, ptx_texture *out)
{
    pthread_mutex_lock(&d->lock);
    const bool live = handle - FIRST_HANDLE < d->texture_count && d->textures[handle - FIRST_HANDLE].live;
    if (live)
        *out = d->textures[handle - FIRST_HANDLE].is;
    pthread_mutex_unlock(&d->lock);
    return live;
}

/* An index within [0, size) by the address mode, or -1: outside of a border. */
static int64_t wrap(int64_t at, int64_t size, int mode)
{
    if (at >= 0 && at < size)
        return at;
    switch (mode) {
    case 0:
        return (at % size + size) % size;
    case 1:
        return at < 0 ? 0 : size - 1;
    case 2: {
        const int64_t m = (at % (2 * size) + 2 * size) % (2 * size);
        return m < size ? m : 2 * size - 1 - m;
    }
    default:
        return -1;
    }
}

typedef struct texel {
    uint32_t raw[4];
    float real[4];
} texel;

static bool read_texel(warp *w, const insn *i, uint32_t lane, const ptx_texture *t, int64_t x, int64_t y,
                       texel *out)
{
    memset(out, 0, sizeof *out);
    x = wrap(x, t->width, t->address_mode[0]);
    y = t->height ? wrap(y, t->height, t->address_mode[1]) : 0;
    if (x < 0 || y < 0)
        return true;
    const uint32_t bytes = (uint32_t)t->bits / 8;
    const uint64_t address =
        t->address + (uint64_t)y * t->pitch + (uint64_t)x * bytes * (uint32_t)t->channels;
    const char *p = lane_pointer(w, i, lane, SPACE_GLOBAL, address, bytes * (uint32_t)t->channels, false);
    if (!p)
        return false;
    for (int c = 0; c < t->channels; c++) {
        uint32_t v = 0;
        memcpy(&v, p + (uint32_t)c * bytes, bytes);
        if (t->kind == 0)
            v = (uint32_t)((int32_t)(v << (32 - t->bits)) >> (32 - t->bits));
        if (t->kind == 2)
            out->real[c] = t->bits == 16 ? half_to_f32((uint16_t)v) : bits_float(v);
        else if (t->normalized_values)
            out->real[c] = t->kind == 0 ? fmaxf((float)(int32_t)v / (float)((1u << (t->bits - 1)) - 1), -1.0f)
                                        : (float)v / (float)((1ull << t->bits) - 1);
        out->raw[c] = t->kind == 2 || t->normalized_values ? float_bits(out->real[c]) : v;
    }
    return true;
}

/* Linear filter with weights of 8 bits, as the hardware has them. */
static bool filter(warp *w, const insn *i, uint32_t lane, const ptx_texture *t, float x, float y, texel *out)
{
    const float xb = x - 0.5f, yb = t->height ? y - 0.5f : 0;
    const int64_t x0 = (int64_t)floorf(xb), y0 = (int64_t)floorf(yb);
    const float fx = rintf((xb - floorf(xb)) * 256) / 256, fy = rintf((yb - floorf(yb)) * 256) / 256;
    float sum[4] = {0};
    for (int k = 0; k < 4; k++) {
        texel part;
        const float weight = (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy);
        if (weight == 0)
            continue;
        if (!read_texel(w, i, lane, t, x0 + (k & 1), y0 + (k >> 1), &part))
            return false;
        for (int c = 0; c < 4; c++)
            sum[c] += weight * part.real[c];
    }
    for (int c = 0; c < 4; c++)
        out->raw[c] = float_bits(sum[c]);
    return true;
}

static const insn *run_tex(warp *w, const insn *i, uint32_t m)
{
    const operand *list = w->lists + i->list;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        ptx_texture t;
        const uint64_t handle = ((const uint64_t *)(w->base[i->a & 1] + (i->a & ~1u)))[lane];
        if (!find(w->launch->device, handle, &t))
            return found(w, i, 1u << lane, PTX_FOUND_ILLEGAL, handle, "%#llx is no texture object",
                         (unsigned long long)handle);
        const operand coordinates[2] = {i->b, i->c};
        float at[2] = {0};
        int64_t whole[2] = {0};
        for (uint32_t k = 0; k < i->sub; k++) {
            const uint32_t v =
                ((const uint32_t *)(w->base[coordinates[k] & 1] + (coordinates[k] & ~1u)))[lane];
            at[k] = i->from == TYPE_s32 ? (float)(int32_t)v : bits_float(v);
            if (t.normalized_coords && i->from == TYPE_f32)
                at[k] *= (float)(k ? t.height : t.width);
            whole[k] = i->from == TYPE_s32 ? (int32_t)v : (int64_t)floorf(at[k]);
        }
        texel value;
        const bool linear = t.linear_filter && i->from == TYPE_f32 && (t.kind == 2 || t.normalized_values);
        if (!(linear ? filter(w, i, lane, &t, at[0], at[1], &value)
                     : read_texel(w, i, lane, &t, whole[0], whole[1], &value)))
            return NULL;
        for (uint32_t c = 0; c < i->defs; c++)
            ((uint32_t *)(w->base[0] + list[c]))[lane] = value.raw[c];
    }
    return i + 1;
}

insn_run pick_texture(insn *i)
{
    return i->op == OP_TEX ? run_tex : NULL;
}
