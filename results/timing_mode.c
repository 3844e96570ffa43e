/* The table of timing modes: see timing_mode.h. */
#include "results/timing_mode.h"
#include "core/list.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const timing_mode_info modes[] = {
    [TIMING_COLD] = {"cold", "cold", TIMING_FLUSH_METHOD, TIMING_ONE_LAUNCH, 1, 1, 1,
                     "how long one launch takes whose data lie in device memory"},
    [TIMING_HOT] = {"hot", "hot", TIMING_FLUSH_NONE, TIMING_GRAPH, 1, 1, 1,
                    "how long a launch takes among many launches on other buffers, without launch overhead"},
    [TIMING_BURST] = {"burst", "burst", TIMING_FLUSH_NONE, TIMING_GRAPH, 0, 1, 1,
                      "how long a launch takes in a short load, before the power limit lowers the clock"},
    [TIMING_SUSTAINED] =
        {"sustained", "sustained", TIMING_FLUSH_NONE, TIMING_GRAPH, 0, 1, 2,
         "how long a launch takes under lasting load, at the clock that the power limit leaves"},
    [TIMING_COLD_READ] = {"cold_read", "cold, read flush", TIMING_FLUSH_READ, TIMING_ONE_LAUNCH, 0, 0, 1,
                          "how long one launch takes after a reading flush, which is what ncu measures"},
    [TIMING_HOST] = {"host", "host", TIMING_FLUSH_NONE, TIMING_HOST_CALL, 1, 0, 1,
                     "how long a caller waits, from the call to the synchronised end, by the host's clock"},
};
static_assert(sizeof modes / sizeof *modes == TIMING_MODES, "each timing mode has a line in the table");
static_assert(TIMING_MODES <= 8 * sizeof(timing_modes), "a set of modes has a bit for each");

const timing_mode_info *timing_mode_get(timing_mode mode)
{
    assert((unsigned)mode < TIMING_MODES);
    return &modes[mode];
}

const char *timing_mode_name(timing_mode mode)
{
    return timing_mode_get(mode)->name;
}

int timing_mode_parse(const char *name, timing_mode *mode)
{
    for (int m = 0; m < TIMING_MODES; m++)
        if (strcmp(modes[m].name, name) == 0) {
            *mode = (timing_mode)m;
            return 1;
        }
    return 0;
}

static assay_status refuse(const list_item *name, const char *list, assay_error *error)
{
    char known[160];
    timing_modes_text(~0u, known, sizeof known);
    return assay_error_set(error, ASSAY_ERR_INVALID, "unknown timing mode '%.*s' in '%.80s'; there are: %s",
                           name->length < 40 ? name->length : 40, name->text, list, known);
}

assay_status timing_modes_parse(const char *list, timing_modes *out, assay_error *error)
{
    timing_modes seen = 0;
    list_item item = {0};
    while (list_next(list, &item)) {
        int m = 0;
        while (m < TIMING_MODES && !list_item_is(&item, modes[m].name))
            m++;
        if (m == TIMING_MODES)
            return refuse(&item, list, error);
        if (seen & timing_mode_bit((timing_mode)m))
            return assay_error_set(error, ASSAY_ERR_INVALID, "timing mode '%s' is named twice in '%.80s'",
                                   modes[m].name, list);
        seen |= timing_mode_bit((timing_mode)m);
    }
    if (seen == 0)
        return refuse(&(list_item){.text = ""}, list, error);
    *out = seen;
    return ASSAY_OK;
}

void timing_modes_text(timing_modes set, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int m = 0; m < TIMING_MODES && used < bytes; m++)
        if (set & timing_mode_bit((timing_mode)m))
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? "," : "", modes[m].name);
}
