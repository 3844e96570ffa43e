/* What a parameter's name says of its role in a kernel. */
#include "tune/space/space.h"
#include <ctype.h>
#include <string.h>

typedef struct guess {
    const char *part; /* of the name in lower case */
    space_role role;
} guess;

/* The first that matches counts: longer and more particular ones first. */
static const guess guesses[] = {
    {"block_m", SPACE_ROLE_TILE_M},
    {"tile_m", SPACE_ROLE_TILE_M},
    {"tile_rows", SPACE_ROLE_TILE_M},
    {"block_rows", SPACE_ROLE_TILE_M},
    {"mwg", SPACE_ROLE_TILE_M},
    {"block_n", SPACE_ROLE_TILE_N},
    {"tile_n", SPACE_ROLE_TILE_N},
    {"tile_columns", SPACE_ROLE_TILE_N},
    {"nwg", SPACE_ROLE_TILE_N},
    {"block_k", SPACE_ROLE_TILE_K},
    {"tile_k", SPACE_ROLE_TILE_K},
    {"kwg", SPACE_ROLE_TILE_K},
    {"stages", SPACE_ROLE_STAGES},
    {"warps", SPACE_ROLE_WARPS},
    {"consumers", SPACE_ROLE_WARPS},
    {"elements_per_thread", SPACE_ROLE_ELEMENTS_PER_THREAD},
    {"vectors_per_thread", SPACE_ROLE_ELEMENTS_PER_THREAD},
    {"channels_per_thread", SPACE_ROLE_ELEMENTS_PER_THREAD},
    {"vector", SPACE_ROLE_VECTOR},
    {"vw", SPACE_ROLE_VECTOR},
    {"threads", SPACE_ROLE_THREADS},
    {"block_size", SPACE_ROLE_THREADS},
    {"unroll", SPACE_ROLE_UNROLL},
    {"split", SPACE_ROLE_SPLIT},
    {"group", SPACE_ROLE_GROUP},
    {"raster", SPACE_ROLE_GROUP},
    {"cluster", SPACE_ROLE_CLUSTER},
};

static const char *const role_names[] = {
    "none",   "tile_m", "tile_n", "tile_k",  "stages", "warps", "threads", "vector", "elements_per_thread",
    "unroll", "split",  "group",  "cluster",
};

space_role space_guess_role(const char *parameter)
{
    char lower[ASSAY_NAME_MAX];
    size_t length = 0;
    for (; parameter[length] && length + 1 < sizeof lower; length++)
        lower[length] = (char)tolower((unsigned char)parameter[length]);
    lower[length] = '\0';
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (strstr(lower, guesses[i].part))
            return guesses[i].role;
    return SPACE_ROLE_NONE;
}

const char *space_role_name(space_role role)
{
    return (unsigned)role < sizeof role_names / sizeof *role_names ? role_names[role] : "none";
}
