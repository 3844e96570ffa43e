/* Kept contents, each in a mapping of its own; see expected_store.h. */
#include "verify/expected_store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct entry {
    char label[ASSAY_NAME_MAX];
    int which;
    uint64_t row_seed; /* of a sampled one */
    void *pages;
    int64_t bytes;
    struct entry *next;
} entry;

struct expected_store {
    int64_t most_bytes, used_bytes;
    entry *entries;
};

/* The parts of an expected output that are kept, in their order. */
typedef struct parts {
    int count;
    void *data[2 * ASSAY_MAX_TENSORS + 1];
    int64_t bytes[2 * ASSAY_MAX_TENSORS + 1], total;
} parts;

static void add_part(parts *p, void *data, int64_t bytes)
{
    p->data[p->count] = data;
    p->bytes[p->count++] = bytes;
    p->total += bytes;
}

static parts parts_of(const expected_output *t)
{
    parts p = {0};
    for (int i = 0; i < t->host.input_count; i++)
        add_part(&p, t->host.inputs[i].data, assay_tensor_count(&t->host.inputs[i]) * (int64_t)sizeof(float));
    for (int i = 0; i < t->host.output_count && !t->sampled; i++)
        add_part(&p, t->host.outputs[i].data,
                 assay_tensor_count(&t->host.outputs[i]) * (int64_t)sizeof(double));
    if (t->sampled)
        add_part(&p, t->row_values, t->row_bytes);
    if (t->scale && !t->sampled)
        add_part(&p, t->scale, assay_tensor_count(&t->host.outputs[0]) * (int64_t)sizeof(double));
    return p;
}

expected_store *expected_store_open(int64_t most_bytes)
{
    expected_store *store = calloc(1, sizeof *store);
    if (store)
        store->most_bytes = most_bytes;
    return store;
}

void expected_store_close(expected_store *store)
{
    while (store && store->entries) {
        entry *e = store->entries;
        store->entries = e->next;
        munmap(e->pages, (size_t)e->bytes);
        free(e);
    }
    free(store);
}

static const entry *find(const expected_store *store, const char *label, int which)
{
    for (const entry *e = store && label ? store->entries : NULL; e; e = e->next)
        if (e->which == which && strcmp(e->label, label) == 0)
            return e;
    return NULL;
}

int expected_store_take(const expected_store *store, const char *label, int which, expected_output *t)
{
    const entry *e = find(store, label, which);
    const parts p = parts_of(t);
    if (!e || e->bytes != p.total)
        return 0;
    const char *from = e->pages;
    for (int i = 0; i < p.count; i++) {
        memcpy(p.data[i], from, (size_t)p.bytes[i]);
        from += p.bytes[i];
    }
    t->rows_known = t->sampled;
    t->row_seed = e->row_seed;
    return 1;
}

void expected_store_keep(expected_store *store, const char *label, int which, const expected_output *t)
{
    const parts p = parts_of(t);
    if (!store || !label || p.total == 0 || t->rows_known != t->sampled ||
        store->used_bytes + p.total > store->most_bytes || strlen(label) >= ASSAY_NAME_MAX ||
        find(store, label, which))
        return;
    entry *e = calloc(1, sizeof *e);
    void *pages = mmap(NULL, (size_t)p.total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!e || pages == MAP_FAILED) {
        if (pages != MAP_FAILED)
            munmap(pages, (size_t)p.total);
        free(e);
        return;
    }
    char *to = pages;
    for (int i = 0; i < p.count; i++) {
        memcpy(to, p.data[i], (size_t)p.bytes[i]);
        to += p.bytes[i];
    }
    mprotect(pages, (size_t)p.total, PROT_READ);
    *e = (entry){
        .which = which, .row_seed = t->row_seed, .pages = pages, .bytes = p.total, .next = store->entries};
    snprintf(e->label, sizeof e->label, "%s", label);
    store->entries = e;
    store->used_bytes += p.total;
}
