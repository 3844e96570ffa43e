/* Types of PTX by name. */
#include "device/ptx/types.h"
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t bytes, is_signed;
} types[TYPE_COUNT] = {
#define T(name, bytes, is_signed) {#name, bytes, is_signed},
    PTX_TYPES(T)
#undef T
};

uint32_t type_bytes(ptx_type type)
{
    return type < TYPE_COUNT ? types[type].bytes : 0;
}

bool type_signed(ptx_type type)
{
    return type < TYPE_COUNT && types[type].is_signed;
}

bool type_float(ptx_type type)
{
    return type >= TYPE_f16 && type <= TYPE_e5m2x2;
}

const char *type_name(ptx_type type)
{
    return type < TYPE_COUNT ? types[type].name : "?";
}

ptx_type type_find(const char *name)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(name, types[i].name) == 0)
            return (ptx_type)i;
    return TYPE_NONE;
}
