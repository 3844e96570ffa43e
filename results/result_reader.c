/* What the files of the reader share: see result_reader.h. */
#include "results/result_reader.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include <limits.h>
#include <stdio.h>

int reader_refuse(reader *in, const char *key, const char *format, ...)
{
    char what[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    utf8_make_line(what);
    assay_error_set(in->error, ASSAY_ERR_FORMAT, "%.150s: %s %s", in->where, key, what);
    return 0;
}

int reader_count(const json_t *object, const char *key, int fallback)
{
    const double value = json_get_number(object, key, fallback);
    return value >= INT_MIN && value <= INT_MAX ? (int)value : fallback;
}

int reader_take_version(reader *in, const json_t *object, const char *key, const char *where, int *out)
{
    *out = reader_count(object, key, 0);
    return json_is_integer(json_object_get(object, key)) || reader_refuse(in, where, "is not an integer");
}
