/* Numbers and units as ncu prints them. See ncu_read.h. */
#include "profile/ncu_read.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 64 };

/* Bytes of a blank that groups digits, 0 for anything else: a blank, an apostrophe, or U+00A0 and U+202F in UTF-8. */
static size_t grouping(const char *at)
{
    if (*at == ' ' || *at == '\'')
        return 1;
    if (strncmp(at, "\xc2\xa0", 2) == 0)
        return 2;
    return strncmp(at, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

double ncu_read_number(const char *text, int decimal_comma)
{
    char digits[MOST_DIGITS], *end;
    size_t length = 0;
    const char point = decimal_comma ? ',' : '.', group = decimal_comma ? '.' : ',';
    while (*text && length + 1 < MOST_DIGITS) {
        const size_t blank = grouping(text);
        if (blank == 0 && *text != group)
            digits[length++] = *text == point ? '.' : *text;
        text += blank ? blank : 1;
    }
    digits[length] = '\0';
    if (*text || length == 0 || strpbrk(digits, "xX") ||
        !(isdigit((unsigned char)digits[0]) || strchr("+-.", digits[0])))
        return NAN; /* strtod would take "inf" and "nan" */
    const double value = strtod(digits, &end);
    return *end || !isfinite(value) ? NAN : value;
}

/* -1: the number shows a decimal comma, 1: a decimal point, 0: it may be either. */
static int decimal_sign(const char *text, size_t length)
{
    int commas = 0, points = 0, after = -1;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',' || text[i] == '.') {
            commas += text[i] == ',';
            points += text[i] == '.';
            after = 0;
        } else if (isdigit((unsigned char)text[i]))
            after += after >= 0;
        else if (!(i == 0 && text[i] == '-'))
            return 0;
    }
    const char last = after >= 0 ? text[length - (size_t)after - 1] : '\0';
    if (commas && points)
        return last == ',' ? -1 : 1;
    if (commas + points != 1 || after == 3)
        return 0;
    return commas ? -1 : 1;
}

/* A point proves nothing: the compute capability, "9.0", has one in every locale. */
int ncu_has_decimal_comma(const char *text)
{
    int sign = 0;
    for (const char *at = text; sign >= 0 && (at = strchr(at, '"')) != NULL;) {
        const size_t length = strcspn(++at, "\"\n");
        if (length > 2 && length < MOST_DIGITS)
            sign = decimal_sign(at, length);
        at += length;
        at += *at == '"';
    }
    return sign < 0;
}

typedef struct unit_name {
    const char *name;
    metric_unit base;
    double scale;
} unit_name;

double ncu_unit_scale(const char *unit, metric_unit base)
{
    static const unit_name names[] = {
        {"Kbyte", METRIC_IN_BYTES, 1e3},         {"Mbyte", METRIC_IN_BYTES, 1e6},
        {"Gbyte", METRIC_IN_BYTES, 1e9},         {"Tbyte", METRIC_IN_BYTES, 1e12},
        {"us", METRIC_IN_NANOSECONDS, 1e3},      {"usecond", METRIC_IN_NANOSECONDS, 1e3},
        {"ms", METRIC_IN_NANOSECONDS, 1e6},      {"msecond", METRIC_IN_NANOSECONDS, 1e6},
        {"s", METRIC_IN_NANOSECONDS, 1e9},       {"second", METRIC_IN_NANOSECONDS, 1e9},
        {"Khz", METRIC_IN_HERTZ, 1e3},           {"Mhz", METRIC_IN_HERTZ, 1e6},
        {"Ghz", METRIC_IN_HERTZ, 1e9},           {"cycle/usecond", METRIC_IN_HERTZ, 1e6},
        {"cycle/nsecond", METRIC_IN_HERTZ, 1e9},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i].name);
        const char after = strncmp(unit, names[i].name, length) == 0 ? unit[length] : 'x';
        if (names[i].base == base && (after == '\0' || after == '/'))
            return names[i].scale;
    }
    return 1.0;
}
