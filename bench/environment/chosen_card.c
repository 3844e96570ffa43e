/* See chosen_card.h. */
#include "bench/environment/chosen_card.h"
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
