/* Reader of ncu's source page. See ncu_read.h.
 *
 * `--print-source cuda,sass` has, for each kernel and file that it came from, the rows "File Path" and "Function Name" and a table whose head
 * begins with "Line No": a row a line, and under it its instructions, which repeat it. `--print-source sass` has "Kernel Name" and a table of
 * instructions, which begins with "Address". `--print-source cuda` has the text alone. */
#include "profile/csv.h"
#include "profile/ncu_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ncu's short names of the stall reasons in this page. */
static const struct {
    const char *column;
    metric_id stall;
} stall_columns[] = {
    {"stall_long_sb", METRIC_STALL_LONG_SCOREBOARD},
    {"stall_short_sb", METRIC_STALL_SHORT_SCOREBOARD},
    {"stall_barrier", METRIC_STALL_BARRIER},
    {"stall_membar", METRIC_STALL_MEMBAR},
    {"stall_lg", METRIC_STALL_LG_THROTTLE},
    {"stall_mio", METRIC_STALL_MIO_THROTTLE},
    {"stall_tex", METRIC_STALL_TEX_THROTTLE},
    {"stall_math", METRIC_STALL_MATH_PIPE_THROTTLE},
    {"stall_gmma", METRIC_STALL_GMMA},
    {"stall_wait", METRIC_STALL_WAIT},
    {"stall_not_selected", METRIC_STALL_NOT_SELECTED},
    {"stall_selected", METRIC_STALL_SELECTED},
    {"stall_no_inst", METRIC_STALL_NO_INSTRUCTION},
    {"stall_imc", METRIC_STALL_IMC_MISS},
    {"stall_branch_resolve", METRIC_STALL_BRANCH_RESOLVING},
    {"stall_dispatch", METRIC_STALL_DISPATCH},
    {"stall_drain", METRIC_STALL_DRAIN},
    {"stall_sleep", METRIC_STALL_SLEEPING},
    {"stall_misc", METRIC_STALL_MISC},
};
enum { STALL_COLUMNS = sizeof stall_columns / sizeof *stall_columns };

typedef struct columns {
    int count, line, address, source, samples, instructions, sectors, wavefronts, local, divergent;
    int stalls[STALL_COLUMNS];
} columns;

static void read_header(const csv_record *header, columns *where)
{
    where->count = header->count;
    where->line = csv_find(header, "Line No");
    where->address = csv_find(header, "Address");
    where->source = csv_find(header, "Source");
    where->samples = csv_find(header, "Warp Stall Sampling (All Samples)");
    if (where->samples < 0)
        where->samples = csv_find(header, "# Samples");
    where->instructions = csv_find(header, "Instructions Executed");
    where->sectors = csv_find(header, "L2 Theoretical Sectors Global Excessive");
    where->wavefronts = csv_find(header, "L1 Wavefronts Shared Excessive");
    where->local = csv_find(header, "L2 Theoretical Sectors Local");
    where->divergent = csv_find(header, "Divergent Branches");
    for (int i = 0; i < STALL_COLUMNS; i++)
        where->stalls[i] = csv_find(header, stall_columns[i].column);
}

/* Source text with quotes and commas of its own may make more fields: those after it count from the end. */
static double number(const csv_record *record, const columns *where, int column)
{
    const int at = column < 0 ? -1 : column + record->count - where->count;
    const double value = at >= 0 && at < record->count ? ncu_read_number(record->fields[at], 0) : NAN;
    return value > 0.0 ? value : 0.0;
}

