/* Lists with commas, as options and assay.json hold them: "cold,hot". The one place that splits them and finds a name in them.
 * Blanks around an item do not belong to it. */
#ifndef ASSAY_CORE_LIST_H
#define ASSAY_CORE_LIST_H

#ifdef __cplusplus
extern "C" {
#endif

/* One item: `length` characters at `text`, which lie in the list and do not end in NUL. */
typedef struct list_item {
    const char *text;
    int length;
} list_item;

/* Step to the next item; 0 at the end. An item of zeros starts. A list may be NULL. "a,,b" has an empty item, which a reader of
 * options refuses or skips; a comma at the end begins none.
 *     for (list_item item = {0}; list_next(list, &item);) */
int list_next(const char *list, list_item *item);
/* 1 if the item is this whole name. */
int list_item_is(const list_item *item, const char *name);

/* How many items are not empty. */
int list_count(const char *list);
/* 1 if the name is an item. */
int list_has(const char *list, const char *name);

/* Lists that filter: no list, or an empty one, selects every name. */
int list_selects(const char *list, const char *name);
/* The same for variants, which an item also selects by their beginning up to a "_": "v4" selects "v4_optimized". */
int list_selects_variant(const char *list, const char *variant);

#ifdef __cplusplus
}
#endif
#endif
