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

enum { ROW_BYTES = 192, ROWS = 21, BOX_ROWS = 8 };

int truth_map_of(const truth_case *c, truth_map *map)
{
    static const uint32_t box_bytes[] = {64, 32, 64, 128}; /* a swizzle's span at most */
    const char *at = strchr(c->name, '@');
    char type[16];
    int swizzle, fill;
    if (strncmp(c->name, "cp.async.bulk.tensor", 20) != 0 || !at ||
        sscanf(at, "@%15[a-z0-9]-%d-%d", type, &swizzle, &fill) != 3)
        return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) {
            const uint32_t bytes = (uint32_t)types[i].bytes;
            *map = (truth_map){.type = (int)i,
                               .swizzle = swizzle,
                               .fill = fill,
                               .dims = {ROW_BYTES / bytes, ROWS},
                               .stride = ROW_BYTES,
                               .box = {box_bytes[swizzle] / bytes, BOX_ROWS},
                               .bytes = box_bytes[swizzle] * BOX_ROWS};
            return 1;
        }
    return 0;
}