static int is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Add a row to its line. In the view of both, instructions repeat what their line's row says, and are passed over. */
static int read_row(const csv_record *record, const columns *where, const char *file, profiled_kernel *kernel)
{
    const int of_line = where->line >= 0 && is_number(record->fields[where->line]);
    if (!of_line && (where->line >= 0 || strncmp(record->fields[where->address], "0x", 2) != 0))
        return 1;
    const char *text = where->source >= 0 ? record->fields[where->source] : "";
    text += strspn(text, " \t");
    const double samples = number(record, where, where->samples),
                 instructions = number(record, where, where->instructions);
    if (samples <= 0.0 && instructions <= 0.0)
        return 1;
    const int at = of_line ? (int)strtol(record->fields[where->line], NULL, 10) : -kernel->line_count - 1;
    profile_line *line = profiled_kernel_line(kernel, of_line ? file : "", at, text);
    if (!line)
        return kernel->line_count >= PROFILE_MOST_LINES;
    line->origin = METRIC_PROFILED;
    line->samples += samples;
    line->instructions += instructions;
    line->excess_sectors += number(record, where, where->sectors);
    line->excess_wavefronts += number(record, where, where->wavefronts);
    line->local_sectors += number(record, where, where->local);
    line->divergent += number(record, where, where->divergent);
    for (int i = 0; i < STALL_COLUMNS; i++)
        line->stalls[stall_columns[i].stall - FIRST_STALL] += number(record, where, where->stalls[i]);
    return 1;
}

/* 1 if both are of one function: they differ in how they write template arguments, "balanced<64>" and "balanced<(int)64>". */
static int is_same_function(const char *a, const char *b)
{
    const size_t length = strcspn(a, "<(");
    return length == strcspn(b, "<(") && strncmp(a, b, length) == 0;
}

/* Kernels come in the order of their launches: the next one with this name, from `from` on; NULL if there is none. */
static profiled_kernel *next_kernel(launch_profile *profile, const profiled_kernel *from, const char *name)
{
    for (int i = from ? (int)(from - profile->kernels) : 0; i < profile->count; i++)
        if (is_same_function(profile->kernels[i].name, name))
            return &profile->kernels[i];
    return NULL;
}

/* Where the reader stands. A file that comes again under the same name belongs to the next launch of that kernel. */
typedef struct place {
    launch_profile *profile;
    profiled_kernel *kernel, *last; /* NULL: a function that is none of the profile's kernels */
    char *file, *first_file;
} place;

static int enter_file(place *at, const char *path)
{
    free(at->file);
    return (at->file = strdup(path)) != NULL;
}

static int enter_function(place *at, const char *name)
{
    const int is_again = at->kernel && at->first_file && at->file && strcmp(at->first_file, at->file) == 0 &&
                         is_same_function(at->kernel->name, name);
    const profiled_kernel *end = at->profile->kernels + at->profile->count;
    if (at->kernel && !is_again && is_same_function(at->kernel->name, name))
        return 1;
    const profiled_kernel *from = is_again ? at->last + 1 : at->last;
    at->kernel = from == end && from ? NULL : next_kernel(at->profile, from, name);
    if (at->kernel)
        at->last = at->kernel;
    free(at->first_file);
    at->first_file = NULL;
    return !at->file || (at->first_file = strdup(at->file)) != NULL;
}

/* A row that says where what follows belongs, a table's head, or a row of it; 0 without memory. */
static int take_record(const csv_record *record, columns *where, place *at)
{
    const char *first = record->fields[0], *second = record->count > 1 ? record->fields[1] : "";
    if (strcmp(first, "File Name") == 0 || strcmp(first, "File Path") == 0)
        return enter_file(at, second);
    if (strcmp(first, "Kernel Name") == 0 || strcmp(first, "Function Name") == 0)
        return enter_function(at, second);
    if (strcmp(first, "Line No") == 0 || strcmp(first, "Address") == 0)
        read_header(record, where);
    else if (at->kernel && where->samples >= 0 && record->count >= where->count)
        return read_row(record, where, at->file ? at->file : "", at->kernel);
    return 1;
}

assay_status ncu_read_source(const char *text, launch_profile *profile, assay_error *error)
{
    csv_record record = {0};
    columns where = {.line = -1, .address = -1, .samples = -1};
    place here = {.profile = profile};
    int right = 1;
    for (const char *at = text, *next; right && *at; at = next) {
        const size_t length = strcspn(at, "\n");
        next = at + length + (at[length] == '\n');
        if (*at != '"')
            continue;
        next = csv_next_line(at, &record);
        right = next && take_record(&record, &where, &here);
    }
    free(here.file);
    free(here.first_file);
    csv_release(&record);
    return right ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for ncu's source page");
}
