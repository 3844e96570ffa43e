/* Lists with commas: see list.h. */
#include "core/list.h"
#include <string.h>

int list_next(const char *list, list_item *item)
{
    const char *at = list;
    if (item->text) {
        at = item->text + item->length;
        at += strspn(at, " ");
        at += *at == ',';
    }
    if (!at || !*at)
        return 0;
    at += strspn(at, " ");
    item->text = at;
    item->length = (int)strcspn(at, ",");
    while (item->length > 0 && at[item->length - 1] == ' ')
        item->length--;
    return 1;
}

static int begins_with(const char *name, const list_item *item)
{
    return strncmp(name, item->text, (size_t)item->length) == 0;
}

int list_item_is(const list_item *item, const char *name)
{
    return begins_with(name, item) && name[item->length] == '\0';
}

int list_count(const char *list)
{
    int count = 0;
    for (list_item item = {0}; list_next(list, &item);)
        count += item.length > 0;
    return count;
}

int list_has(const char *list, const char *name)
{
    for (list_item item = {0}; list_next(list, &item);)
        if (list_item_is(&item, name))
            return 1;
    return 0;
}

int list_selects(const char *list, const char *name)
{
    return !list || !*list || list_has(list, name);
}

int list_selects_variant(const char *list, const char *variant)
{
    for (list_item item = {0}; list_next(list, &item);)
        if (item.length > 0 && begins_with(variant, &item) &&
            (variant[item.length] == '\0' || variant[item.length] == '_'))
            return 1;
    return !list || !*list;
}
