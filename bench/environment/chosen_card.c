/* See chosen_card.h. */
#include "bench/environment/chosen_card.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int chosen_card_name(const char *visible, int number, char *name, size_t name_bytes)
{
    if (number < 0)
        return 0;
    if (visible == NULL)
        return snprintf(name, name_bytes, "%d", number) < (int)name_bytes;
    for (; number > 0; number--) {
        visible = strchr(visible, ',');
        if (visible == NULL)
            return 0;
        visible++;
    }
    visible += strspn(visible, " ");
    const int length = (int)strcspn(visible, ", ");
    return length > 0 && snprintf(name, name_bytes, "%.*s", length, visible) < (int)name_bytes;
}

int chosen_card_use(int number)
{
    char name[128];
    return chosen_card_name(getenv("CUDA_VISIBLE_DEVICES"), number, name, sizeof name) &&
           setenv("CUDA_VISIBLE_DEVICES", name, 1) == 0;
}

int chosen_card_given(const char *given, char *name, size_t name_bytes)
{
    static const char *const kinds[][2] = {{"gpu_", "GPU-"}, {"mig_", "MIG-"}};
    if (strncmp(given, "id:", 3) != 0)
        return 0;
    const char *id = given + 3;
    const size_t length = strcspn(id, ",;"), kind_bytes = 4;
    if (length == 0 || length >= name_bytes)
        return 0;
    snprintf(name, name_bytes, "%.*s", (int)length, id);
    if (strspn(name, "0123456789") == length)
        return 1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (length <= kind_bytes || strncmp(name, kinds[k][0], kind_bytes) != 0)
            continue;
        memcpy(name, kinds[k][1], kind_bytes);
        for (char *c = name + kind_bytes; *c; c++)
            if (*c == '_')
                *c = '-';
            else if (!isxdigit((unsigned char)*c))
                return 0;
        return 1;
    }
    return 0;
}

int chosen_card_use_given(void)
{
    char name[128];
    const char *given = getenv("CTEST_RESOURCE_GROUP_0_GPUS");
    return given == NULL ||
           (chosen_card_given(given, name, sizeof name) && setenv("CUDA_VISIBLE_DEVICES", name, 1) == 0);
}
