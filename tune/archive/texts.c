/* Long texts of an archive (sources, compiler reports, verdicts): each once, by its SHA-256, packed with zlib. */
#include "tune/archive/database.h"
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int64_t archive_hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (int64_t)(hash ^ (hash >> 32));
}

static int64_t find_row(archive *a, const char *sql, const void *key, int bytes, int is_text)
{
    sqlite3_stmt *s = NULL;
    int64_t id = 0;
    if (sqlite3_prepare_v2(a->base.db, sql, -1, &s, NULL) == SQLITE_OK) {
        if (is_text)
            sqlite3_bind_text(s, 1, key, bytes, SQLITE_STATIC);
        else
            sqlite3_bind_blob(s, 1, key, bytes, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW)
            id = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return id;
}

static assay_status insert_text(archive *a, const char *text, size_t bytes, const uint8_t *hash, int64_t *id,
                                assay_error *error)
{
    sqlite3_stmt *s = NULL;
    uLongf packed_bytes = compressBound((uLong)bytes);
    Bytef *packed = malloc(packed_bytes);
    if (packed == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a text of the archive");
    if (compress2(packed, &packed_bytes, (const Bytef *)text, (uLong)bytes, 6) != Z_OK ||
        packed_bytes >= bytes) {
        memcpy(packed, text, bytes); /* as long as the text: not packed */
        packed_bytes = (uLongf)bytes;
    }
    assay_status status =
        db_prepare(&a->base, "INSERT INTO long_text (hash, bytes, packed) VALUES (?, ?, ?)", &s, error);
    if (status == ASSAY_OK) {
        sqlite3_bind_blob(s, 1, hash, SHA256_DIGEST_LENGTH, SQLITE_STATIC);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)bytes);
        sqlite3_bind_blob64(s, 3, packed, packed_bytes, SQLITE_STATIC);
        status = db_finish(&a->base, s, error);
        *id = sqlite3_last_insert_rowid(a->base.db);
    }
    free(packed);
    return status;
}

assay_status archive_put_text(archive *a, const char *text, int64_t *id, assay_error *error)
{
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    *id = 0;
    if (text == NULL || text[0] == '\0')
        return ASSAY_OK;
    const size_t bytes = strlen(text);
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)text, bytes);
    SHA256Final(hash, &context);
    *id = find_row(a, "SELECT id FROM long_text WHERE hash = ?", hash, sizeof hash, 0);
    return *id ? ASSAY_OK : insert_text(a, text, bytes, hash, id, error);
}

const char *archive_get_text(archive *a, int64_t id, int slot)
{
    sqlite3_stmt *s = NULL;
    const char *text = "";
    if (id == 0 || sqlite3_prepare_v2(a->base.db, "SELECT bytes, packed FROM long_text WHERE id = ?", -1, &s,
                                      NULL) != SQLITE_OK)
        return text;
    sqlite3_bind_int64(s, 1, id);
    if (sqlite3_step(s) == SQLITE_ROW) {
        uLongf bytes = (uLongf)sqlite3_column_int64(s, 0);
        const uLong packed_bytes = (uLong)sqlite3_column_bytes(s, 1);
        const void *packed = sqlite3_column_blob(s, 1);
        char *grown = bytes < (1u << 30) ? realloc(a->texts[slot], bytes + 1) : NULL;
        if (grown) {
            a->texts[slot] = grown;
            if (packed_bytes == bytes)
                memcpy(grown, packed, bytes);
            else if (uncompress((Bytef *)grown, &bytes, packed, packed_bytes) != Z_OK)
                bytes = 0;
            grown[bytes] = '\0';
            text = grown;
        }
    }
    sqlite3_finalize(s);
    return text;
}

assay_status archive_put_word(archive *a, const char *word, int64_t *id, assay_error *error)
{
    sqlite3_stmt *s = NULL;
    if (word == NULL)
        word = "";
    *id = find_row(a, "SELECT id FROM word WHERE text = ?", word, (int)strlen(word), 1);
    if (*id)
        return ASSAY_OK;
    const assay_status status = db_prepare(&a->base, "INSERT INTO word (text) VALUES (?)", &s, error);
    if (status != ASSAY_OK)
        return status;
    db_bind_text(s, 1, word);
    const assay_status written = db_finish(&a->base, s, error);
    *id = sqlite3_last_insert_rowid(a->base.db);
    return written;
}
