/* Asking git about commits: see revisions.h. */
#include "history/revisions.h"
#include "history/database.h"
#include "core/process.h"
#include "core/utf8.h"
#include <stdlib.h>
#include <string.h>

enum { HASH_BYTES = 64, GIT_LIMIT_S = 20 };

/* Hashes without a time, NUL-terminated in slots of HASH_BYTES. Only what can be a hash: it becomes an
 * argument of git. */
static assay_status list_unknown(history *h, char **hashes, int *count, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    assay_status status = db_prepare(&h->base,
                                     "SELECT hash FROM revision WHERE time IS NULL AND length(hash) "
                                     "BETWEEN 7 AND 63 AND hash NOT GLOB '*[^0-9a-f]*'",
                                     &s, error);
    *hashes = NULL;
    *count = 0;
    if (status != ASSAY_OK)
        return status;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && status == ASSAY_OK) {
        char *grown = realloc(*hashes, (size_t)(*count + 1) * HASH_BYTES);
        if (!grown) {
            status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the history's commits");
            continue;
        }
        *hashes = grown;
        strncpy(grown + (size_t)*count * HASH_BYTES, db_text(s, 0), HASH_BYTES);
        ++*count;
    }
    if (status == ASSAY_OK && code != SQLITE_DONE)
        status = db_error(&h->base, "read", error);
    sqlite3_finalize(s);
    return status;
}

/* "1764300000 Subject of the commit". */
static int ask(const char *source, const char *hash, int64_t *time, char *subject, size_t bytes)
{
    const char *const argv[] = {"git", "-C", source, "show", "-s", "--no-show-signature", "--format=%ct %s",
                                hash,  NULL};
    process_result end;
    process_run(argv, GIT_LIMIT_S, 1, &end);
    char *rest = NULL;
    int known = end.end == PROCESS_EXITED && end.code == 0 && end.output;
    if (known) {
        *time = strtoll(end.output, &rest, 10);
        known = *time > 0 && *rest == ' ';
    }
    if (known) {
        rest[1 + strcspn(rest + 1, "\n")] = '\0';
        strncpy(subject, rest + 1, bytes - 1);
        subject[bytes - 1] = '\0';
        utf8_make_line(subject); /* it may be cut within a character */
    }
    process_result_release(&end);
    return known;
}

assay_status revisions_ask_git(history *h, const char *source, assay_error *error)
{
    char *hashes = NULL, subject[256];
    int count = 0;
    int64_t time = 0;
    sqlite3_stmt *s = NULL;
    assay_status status = list_unknown(h, &hashes, &count, error);
    if (status == ASSAY_OK)
        status =
            db_prepare(&h->base, "UPDATE revision SET time = ?2, subject = ?3 WHERE hash = ?1", &s, error);
    for (int i = 0; status == ASSAY_OK && i < count; i++) {
        const char *hash = hashes + (size_t)i * HASH_BYTES;
        if (!ask(source, hash, &time, subject, sizeof subject))
            continue;
        db_bind_text(s, 1, hash);
        sqlite3_bind_int64(s, 2, time);
        db_bind_text(s, 3, subject);
        if (sqlite3_step(s) != SQLITE_DONE)
            status = db_error(&h->base, "write", error);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    free(hashes);
    return status;
}
