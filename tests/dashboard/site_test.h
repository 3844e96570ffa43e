/* A made-up history in a temporary folder, and the site that is written of it. */
#ifndef ASSAY_TESTS_DASHBOARD_SITE_TEST_H
#define ASSAY_TESTS_DASHBOARD_SITE_TEST_H

#include "tests/unit.h"
#include "core/json_file.h"
#include "dashboard/dashboard.h"
#include "synthetic.h"
#include <limits.h>

static char folder[256], database[300], out[300];

static inline int make_site_history(const synthetic_options *options)
{
    make_folder(folder);
    snprintf(database, sizeof database, "%s/history.db", folder);
    snprintf(out, sizeof out, "%s/site", folder);
    return synthetic_write(database, options, NULL) == ASSAY_OK ? 0 : -1;
}

static inline int remove_site(void **unused)
{
    remove_folder(folder);
    return 0;
}

static inline assay_status write_site(const char *to, const dashboard_options *options,
                                      dashboard_summary *summary, assay_error *error)
{
    history *h = NULL;
    assert_int_equal(history_open(database, HISTORY_READ, &h, error), ASSAY_OK);
    const assay_status status = dashboard_write(h, to, options, summary, error);
    history_close(h);
    return status;
}

static inline char *read_file(const char *in, const char *name)
{
    char path[PATH_MAX], *text = NULL;
    size_t bytes;
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", in, name);
    if (text_file_read(path, &text, &bytes, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return text;
}

#endif
