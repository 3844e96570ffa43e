/* A history_filter as an SQL condition with bound values, so that no text of a user ever becomes SQL. */
#include "history/database.h"
#include "core/list.h"
#include <stdio.h>
#include <string.h>

static int add_sql(db_filter *out, const char *text)
{
    const size_t used = strlen(out->sql), bytes = strlen(text);
    if (used + bytes >= sizeof out->sql)
        return 0;
    memcpy(out->sql + used, text, bytes + 1);
    return 1;
}

static int add_value(db_filter *out, const char *text, size_t bytes)
{
    if (out->used + bytes + 1 > sizeof out->values)
        return 0;
    memcpy(out->values + out->used, text, bytes);
    out->values[out->used + bytes] = '\0';
    out->used += bytes + 1;
    out->count++;
    return 1;
}

/* One condition: any item of the list makes `test` true, which holds `uses` parameters for it. */
static int add_list(db_filter *out, const char *list, const char *test, int uses)
{
    int ok = 1, items = 0;
    if (!list || !*list)
        return 1;
    ok = add_sql(out, out->sql[0] ? " AND (" : " WHERE (");
    for (list_item item = {0}; ok && list_next(list, &item);) {
        if (item.length == 0)
            continue;
        ok = (items++ == 0 || add_sql(out, " OR ")) && add_sql(out, test);
        for (int i = 0; ok && i < uses; i++)
            ok = add_value(out, item.text, (size_t)item.length);
    }
    return ok && add_sql(out, items ? ")" : "1)");
}

static int add_plain(db_filter *out, int wanted, const char *test)
{
    return !wanted || (add_sql(out, out->sql[0] ? " AND " : " WHERE ") && add_sql(out, test));
}

static int add_time(db_filter *out, int64_t time, const char *test)
{
    char text[96];
    snprintf(text, sizeof text, test, (long long)time);
    return add_plain(out, time != 0, text);
}

/* Modes as a list of names, which are no user's text. */
static int add_modes(db_filter *out, timing_modes modes)
{
    char names[160];
    timing_modes_text(modes, names, sizeof names);
    return add_list(out, names, "f.mode = ?", 1);
}

assay_status db_filter_build(const history_filter *f, int with_mode, db_filter *out, assay_error *error)
{
    out->sql[0] = '\0';
    out->count = 0;
    out->used = 0;
    static const history_filter all;
    if (!f)
        f = &all;
    const int ok =
        add_list(out, f->ops, "c.op = ?", 1) &&
        add_list(out, f->variants, "c.variant = ? OR substr(c.variant, 1, length(?) + 1) = ? || '_'", 3) &&
        add_list(out, f->dtypes, "c.dtype = ?", 1) && add_list(out, f->sizes, "c.size = ?", 1) &&
        add_list(out, f->kinds, "c.kind = ?", 1) && add_list(out, f->cards, "d.slug = ? OR d.uuid = ?", 2) &&
        add_list(out, f->commits, "substr(v.hash, 1, length(?)) = ?", 2) &&
        add_list(out, f->statuses, "r.status = ?", 1) && (!with_mode || add_modes(out, f->modes)) &&
        add_time(out, f->since, "r.time >= %lld") && add_time(out, f->until, "r.time <= %lld") &&
        add_plain(out, f->clean_only, "r.dirty = 0") &&
        add_plain(out, f->latest_only,
                  "r.id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY case_id, card_id, "
                  "revision_id, method_identity"
                  " ORDER BY time DESC, id DESC) AS place FROM result) WHERE place = 1)");
    return ok ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_INVALID, "the filter is too long");
}

void db_filter_bind(const db_filter *filter, sqlite3_stmt *s)
{
    const char *at = filter->values;
    for (int i = 0; i < filter->count; i++) {
        sqlite3_bind_text(s, i + 1, at, -1, SQLITE_TRANSIENT);
        at += strlen(at) + 1;
    }
}
