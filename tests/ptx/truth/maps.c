/* Tensor maps of the cases of TMA, by their names: "...@type-swizzle-fill". */
#include "truth.h"
#include <stdio.h>
#include <string.h>

/* By the driver's number of the type (CUtensorMapDataType). */
static const struct {
    const char *name;
    int bytes;
} types[] = {{"u8", 1},  {"u16", 2}, {"u32", 4},  {"s32", 4},    {"u64", 8},  {"s64", 8},    {"f16", 2},
             {"f32", 4}, {"f64", 8}, {"bf16", 2}, {"f32ftz", 4}, {"tf32", 4}, {"tf32ftz", 4}};

/* The tiled tensor's rows end within 16 bytes: how much of those is copied is part of the truth. */
enum { ROW_BYTES = 184, STRIDE = 192, ROWS = 21, BOX_ROWS = 8 };
enum { PIXEL_BYTES = 32, WIDTH = 5, HEIGHT = 4, IMAGES = 6, PIXELS = 16 };

static void make_tiled(truth_map *map, uint32_t bytes)
{
    static const uint32_t box_bytes[] = {64, 32, 64, 128}; /* a swizzle's span at most */
    map->rank = 2;
    map->dims[0] = ROW_BYTES / bytes;
    map->dims[1] = ROWS;
    map->strides[0] = STRIDE;
    map->box[0] = box_bytes[map->swizzle] / bytes;
    map->box[1] = BOX_ROWS;
}

/* What a convolution with 3 x 3 weights and a padding of 1 reads. */
static void make_im2col(truth_map *map, uint32_t bytes)
{
    const uint64_t dims[4] = {PIXEL_BYTES / bytes, WIDTH, HEIGHT, IMAGES};
    map->rank = 4;
    memcpy(map->dims, dims, sizeof dims);
    map->strides[0] = PIXEL_BYTES;
    map->strides[1] = PIXEL_BYTES * WIDTH;
    map->strides[2] = PIXEL_BYTES * WIDTH * HEIGHT;
    map->box[0] = PIXEL_BYTES / bytes;
    map->box[1] = PIXELS;
    map->corners[0] = map->corners[1] = -1;
}

int truth_map_of(const truth_case *c, truth_map *map)
{
    const char *at = strchr(c->name, '@');
    char type[16];
    *map = (truth_map){0};
    if (!strstr(c->name, ".bulk.tensor") || !at ||
        sscanf(at, "@%15[a-z0-9]-%d-%d", type, &map->swizzle, &map->fill) != 3)
        return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) {
            const uint32_t bytes = (uint32_t)types[i].bytes;
            map->type = (int)i;
            map->per_16 = 16 / bytes;
            if (strstr(c->name, "im2col"))
                make_im2col(map, bytes);
            else
                make_tiled(map, bytes);
            map->bytes = map->box[0] * map->box[1] * bytes;
            return 1;
        }
    return 0;
}
