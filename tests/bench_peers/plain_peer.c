/* Peers of the op `add` for testing what the harness makes of a peer's optional exports: plain host code. Compiled several times:
 *   BEHAVIOUR_REVERSED   keeps its inputs and its output from the last element to the first
 *   BEHAVIOUR_WRONG      the same, but what it delivers has one wrong element
 *   BEHAVIOUR_REFUSES    does not offer the problem
 *   BEHAVIOUR_YARDSTICK  computes another function, and says so */
#include "add.h"
#include <stdlib.h>
#include <string.h>

ASSAY_EXPORT assay_status add_prepare(const add_args *args, assay_stream stream);
ASSAY_EXPORT void add_release(void);
ASSAY_EXPORT const assay_peer_notes *add_notes(void);
ASSAY_EXPORT assay_status add_adopt(const add_args *args, assay_stream stream);
ASSAY_EXPORT assay_status add_deliver(const add_args *args, assay_stream stream);

enum { MOST_SETS = 512 };

static assay_peer_notes notes = {.version = "plain 1.0", .choice = "the only way there is"};
static struct {
    const void *key;
    float *x, *y, *out;
} sets[MOST_SETS];
static int set_count;

const assay_peer_notes *add_notes(void)
{
    return &notes;
}

assay_status add_prepare(const add_args *args, assay_stream stream)
{
    (void)stream;
#if defined(BEHAVIOUR_REFUSES)
    strcpy(notes.reason, "this peer wants prime numbers");
    return args->count >= 0 ? ASSAY_ERR_UNSUPPORTED : ASSAY_OK;
#elif defined(BEHAVIOUR_YARDSTICK)
    notes.is_yardstick = 1;
#endif
    return args->count >= 0 ? ASSAY_OK : ASSAY_ERR_INVALID;
}

void add_release(void)
{
    for (int i = 0; i < set_count; i++) {
        free(sets[i].x);
        free(sets[i].y);
        free(sets[i].out);
    }
    set_count = 0;
}

static float *reversed(const float *from, int64_t count)
{
    float *to = malloc((size_t)count * sizeof *to + 1);
    for (int64_t i = 0; i < count; i++)
        to[i] = from[count - 1 - i];
    return to;
}

assay_status add_adopt(const add_args *args, assay_stream stream)
{
    (void)stream;
    if (set_count == MOST_SETS)
        return ASSAY_ERR_NO_MEMORY;
    sets[set_count].key = args->out;
    sets[set_count].x = reversed(args->x, args->count);
    sets[set_count].y = reversed(args->y, args->count);
    sets[set_count++].out = calloc((size_t)args->count + 1, sizeof(float));
    return ASSAY_OK;
}

static int find_set(const add_args *args)
{
    for (int i = 0; i < set_count; i++)
        if (sets[i].key == args->out)
            return i;
    return -1;
}

assay_status add_run(const add_args *args, assay_stream stream)
{
    const int set = find_set(args);
    (void)stream;
    if (set < 0)
        return ASSAY_ERR_INVALID;
    for (int64_t i = 0; i < args->count; i++) {
#if defined(BEHAVIOUR_YARDSTICK)
        sets[set].out[i] = sets[set].x[i] * sets[set].y[i];
#else
        sets[set].out[i] = sets[set].x[i] + (float)args->alpha * sets[set].y[i];
#endif
    }
    return ASSAY_OK;
}

assay_status add_deliver(const add_args *args, assay_stream stream)
{
    const int set = find_set(args);
    float *out = args->out;
    (void)stream;
    for (int64_t i = 0; i < args->count; i++)
        out[i] = sets[set].out[args->count - 1 - i];
#if defined(BEHAVIOUR_WRONG)
    out[0] += 1.0f;
#endif
    return ASSAY_OK;
}
