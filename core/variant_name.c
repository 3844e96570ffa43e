/* See variant_name.h. */
#include "core/variant_name.h"
#include <stdio.h>
#include <string.h>

int tuned_variant_is(const char *variant)
{
    return strchr(variant, TUNED_VARIANT_MARK) != NULL;
}

void tuned_variant_base(const char *name, char out[ASSAY_NAME_MAX])
{
    const size_t length = strcspn(name, (char[]){TUNED_VARIANT_MARK, '\0'});
    snprintf(out, ASSAY_NAME_MAX, "%.*s", (int)(length < ASSAY_NAME_MAX ? length : ASSAY_NAME_MAX - 1), name);
}

int tuned_variant_is_of(const char *name, const char *variant)
{
    char own[ASSAY_NAME_MAX];
    tuned_variant_base(name, own);
    return strcmp(own, variant) == 0;
}
