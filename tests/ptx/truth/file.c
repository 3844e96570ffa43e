/* The file of recorded values. All numbers little-endian:
 *     "assay ptx values 1\n", one line of text (device and driver), then for each case
 *     u16 length of its name, the name, u32 hash, u16 rows, u8 results (0: refused), and for each result u8 bytes and the values */
#include "truth.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "assay ptx values 1\n";

static void put_number(FILE *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(v >> (8 * i) & 0xff), out);
}

static uint64_t get_number(FILE *in, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)(getc(in) & 0xff) << (8 * i);
    return v;
}

static void put_record(FILE *out, const truth_record *r, const truth_case *c)
{
    put_number(out, strlen(r->name), 2);
    fputs(r->name, out);
    put_number(out, r->hash, 4);
    put_number(out, (uint64_t)r->rows, 2);
    put_number(out, r->refused ? 0 : (uint64_t)r->outs, 1);
    for (int k = 0; k < r->outs && !r->refused; k++) {
        const int bytes = truth_kind_bytes(c->out[k]);
        put_number(out, (uint64_t)bytes, 1);
        for (int i = 0; i < r->rows; i++)
            put_number(out, r->values[k * r->rows + i], bytes);
    }
}

static int get_record(FILE *in, truth_record *r)
{
    const uint64_t length = get_number(in, 2);
    memset(r, 0, sizeof *r);
    if (length >= sizeof r->name || fread(r->name, 1, length, in) != length)
        return -1;
    r->hash = (uint32_t)get_number(in, 4);
    r->rows = (int)get_number(in, 2);
    r->outs = (int)get_number(in, 1);
    r->refused = r->outs == 0;
    if (r->outs > MOST_RESULTS)
        return -1;
    r->values = calloc((size_t)(r->rows * r->outs) + 1, sizeof *r->values);
    if (!r->values)
        abort();
    for (int k = 0; k < r->outs; k++) {
        const int bytes = (int)get_number(in, 1);
        if (bytes > 8)
            return -1;
        for (int i = 0; i < r->rows; i++)
            r->values[k * r->rows + i] = get_number(in, bytes);
    }
    return feof(in) ? -1 : 0;
}

int truth_file_write(const char *path, const truth_file *file, const truth_case *cases)
{
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.part", path);
    FILE *out = fopen(temporary, "wb");
    if (out) {
        fprintf(out, "%s%s\n", magic, file->source);
        for (size_t i = 0; i < file->count; i++)
            put_record(out, &file->records[i], &cases[i]);
    }
    const int bad = !out || ferror(out);
    if ((out && fclose(out) != 0) || bad || rename(temporary, path) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        remove(temporary);
        return -1;
    }
    return 0;
}

int truth_file_read(const char *path, truth_file *file)
{
    memset(file, 0, sizeof *file);
    FILE *in = fopen(path, "rb");
    char line[sizeof magic + 1];
    int status = 0, c;
    if (!in)
        return 1;
    if (!fgets(line, sizeof line, in) || strcmp(line, magic) != 0 ||
        !fgets(file->source, sizeof file->source, in))
        status = -1;
    file->source[strcspn(file->source, "\n")] = 0;
    for (size_t room = 0; status == 0 && (c = getc(in)) != EOF; file->count++) {
        ungetc(c, in);
        if (file->count == room) {
            room = room ? 2 * room : 1024;
            file->records = realloc(file->records, room * sizeof *file->records);
            if (!file->records)
                abort();
        }
        status = get_record(in, &file->records[file->count]);
    }
    if (status != 0)
        fprintf(stderr, "%s: no file of recorded values, or damaged behind case %zu; record it again\n", path,
                file->count);
    fclose(in);
    return status;
}

void truth_file_free(truth_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->records[i].values);
    free(file->records);
    memset(file, 0, sizeof *file);
}
